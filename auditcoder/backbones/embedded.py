"""The embedded model: a GGUF file run in this process, as an engine under `dspy.LM`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dspy.lm15 import (
    ContextLengthError,
    InvalidRequestError,
    Message,
    Request,
    Response,
    ServerError,
    TextPart,
    Usage,
    response_to_events,
)

from auditcoder.backbones.bounded import run_bounded
from auditcoder.backbones.context import OnProgress, current_call
from auditcoder.backbones.wire import prefill_of, request_json
from auditcoder.errors import BackboneUnavailableError
from auditcoder.records.base import sha256_text

# OpenMP threads that spin at a barrier starve as soon as a test runs beside them (0.9 against 8.2 tokens/s measured);
# the variable is read when the native library is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

LOAD_SECONDS = 900.0
_BATCH = 512
"""Prompt tokens per step: a request can be cancelled between two steps. Equal to the runtime's micro-batch."""
_HOST_CACHE_MIB = 512
_JSON_BEGINS = re.compile(r'\s*(?:[\[{"\d-]|true|false|null|$)')
_DRAFT_FROM, _DRAFT_LENGTH = 4, 12
"""Prompt lookup: an n-gram of 4 tokens seen before drafts the 12 that followed it."""


class EmbeddedSettings(NamedTuple):
    """How the runtime is set up; everything that may change an answer is part of `identity`."""

    context_tokens: int = 8192
    threads: int = 0
    parallel: int = 1
    """Requests at once. Batched arithmetic changes greedy answers now and then, so 1 where runs must repeat."""
    speculation: bool = True
    prompt_cache: bool = False
    timeout_seconds: float = 600.0

    def identity(self) -> str:
        """Return the settings that an answer may depend on, for model strings and cache keys."""
        parts = [f"slots={self.parallel}", "lookup" if self.speculation else "plain"]
        return "+".join([*parts, "prefix-cache"] if self.prompt_cache else parts)


class EmbeddedEngine:
    """One loaded model. The file is loaded at the first request; calls beyond `parallel` wait for their turn.

    `complete` raises `dspy.lm15` errors, and `TimeoutError` when a request takes longer than its limit.
    """

    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supported_params = frozenset({"temperature", "max_tokens", "top_p", "top_k", "seed", "stop", "response_format"})

    def __init__(self, path: Path, settings: EmbeddedSettings) -> None:
        self.path = path
        self.settings = settings
        self._server: Any = None
        self._loading = threading.Lock()
        self._turns = threading.Semaphore(settings.parallel)

    def complete(self, request: Request) -> Response:
        """Return the model's answer; a prefill is continued and is not part of the answer."""
        self.load()
        body = _body(request, self.settings)
        on_progress = current_call().on_progress

        def work(cancelled: threading.Event) -> _Answer:
            with self._turns:
                answer = _Answer(cancelled, on_progress)
                if not cancelled.is_set():
                    self._server.handle_chat_completions(body, answer.take)
                return answer

        return run_bounded(work, self.settings.timeout_seconds).response(request)

    def stream(self, request: Request) -> Iterator[Any]:
        """Yield the finished answer as stream events, which DSPy asks for under `streamify`."""
        yield from response_to_events(self.complete(request))

    def load(self) -> float:
        """Return the seconds that loading took; 0.0 when the model was loaded already.

        Raises:
            BackboneUnavailableError: the runtime is not installed, or the file does not load.
        """
        with self._loading:
            if self._server is not None:
                return 0.0
            began = time.monotonic()
            self._server = run_bounded(lambda _cancelled: _start(self.path, self.settings), LOAD_SECONDS)
            return time.monotonic() - began

    def close(self) -> None:
        """Free the model; a later request loads it again."""
        with self._loading, contextlib.ExitStack() as held:
            for _ in range(self.settings.parallel):
                held.enter_context(self._turns)
            self._server = None

    def __deepcopy__(self, memo: dict[int, Any]) -> EmbeddedEngine:
        # DSPy's optimizers copy modules with their engines; a copy must not load the weights again.
        return self


def runtime_version() -> str:
    """Return name and version of the runtime.

    Raises:
        BackboneUnavailableError: it is not installed.
    """
    return f"xllamacpp {_runtime().__version__}"


def _runtime() -> Any:
    try:
        import xllamacpp
    except ImportError as exc:
        raise BackboneUnavailableError(
            f"The embedded engine cannot be used: {exc}",
            hint="Install it with: pip install 'auditcoder[embedded]'   (or choose another --model)",
        ) from exc
    return xllamacpp


