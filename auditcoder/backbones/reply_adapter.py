"""Replies in parts: texts under headings, then one fenced block of code. Taken leniently: a part may be missing."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any, Literal, get_args, get_origin

import dspy
from dspy.utils.exceptions import AdapterParseError

from auditcoder.backbones.requests import build_request, whole_text
from auditcoder.backbones.schema_adapter import sections
from auditcoder.core.fenced import FENCE, ended, extract_code

_NAME = "ReplyAdapter"


class ReplyAdapter(dspy.ChatAdapter):
    """For a signature whose last output field is code and whose others are texts or choices of words.

    The setting `wanted` in a predictor's config is the name that the code block has to define. A choice (`Literal`)
    that the reply does not name, or names twice, is empty.
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
        """Return the parts of one reply.

        Raises:
            TruncatedOutput: the reply was cut at the token limit.
            AdapterParseError: there is no code in it.
        """
        request = build_request(lm, lm_kwargs, self.format(signature, demos, inputs))
        text = whole_text(_NAME, signature, lm(request, cache=lm.cache))
        return [self._parts(signature, text, str(lm_kwargs.get("wanted") or ""))]

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """Return the parts of a reply."""
        return self._parts(signature, completion, "")

    def format_system_message(self, signature: Any) -> str:
        """Return the instructions and the form of the reply."""
        *texts, code = signature.output_fields.items()
        parts = [f"### {name}\n({_asked(name, field)})" for name, field in texts]
        form = "\n".join([*parts, f"### {code[0]}\n{FENCE}python\n(the code)\n{FENCE}"])
        return f"{signature.instructions}\n\nAnswer in these parts, each under its heading:\n{form}"

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
        """Return the reply of a demonstration, in the very form that is asked for."""
        *texts, code = signature.output_fields
        parts = [f"### {name}\n{outputs.get(name, missing_field_message) or ''}" for name in texts]
        source = str(outputs.get(code, missing_field_message) or "").rstrip()
        return "\n".join([*parts, f"### {code}\n{FENCE}python\n{source}\n{FENCE}"])

    def _parts(self, signature: Any, text: str, wanted: str) -> dict[str, Any]:
        *texts, code = signature.output_fields
        source = extract_code(text, wanted)
        if not source.strip():
            raise AdapterParseError(_NAME, signature, text, message="There is no code in the answer.")
        found = _under_headings(text, [*texts, code])
        parts: dict[str, Any] = {
            name: _chosen(signature.output_fields[name].annotation, found.get(name, "")) for name in texts
        }
        return {**parts, code: ended(source)}


def _asked(name: str, field: Any) -> str:
    choices = " or ".join(get_args(field.annotation)) if get_origin(field.annotation) is Literal else ""
    described = str((field.json_schema_extra or {}).get("desc") or "")
    own = "" if described == f"${{{name}}}" else described
    return ": ".join(part for part in (choices, own) if part) or "text"


def _under_headings(text: str, names: list[str]) -> dict[str, str]:
    """Return what stands under each heading, the first time that it occurs; a heading may be marked in several ways."""
    either = "|".join(re.escape(name).replace("_", "[_ ]") for name in names)
    heading = re.compile(rf"^[ \t]*(?:#+|\*\*)[ \t]*({either})[ \t]*:?[ \t]*(?:\*\*)?:?[ \t]*", re.I | re.M)
    marks = list(heading.finditer(text))
    found: dict[str, str] = {}
    for mark, after in zip_longest(marks, marks[1:]):
        name = mark[1].lower().replace(" ", "_")
        found.setdefault(name, text[mark.end() : after.start() if after else len(text)].strip())
    return found


def _chosen(annotation: Any, text: str) -> str:
    """Return a text as it is, and of a choice the one word that it names; empty when it names none or several."""
    if get_origin(annotation) is not Literal:
        return text
    named = {word for word in get_args(annotation) if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.I)}
    return named.pop() if len(named) == 1 else ""
