"""The seam where every model call becomes a ledger effect, whatever backbone is below it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from dspy.lm15 import LM15Error, Request, Response, response_to_events
from dspy.utils.exceptions import LMError

from auditcoder.backbones.caching import AnswerCache
from auditcoder.backbones.context import current_call
from auditcoder.backbones.errors import CallError, RefusedError, from_engine, from_recorded, recorded_form
from auditcoder.backbones.keys import Hide, hides
from auditcoder.backbones.wire import request_json, response_from_json, response_json
from auditcoder.core.effect_keys import model_key
from auditcoder.core.protocols import Journal
from auditcoder.errors import BackboneError
from auditcoder.records.base import sha256_text
from auditcoder.records.config import ModelFacts, Role
from auditcoder.records.events import ModelCalled

# What an engine may raise for a request that went wrong. A remote body of the wrong shape shows as one of the last six.
ENGINE_FAULTS = (
    LM15Error, LMError, BackboneError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError,
    MemoryError,
)  # fmt: skip


class Engine(Protocol):
    """One attempt at a request."""

    def complete(self, request: Request) -> Response:
        """Return the answer, or raise a `dspy.lm15` error."""
        ...


class RecordingEngine:
    """Asks the journal for the answer to a request; only when that has none, the cache and then the model are asked.

    A request that ends in an error is an effect too: a replay raises the same class with the same message.
    """

    supports_response_schema: bool
    supports_function_calling = False
    supports_reasoning = False
    supported_params = frozenset({"temperature", "max_tokens", "top_p", "top_k", "seed", "stop", "response_format"})

    def __init__(
        self,
        inner: Engine,
        *,
        journal: Journal,
        role: Role,
        facts: ModelFacts,
        supports_schema: bool,
        supports_prefill: bool,
        cache: AnswerCache | None = None,
        where: str = "",
        hide: Hide = str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.inner = inner
        self.role: Role = role
        self.facts = facts
        self.supports_response_schema = supports_schema
        self.supports_prefill = supports_prefill
        self._journal = journal
        self._cache = cache
        self._where = where or facts.model
        self._hide = hide
        self._clock = clock

    def complete(self, request: Request) -> Response:
        """Return the recorded answer on replay, else a new one.

        Raises:
            CallError: what the call ended in, now or when it was recorded; or there is a budget of tokens, and the
                answer does not tell its own.
            RecordError: the recorded answer is malformed.
        """
        canonical = request_json(request)
        key = model_key(self.role, self.facts.model, self.facts.sha256, canonical)
        raised: list[CallError] = []
        event = self._journal.effect(ModelCalled, key, lambda: self._perform(key, request, canonical, raised))
        if (spending := current_call().spending) is not None:
            spending.add(event)
        if event.error:
            raise raised[0] if raised else from_recorded(event.error)
        if spending is not None and spending.max_tokens is not None and not event.prompt_tokens:
            raise RefusedError(
                f"{self._where} does not tell how many tokens a request took, so no budget of tokens can be kept",
                hint="Set a budget of calls instead: --max-calls N",
            )
        return response_from_json(event.response)

    def stream(self, request: Request) -> Iterator[Any]:
        """Yield the finished answer as stream events."""
        yield from response_to_events(self.complete(request))

    def __deepcopy__(self, memo: dict[int, Any]) -> RecordingEngine:
        return self  # one journal, one model: copies of a program share both

    def _perform(self, key: str, request: Request, canonical: str, raised: list[CallError]) -> ModelCalled:
        began = self._clock()
        common: dict[str, Any] = {
            "key": key,
            "role": self.role,
            "node": current_call().node,
            "agent": current_call().agent,
            "model": self.facts.model,
            "model_hash": self.facts.sha256,
            "prompt_hash": sha256_text(canonical),
            "sampling": _sampling(request),
            "request": canonical,
        }
        try:
            response, cached = self._answer(request)
        except CallError as exc:
            raised.append(exc)
            return ModelCalled(**common, error=recorded_form(exc), seconds=round(self._clock() - began, 3))
        return ModelCalled(
            **common,
            response=response_json(response),
            finish=response.finish_reason,
            prompt_tokens=response.usage.input_tokens or 0,
            completion_tokens=response.usage.output_tokens or 0,
            seconds=round(self._clock() - began, 3),
            cached=cached,
        )

    def _answer(self, request: Request) -> tuple[Response, bool]:
        if self._cache is not None and (kept := self._cache.get(self.facts, request)) is not None:
            return kept, True
        try:
            response = self.inner.complete(request)
        except ENGINE_FAULTS as exc:
            error = from_engine(exc, where=self._where, hide=self._hide)
            raise error from (None if hides(exc, self._hide) else exc)  # a traceback would show the key
        if self._cache is not None:
            self._cache.put(self.facts, request, response)
        return response, False


def _sampling(request: Request) -> tuple[tuple[str, str], ...]:
    config = request.config
    values = {name: getattr(config, name) for name in ("temperature", "max_tokens", "top_p", "top_k", "seed")}
    values["stop"] = json.dumps(list(config.stop)) if config.stop else None
    return tuple((name, str(value)) for name, value in sorted(values.items()) if value is not None)