def _start(path: Path, settings: EmbeddedSettings) -> Any:
    runtime = _runtime()
    params = runtime.CommonParams()
    params.model.path = str(path)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads or _cpus()
    params.n_parallel = settings.parallel
    params.n_ctx = settings.parallel * settings.context_tokens
    params.n_batch = _BATCH
    params.cache_ram_mib = _HOST_CACHE_MIB if settings.prompt_cache else 0
    # The runtime opens a listener on the loopback interface; without a key any local program could use the model.
    params.api_keys = [secrets.token_hex(16)]
    params.warmup = False
    params.verbosity = 0
    if settings.speculation:
        params.speculative.types = [runtime.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_MAP_K]
        params.speculative.ngram_map_k.size_n = _DRAFT_FROM
        params.speculative.ngram_map_k.size_m = _DRAFT_LENGTH
    try:
        return runtime.Server(params)
    except (RuntimeError, ValueError, OSError) as exc:
        raise BackboneUnavailableError(
            f"{path.name} does not load: {exc}", hint="Is it a GGUF file, and is there memory enough for it?"
        ) from exc


def _cpus() -> int:
    return max(1, len(os.sched_getaffinity(0)))


def _body(request: Request, settings: EmbeddedSettings) -> dict[str, Any]:
    config = request.config
    messages = [{"role": "system", "content": _system(request)}] if request.system else []
    messages += [{"role": message.role, "content": message.text or ""} for message in request.messages]
    body: dict[str, Any] = {
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        "timings_per_token": True,
        "return_progress": True,
        "cache_prompt": settings.prompt_cache,
    }
    for name in ("temperature", "max_tokens", "top_p", "top_k", "seed", "frequency_penalty", "presence_penalty"):
        if (value := getattr(config, name)) is not None:
            body[name] = value
    if config.stop:
        body["stop"] = list(config.stop)
    if config.response_format:
        body["grammar"] = _grammar(config.response_format)
    return body


def _system(request: Request) -> str:
    if isinstance(request.system, str):
        return request.system
    return "\n".join(part.text for part in request.system or () if isinstance(part, TextPart))


def _grammar(response_format: dict[str, Any]) -> str:
    # The runtime's own response_format also admits a code fence and runs of blanks around the object.
    schema = response_format.get("schema", {"type": "object"})
    try:
        return str(_runtime().json_schema_to_grammar(json.dumps(schema)))
    except (RuntimeError, ValueError) as exc:
        raise InvalidRequestError(f"the JSON schema cannot be used as a grammar: {exc}") from exc


class _Answer:
    """Collects the chunks of one answer. `take` is called from native code and must never raise."""

    def __init__(self, cancelled: threading.Event, on_progress: OnProgress | None) -> None:
        self._cancelled = cancelled
        self._on_progress = on_progress
        self._began = time.monotonic()
        self._text: list[str] = []
        self._finish = ""
        self._usage: dict[str, Any] = {}
        self._error: dict[str, Any] = {}
        self._fault: Exception | None = None

    def take(self, chunk: dict[str, Any]) -> bool:
        """Return whether to stop; the runtime prints an exception and goes on, so one is kept for later."""
        try:
            self._collect(chunk)
        except Exception as exc:  # a watcher's error must not be lost in native code
            self._fault = exc
        return self._fault is not None or self._cancelled.is_set()

    def _collect(self, chunk: dict[str, Any]) -> None:
        self._error = chunk.get("error") or self._error
        self._usage = chunk.get("usage") or self._usage
        for choice in chunk.get("choices", ()):
            self._text.append(choice["delta"].get("content") or "")
            self._finish = choice["finish_reason"] or self._finish
        if self._on_progress is not None and (timings := chunk.get("timings")):
            self._on_progress(int(timings["predicted_n"]), time.monotonic() - self._began)

    def response(self, request: Request) -> Response:
        if self._fault is not None:
            raise self._fault
        if self._error:
            raise _engine_error(self._error)
        if not self._finish:
            raise ServerError("the runtime ended without an answer")
        if request.config.response_format:
            _check_json("".join(self._text), cut=self._finish == "length")
        return Response(
            id=f"local-{sha256_text(request_json(request))[:16]}",
            model=request.model,
            message=Message.assistant("".join(self._text).removeprefix(prefill_of(request) or "\0")),
            finish_reason="length" if self._finish == "length" else "stop",
            usage=Usage(
                input_tokens=self._usage.get("prompt_tokens"), output_tokens=self._usage.get("completion_tokens")
            ),
        )


def _check_json(text: str, *, cut: bool) -> None:
    # A schema that does not compile is dropped by the sampler without a word: then the answer is no JSON.
    try:
        if not cut:
            json.loads(text)
        elif not _JSON_BEGINS.match(text):
            raise ValueError(text[:20])
    except ValueError as exc:
        raise InvalidRequestError("the JSON schema was not applied: it does not compile to a grammar") from exc


def _engine_error(error: dict[str, Any]) -> Exception:
    message = str(error.get("message", error))
    if error.get("type") == "exceed_context_size_error":
        return ContextLengthError(message)
    return InvalidRequestError(message) if error.get("code") == 400 else ServerError(message)
