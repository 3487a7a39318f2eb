"""Structured answers: decoding is constrained to the schema of the output fields, and the answer is taken strictly."""

from __future__ import annotations

import json
import re
import types
from typing import Any, Literal, Union, get_args, get_origin

import dspy
import pydantic
from dspy.utils.exceptions import AdapterParseError

from auditcoder.backbones.requests import build_request, whole_text

_NAME = "SchemaAdapter"
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(?P<body>.*?)\n\s*```\s*", re.DOTALL)
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


class SchemaAdapter(dspy.ChatAdapter):
    """One JSON object, once: the schema goes with the request, a short sketch of it into the prompt.

    Where the backbone takes no schema, the sketch alone asks for the shape and one code fence around the object is
    allowed. There is no second call with another format, and no repair of what does not parse.
    """

    def __init__(self, callbacks: Any = None) -> None:
        super().__init__(callbacks=callbacks, use_json_adapter_fallback=False)

    def __call__(
        self,
        lm: Any,
        lm_kwargs: dict[str, Any],
        signature: Any,
        demos: list[dict[str, Any]],
        inputs: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Return the output fields of one answer.

        Raises:
            TruncatedOutput: the answer was cut at the token limit.
            AdapterParseError: it is not the object that was asked for.
        """
        schema = output_model(signature).model_json_schema()
        request = build_request(
            lm,
            lm_kwargs,
            self.format(signature, demos, inputs),
            response_format={"type": "json_schema", "json_schema": {"name": "Outputs", "schema": schema}}
            if lm.supports_response_schema
            else None,
        )
        return [self.parse(signature, whole_text(_NAME, signature, lm(request, cache=lm.cache)))]

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """Return the validated output fields of an answer."""
        text = match["body"] if (match := _FENCED.fullmatch(completion)) else completion
        try:
            parsed = output_model(signature).model_validate_json(text)
        except pydantic.ValidationError as exc:
            raise AdapterParseError(_NAME, signature, completion, message=_complaint(exc)) from exc
        return {name: getattr(parsed, name) for name in signature.output_fields}

    def format_system_message(self, signature: Any) -> str:
        """Return the instructions and the sketch of the object."""
        sketch = outline(output_model(signature))
        return f"{signature.instructions}\n\nAnswer with one JSON object, nothing else:\n{sketch}"

    def format_user_message_content(
        self,
        signature: Any,
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,  # noqa: FBT002  # the signature is DSPy's
    ) -> str:
        """Return the inputs, each under its name."""
        return sections(signature, inputs, prefix, suffix)

    def format_assistant_message_content(
        self, signature: Any, outputs: dict[str, Any], missing_field_message: str | None = None
    ) -> str:
        """Return the answer of a demonstration, in the very form that is asked for."""
        values = {name: outputs.get(name, missing_field_message) for name in signature.output_fields}
        present = {name: _plain_value(value) for name, value in values.items() if value is not None}
        return json.dumps(present, ensure_ascii=False)


def sections(signature: Any, inputs: dict[str, Any], prefix: str = "", suffix: str = "") -> str:
    """Return the input fields as labelled sections; text stands as it is, everything else as JSON."""
    parts = [prefix]
    for name in signature.input_fields:
        if name in inputs:
            value = inputs[name]
            text = value if isinstance(value, str) else json.dumps(_plain_value(value), ensure_ascii=False)
            parts.append(f"### {name}\n{text}")
    return "\n\n".join(part for part in [*parts, suffix] if part)


def output_model(signature: Any) -> type[pydantic.BaseModel]:
    """Return a model of the output fields that keeps their descriptions and limits, which DSPy's own drops."""
    fields: dict[str, Any] = {}
    for name, field in signature.output_fields.items():
        description = field.json_schema_extra.get("desc")
        own = None if description == f"${{{name}}}" else description
        fields[name] = (field.rebuild_annotation(), pydantic.Field(description=own))
    return pydantic.create_model("Outputs", __config__=pydantic.ConfigDict(extra="forbid"), **fields)


def outline(model: type[pydantic.BaseModel], indent: int = 1) -> str:
    """Return a sketch of a model's JSON form: a third of the tokens of its schema."""
    pad, fields = "  " * indent, list(model.model_fields.items())
    lines = []
    for index, (name, field) in enumerate(fields):
        comma = "," if index + 1 < len(fields) else ""
        comment = f"  // {field.description}" if field.description else ""
        lines.append(f'{pad}"{name}": {_sketch(field.annotation, indent)}{comma}{comment}')
    return "\n".join(["{", *lines, "  " * (indent - 1) + "}"])


def _sketch(annotation: Any, indent: int) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (list, tuple, set, frozenset):
        return f"[{_sketch(arguments[0], indent)}, ...]" if arguments else "[...]"
    if origin is Literal:
        return " | ".join(json.dumps(value) for value in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(_sketch(argument, indent) for argument in arguments)
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return outline(annotation, indent + 1)
    return _PLAIN.get(annotation) or _sketch_other(annotation, indent)


def _sketch_other(annotation: Any, indent: int) -> str:
    # Annotated[...] around a known type; anything stranger is named as pydantic names it in a schema.
    if hasattr(annotation, "__metadata__"):
        return _sketch(get_args(annotation)[0], indent)
    return str(pydantic.TypeAdapter(annotation).json_schema().get("type", "value"))


def _plain_value(value: Any) -> Any:
    return pydantic.TypeAdapter(type(value)).dump_python(value, mode="json")


def _complaint(error: pydantic.ValidationError) -> str:
    lines = [f"{'.'.join(str(part) for part in one['loc']) or 'answer'}: {one['msg']}" for one in error.errors()]
    return "; ".join(lines[:5])[:800]
