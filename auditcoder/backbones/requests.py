"""What the adapters of ours send and how they take the answer: one explicit request per call."""

from __future__ import annotations

from typing import Any

from dspy.lm15 import Request, Response, request_from_openai_chat
from dspy.utils.exceptions import AdapterParseError

from auditcoder.backbones.wire import response_text

_SAMPLING = ("temperature", "max_tokens", "top_p", "top_k", "seed", "stop")


class TruncatedOutput(AdapterParseError):  # noqa: N818  # an outcome, as much as an error
    """The answer was cut at the token limit; `partial` is what there is of it."""

    default_code = "truncated_output"

    def __init__(self, adapter: str, signature: Any, partial: str, tokens: int | None) -> None:
        super().__init__(adapter, signature, partial, message=f"The answer was cut at {tokens} tokens.")
        self.partial = partial
        self.tokens = tokens


def build_request(
    lm: Any,
    lm_kwargs: dict[str, Any],
    messages: list[dict[str, Any]],
    *,
    response_format: dict[str, Any] | None = None,
    stop: tuple[str, ...] = (),
) -> Request:
    """Return the request for some messages with the LM's sampling and the call's own on top.

    A `rollout_id` asks for another sample: it moves the seed, because the id itself never reaches an engine and the
    same seed would give the same answer.
    """
    merged = {**lm.kwargs, **lm_kwargs}
    body = {key: merged[key] for key in _SAMPLING if merged.get(key) is not None}
    if (rollout := merged.get("rollout_id")) is not None and body.get("temperature"):
        body["seed"] = int(body.get("seed") or 0) + int(rollout)
    if stop:
        body["stop"] = [*stop, *body.get("stop", ())]
    if response_format is not None:
        body["response_format"] = response_format
    return request_from_openai_chat({"model": lm.model, "messages": messages, **body})


def whole_text(adapter: str, signature: Any, response: Response, prefill: str = "") -> str:
    """Return the text of an answer that came to its end, behind the prefill that it continues.

    Raises:
        TruncatedOutput: it was cut at the token limit. Half an answer must never be repaired into a valid one.
    """
    text = prefill + response_text(response)
    if response.finish_reason == "length":
        raise TruncatedOutput(adapter, signature, text, response.usage.output_tokens)
    return text
