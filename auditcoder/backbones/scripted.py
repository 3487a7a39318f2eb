"""A model that answers from a script, for tests of everything above it. It never invents an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from dspy.lm15 import Message, Request, Response, Usage, response_to_events

from auditcoder.backbones.wire import request_json
from auditcoder.errors import BackboneError
from auditcoder.records.base import sha256_text
from auditcoder.records.config import ModelFacts

Answer: TypeAlias = str | BaseException | Response
"""A text, an error to raise, or a whole response (as `cut` makes one)."""
Script: TypeAlias = Iterable[Answer] | Callable[[Request], Answer]


class ScriptExhaustedError(BackboneError):
    """The script has no further answer."""

    code = "script-exhausted"


class ScriptedEngine:
    """Answers from a list, in order, or from a function of the request; `requests` holds what was asked."""

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supports_prefill = False
    supported_params = frozenset({"temperature", "max_tokens", "top_p", "top_k", "seed", "stop", "response_format"})

    def __init__(self, script: Script, *, supports_prefill: bool = False) -> None:
        self._answer = script if callable(script) else _in_order(iter(script))
        self.supports_prefill = supports_prefill
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Response:
        """Return the next answer of the script.

        Raises:
            ScriptExhaustedError: there is none.
        """
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, Response) else answer_response(request, answer)

    def stream(self, request: Request) -> Iterator[Any]:
        """Yield the answer as stream events."""
        yield from response_to_events(self.complete(request))

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptedEngine:
        return self


def answer_response(request: Request, text: str, *, finish: Any = "stop") -> Response:
    """Return a response with this text; a token is counted for every four characters."""
    prompt = sum(len(message.text or "") for message in request.messages)
    return Response(
        id=f"scripted-{sha256_text(request_json(request) + text)[:16]}",
        model=request.model,
        message=Message.assistant(text),
        finish_reason=finish,
        usage=Usage(input_tokens=prompt // 4 + 1, output_tokens=len(text) // 4 + 1),
    )


def cut(text: str) -> Callable[[Request], Response]:
    """Return a function script whose answers stop at the token limit behind this text."""
    return lambda request: answer_response(request, text, finish="length")


def scripted_facts(name: str = "scripted") -> ModelFacts:
    """Return facts for a scripted backbone."""
    return ModelFacts(profile=name, model=name, runtime="script", context_tokens=8192)


def _in_order(answers: Iterator[Answer]) -> Callable[[Request], Answer]:
    count = 0

    def following(request: Request) -> Answer:
        nonlocal count
        for answer in answers:
            count += 1
            return answer
        asked = (request.messages[-1].text or "")[:200]
        raise ScriptExhaustedError(f"The script has {count} answers, and one more was asked for: {asked!r}")

    return following
