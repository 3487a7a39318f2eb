"""Answers of a real model on a tape, so that a test can have them without the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dspy.lm15 import Request, Response, response_to_events

from auditcoder.backbones.recording import Engine
from auditcoder.backbones.wire import request_json, response_from_json, response_json
from auditcoder.errors import BackboneError
from auditcoder.records.base import sha256_json, sha256_text


class TapeMissError(BackboneError):
    """A request that is not on the tape, and no model to ask."""

    code = "tape-miss"


class Tape:
    """JSON lines of (key, response). The key holds the model's hash and the prompt's, so a new prompt is a miss.

    With an engine, misses are asked and appended; without one they raise: a replay never guesses.
    """

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supported_params = frozenset({"temperature", "max_tokens", "top_p", "top_k", "seed", "stop", "response_format"})

    def __init__(
        self, path: Path, *, model_hash: str, inner: Engine | None = None, supports_prefill: bool = True
    ) -> None:
        self.path = path
        self.model_hash = model_hash
        self.supports_prefill = supports_prefill
        self._inner = inner
        self._answers: dict[str, str] = dict(_read(path)) if path.exists() else {}

    def complete(self, request: Request) -> Response:
        """Return the recorded answer.

        Raises:
            TapeMissError: there is none.
        """
        key = self.key(request)
        if key not in self._answers:
            self._answers[key] = self._ask(key, request)
        return response_from_json(self._answers[key])

    def stream(self, request: Request) -> Iterator[Any]:
        """Yield the answer as stream events."""
        yield from response_to_events(self.complete(request))

    def key(self, request: Request) -> str:
        """Return what a request is found by."""
        return sha256_json([self.model_hash, sha256_text(request_json(request))])

    def __deepcopy__(self, memo: dict[int, Any]) -> Tape:
        return self

    def _ask(self, key: str, request: Request) -> str:
        if self._inner is None:
            asked = (request.messages[-1].text or "")[:200]
            raise TapeMissError(
                f"{self.path.name} has no answer for {key[:12]}: {asked!r}",
                hint="The prompt or the model changed: record the tape again with the model.",
            )
        answer = response_json(self._inner.complete(request))
        with self.path.open("a", encoding="ascii") as file:
            file.write(f'{{"key":"{key}","response":{answer}}}\n')
        return answer


def _read(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(path.read_text("ascii").splitlines(), 1):
        try:
            entry = json.loads(line)
            yield entry["key"], json.dumps(entry["response"])
        except (ValueError, KeyError, TypeError) as exc:
            raise BackboneError(f"{path.name}, line {number} is no tape entry: {exc}") from exc
