"""Code answers: plain text with one fenced block. Code inside a JSON string is what small models get wrong."""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from auditcoder.backbones.requests import build_request, whole_text
from auditcoder.backbones.schema_adapter import sections
from auditcoder.core.fenced import FENCE, ended, extract_code

_NAME = "CodeAdapter"


class CodeAdapter(dspy.ChatAdapter):
    """For a signature whose single output field is code. The text is returned as written and never run.

    Two settings are passed in a predictor's config: `prefill`, the beginning of the code (such as the `def` line),
    which the model continues where it can and is told to begin with where it cannot; and `wanted`, the name that the
    block has to define, which tells the right block from an example in the answer.
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
        """Return the code of one answer under the name of the output field.

        Raises:
            TruncatedOutput: the answer was cut at the token limit.
            AdapterParseError: there is no code in it.
        """
        prefill, wanted = str(lm_kwargs.get("prefill") or ""), str(lm_kwargs.get("wanted") or "")
        messages = self.format(signature, demos, inputs)
        continued = bool(prefill) and supports_prefill(lm)
        if continued:
            messages.append({"role": "assistant", "content": f"{FENCE}python\n{prefill}"})
        elif prefill:
            messages[-1]["content"] += (
                f"\n\nBegin the code with exactly this:\n{FENCE}python\n{prefill.rstrip()}\n{FENCE}"
            )
        request = build_request(lm, lm_kwargs, messages, stop=(FENCE,) if continued else ())
        text = whole_text(_NAME, signature, lm(request, cache=lm.cache), prefill if continued else "")
        if continued:
            return [self._fields(signature, text.partition(FENCE)[0], text)]
        return [self._fields(signature, extract_code(text, wanted), text)]

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """Return the code of an answer under the name of the output field."""
        return self._fields(signature, extract_code(completion), completion)

    def format_system_message(self, signature: Any) -> str:
        """Return the instructions and the form of the answer."""
        return f"{signature.instructions}\n\nAnswer with one {FENCE}python code block and nothing else."

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
        """Return the answer of a demonstration: its code in a fence."""
        code = outputs.get(_field(signature), missing_field_message) or ""
        return f"{FENCE}python\n{str(code).rstrip()}\n{FENCE}"

    def _fields(self, signature: Any, code: str, completion: str) -> dict[str, Any]:
        if not code.strip():
            raise AdapterParseError(_NAME, signature, completion, message="There is no code in the answer.")
        return {_field(signature): ended(code)}


def supports_prefill(lm: Any) -> bool:
    """Return whether the backbone under an LM continues a last message of the assistant."""
    return bool(getattr(getattr(lm, "engine", None), "supports_prefill", False))


def _field(signature: Any) -> str:
    names = list(signature.output_fields)
    if len(names) != 1:
        raise ValueError(f"CodeAdapter needs exactly one output field, the signature has {names}")
    return str(names[0])
