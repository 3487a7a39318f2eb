"""Whether a profile answers, how fast, and whether it keeps what its entry promises."""

from __future__ import annotations

import json
import time
from pathlib import Path

from dspy.lm15 import Config, Message, Request, Response

from auditcoder.backbones.context import call_context
from auditcoder.backbones.embedded import EmbeddedEngine
from auditcoder.backbones.errors import from_engine
from auditcoder.backbones.keys import key_hider
from auditcoder.backbones.lm import inner_engine, model_facts
from auditcoder.backbones.profiles import Profile, get_profile
from auditcoder.backbones.recording import ENGINE_FAULTS, Engine
from auditcoder.backbones.weights import OnFetch
from auditcoder.backbones.wire import response_text
from auditcoder.errors import AuditCoderError
from auditcoder.records.base import Record

_SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}, "count": {"type": "integer"}},
    "required": ["colour", "count"],
    "additionalProperties": False,
}
_TASK = "Write a Python function `mean(xs)` that returns the arithmetic mean of a list of floats. Only the code."
_TOKENS = 96


class ProfileCheck(Record):
    """What a profile did when it was asked."""

    profile: str
    model: str = ""
    reachable: bool = False
    error: str = ""
    """What is wrong, when it is not reachable."""
    hint: str = ""
    answer: str = ""
    """The answer to one short programming question."""
    structured: bool | None = None
    """Whether an answer kept to a JSON schema; None when the profile claims no schema support."""
    prefill: bool | None = None
    """Whether the beginning of an answer was continued; None when the profile claims no prefill support."""
    deterministic: bool | None = None
    """Whether the same question got the same answer twice at temperature 0."""
    load_seconds: float = 0.0
    """Time to load the model (embedded only)."""
    first_token_seconds: float = 0.0
    """Time until the answer began (embedded only)."""
    tokens_per_second: float = 0.0
    """Answer tokens by wall clock, waiting for the first one not counted where that is known."""


def check_profile(name: str, config: Path | None = None, *, progress: OnFetch | None = None) -> ProfileCheck:
    """Return what a profile does when asked; what is wrong with it is part of the result.

    Raises:
        ConfigError: there is no such profile.
    """
    profile = get_profile(name, config)
    try:
        engine = inner_engine(profile, progress=progress)
        facts = model_facts(profile)
        return _measure(profile, engine, ProfileCheck(profile=facts.profile, model=facts.model))
    except AuditCoderError as exc:
        return _unreachable(profile, exc)
    except ENGINE_FAULTS as exc:
        where = profile.api_base or profile.model or profile.name
        return _unreachable(profile, from_engine(exc, where=where, hide=key_hider(profile)))


def _unreachable(profile: Profile, error: AuditCoderError) -> ProfileCheck:
    return ProfileCheck(profile=profile.name, model=profile.model, error=error.message, hint=error.hint)


def _measure(profile: Profile, engine: Engine, check: ProfileCheck) -> ProfileCheck:
    load = engine.load() if isinstance(engine, EmbeddedEngine) else 0.0
    first, rate, response = _timed(engine, _request(profile, _TASK))
    again = engine.complete(_request(profile, _TASK))
    return check.model_copy(
        update={
            "reachable": True,
            "answer": response_text(response),
            "structured": _keeps_schema(profile, engine) if profile.supports_schema else None,
            "prefill": _continues(profile, engine) if profile.supports_prefill else None,
            "deterministic": response_text(again) == response_text(response) if _greedy(profile) else None,
            "load_seconds": round(load, 2),
            "first_token_seconds": round(first, 2),
            "tokens_per_second": round(rate, 1),
        }
    )


def _request(profile: Profile, text: str, *, prefill: str = "", schema: bool = False) -> Request:
    messages = (Message.user(text), *((Message.assistant(prefill),) if prefill else ()))
    sampling = profile.sampling
    config = Config(
        temperature=sampling.temperature,
        seed=sampling.seed,
        max_tokens=_TOKENS if _greedy(profile) else sampling.max_tokens,
        response_format={"type": "json_schema", "name": "Probe", "schema": _SCHEMA} if schema else None,
    )
    return Request(profile.model or profile.name, messages, config=config)


def _greedy(profile: Profile) -> bool:
    return profile.sampling.temperature == 0


def _timed(engine: Engine, request: Request) -> tuple[float, float, Response]:
    """Return the time to the first token where it is known, the tokens per second behind it, and the answer."""
    first: list[float] = []

    def watch(tokens: int, seconds: float) -> None:
        if tokens and not first:
            first.append(seconds)

    began = time.monotonic()
    with call_context(on_progress=watch):
        response = engine.complete(request)
    wait = first[0] if first else 0.0
    tokens = (response.usage.output_tokens or 0) - (1 if first else 0)
    return wait, tokens / max(time.monotonic() - began - wait, 1e-6), response


def _keeps_schema(profile: Profile, engine: Engine) -> bool:
    request = _request(profile, "Name a colour and a count, as a JSON object with colour and count.", schema=True)
    try:
        value = json.loads(response_text(engine.complete(request)))
    except ValueError:
        return False
    return (
        isinstance(value, dict)
        and set(value) == {"colour", "count"}
        and value["colour"] in _SCHEMA["properties"]["colour"]["enum"]  # type: ignore[index]
        and isinstance(value["count"], int)
    )


def _continues(profile: Profile, engine: Engine) -> bool:
    # A backbone that answers instead of continuing begins anew: with prose, a fence, or the def line once more.
    prefill = "```python\ndef mean(xs: list[float]) -> float:\n"
    text = response_text(engine.complete(_request(profile, _TASK, prefill=prefill)))
    return text.startswith((" ", "\t")) and "```" not in text.partition("\n")[0]
