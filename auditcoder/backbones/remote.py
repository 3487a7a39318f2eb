"""Servers and hosted models, as an engine with a limit on every wait and a bounded number of attempts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dspy.clients.engines.litellm_engine import LiteLLMEngine
from dspy.clients.engines.lm15_engine import LM15Engine
from dspy.lm15 import (
    AccessPolicy,
    AuthError,
    EndpointSupport,
    LM15Error,
    Message,
    OpenAIChatCompat,
    ProviderDefinition,
    ProviderError,
    RateLimitError,
    Request,
    Response,
    RouterConfig,
    ServerError,
    TransportError,
    UnknownModelError,
)

from auditcoder.backbones.bounded import run_bounded
from auditcoder.backbones.capped import MOST_BYTES, CappedTransport, too_long
from auditcoder.backbones.errors import refused_key, unset_key
from auditcoder.backbones.keys import key_hider, without_keys
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import Engine
from auditcoder.backbones.wire import prefill_of, response_text

# No price table over the network: the native HTTP path of DSPy would fetch one before its first call.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")

CONNECT_SECONDS = 10.0
_PROVIDER = "server"
"""What DSPy's messages call a server that has only a URL."""
_TRANSIENT = (RateLimitError, ServerError, TransportError)
_LONGEST_PAUSE = 30.0


class RemoteEngine:
    """One model of one server. A transient fault is tried again, all attempts together within the time limit."""

    def __init__(
        self, profile: Profile, inner: Engine, wire_model: str, *, pause: Callable[[float], None] = time.sleep
    ):
        self.profile = profile
        self.inner = inner
        self.wire_model = wire_model
        self._pause = pause
        self._hide = key_hider(profile)

    def complete(self, request: Request) -> Response:
        """Return the server's answer; an echo of the prefill is cut off, an echo of the key blotted out."""
        limit = self.profile.timeout_seconds
        wired = replace(request, model=self.wire_model)
        try:
            response = run_bounded(lambda cancelled: self._attempts(wired, cancelled), limit)
        except AuthError as exc:
            raise refused_key(self.profile, self._hide(str(exc))) from None  # its own hints are of another program
        _check_shape(response)
        if len(response_text(response)) > MOST_BYTES:  # LiteLLM has a transport of its own
            raise too_long()
        return without_keys(_normalized(response, request), self._hide)

    def _attempts(self, request: Request, cancelled: Any) -> Response:
        for attempt in range(self.profile.retries + 1):
            try:
                return self.inner.complete(request)
            except _TRANSIENT as exc:
                if attempt == self.profile.retries or cancelled.is_set():
                    raise
                self._pause(_delay(exc, attempt))
        raise AssertionError("the last attempt returns or raises")


def remote_engine(profile: Profile) -> RemoteEngine:
    """Return the engine of a profile whose model is not in this process.

    Raises:
        AuthRefusedError: the profile names a key variable that is not set.
    """
    key = _key(profile)
    transport = CappedTransport(
        connect_timeout=CONNECT_SECONDS, read_timeout=profile.timeout_seconds, write_timeout=60.0, pool_timeout=60.0
    )
    if profile.api_base:
        config = RouterConfig(
            providers=(_definition(profile.api_base),), api_keys={_PROVIDER: key or "none"}, transport=transport
        )
        return RemoteEngine(profile, LM15Engine(config), f"{_PROVIDER}/{profile.model}")
    return RemoteEngine(profile, _named_provider(profile, key, transport), profile.model)


def _named_provider(profile: Profile, key: str, transport: CappedTransport) -> Engine:
    try:
        resolution = LM15Engine(RouterConfig(env={})).resolve(profile.model)
    except (UnknownModelError, LM15Error):
        options = {"api_key": key} if key else {}
        return LiteLLMEngine(timeout=profile.timeout_seconds, **options)
    keys = {resolution.provider: key} if key else None
    return LM15Engine(RouterConfig(api_keys=keys, transport=transport))


def _definition(api_base: str) -> ProviderDefinition:
    access = AccessPolicy(
        provider=_PROVIDER, base_url=api_base.rstrip("/"), supports=EndpointSupport(complete=True, stream=True)
    )
    return ProviderDefinition.chat(access, compat=OpenAIChatCompat(max_tokens_field="max_tokens"))


def _key(profile: Profile) -> str:
    if not profile.api_key_env:
        return ""
    if key := os.environ.get(profile.api_key_env, "").strip():
        return key
    raise unset_key(profile)


def _delay(error: Any, attempt: int) -> float:
    asked = error.retry_after if isinstance(error.retry_after, int | float) else 2.0**attempt
    return min(max(float(asked), 0.0), _LONGEST_PAUSE)


def _check_shape(response: Response) -> None:
    # DSPy's client takes a chat completion without a choice for an empty answer.
    body: Any = response.provider_data or {}
    if "choices" not in body:
        return
    choices = body["choices"]
    if not (isinstance(choices, list) and choices and isinstance(choices[0].get("message"), dict)):
        raise ProviderError("the reply is no chat completion: it has no choice with a message")


def _normalized(response: Response, request: Request) -> Response:
    text, prefill = response_text(response), prefill_of(request)
    kept = text.removeprefix(prefill) if prefill else text
    if kept != (response.message.text or ""):
        response = replace(response, message=Message.assistant(kept))
    return replace(response, model=request.model)
