"""From a profile to the `dspy.LM` of a role: engine, cache and recorder, stacked."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any, Literal

import dspy

from auditcoder.backbones.caching import AnswerCache, default_cache
from auditcoder.backbones.embedded import EmbeddedEngine, EmbeddedSettings, runtime_version
from auditcoder.backbones.folders import file_sha256
from auditcoder.backbones.keys import key_hider
from auditcoder.backbones.profiles import Profile, get_profile
from auditcoder.backbones.recording import Engine, RecordingEngine
from auditcoder.backbones.remote import remote_engine
from auditcoder.backbones.weights import OnFetch, weights_file
from auditcoder.core.protocols import Journal
from auditcoder.records.config import ModelFacts, Role

# A cut answer is an outcome with its own error and its own mark in the ledger; DSPy would also print each one.
logging.getLogger("dspy.clients.lm").setLevel(logging.ERROR)

_engines: dict[tuple[Path, EmbeddedSettings], EmbeddedEngine] = {}
_engines_lock = threading.Lock()


def make_lm(
    profile: Profile | str,
    role: Role,
    *,
    effects: Journal,
    cache: AnswerCache | Literal["default"] | None = "default",
    seed: int | None = None,
    progress: OnFetch | None = None,
) -> dspy.LM:
    """Return the LM of a role. Roles with one embedded profile share one loaded model.

    Args:
        profile: A profile, or a name that `get_profile` knows.
        role: Part of the key of every call.
        effects: Where the calls are recorded, and replayed from.
        cache: Answers of earlier runs; None asks the model always.
        seed: Overrides the profile's sampling seed.
        progress: Told how far the weights are, when they have to be fetched first.

    Raises:
        BackboneError: the weights, the runtime or the key are missing.
    """
    resolved = get_profile(profile) if isinstance(profile, str) else profile
    inner = inner_engine(resolved, progress=progress)
    facts = model_facts(resolved)
    engine = RecordingEngine(
        inner,
        journal=effects,
        role=role,
        facts=facts,
        supports_schema=resolved.supports_schema,
        supports_prefill=resolved.supports_prefill,
        cache=default_cache() if cache == "default" else cache,
        where=f"{resolved.model} at {resolved.api_base}" if resolved.api_base else "",
        hide=key_hider(resolved),
    )
    return lm_over(engine, resolved, seed=seed)


def lm_over(engine: Any, profile: Profile, *, seed: int | None = None) -> dspy.LM:
    """Return a `dspy.LM` over an engine with the sampling of a profile, without DSPy's own cache and retries.

    DSPy's cache knows neither the weights nor the ledger, and its retries would be calls that nobody counts.
    """
    sampling: dict[str, Any] = profile.sampling.model_dump(exclude_none=True)
    if seed is not None:
        sampling["seed"] = seed
    model = engine.facts.model if hasattr(engine, "facts") else profile.name
    return dspy.LM(model, engine=engine, cache=False, num_retries=0, **sampling)


def inner_engine(profile: Profile, *, progress: OnFetch | None = None) -> Engine:
    """Return the engine that reaches the model of a profile, unrecorded; the embedded ones are shared."""
    if profile.engine == "lm":
        return remote_engine(profile)
    place = (weights_file(profile, progress=progress), embedded_settings(profile))
    with _engines_lock:
        if place not in _engines:
            _engines[place] = EmbeddedEngine(*place)
        return _engines[place]


def close_engines() -> None:
    """Free all embedded models of this process."""
    with _engines_lock:
        engines = list(_engines.values())
        _engines.clear()
    for engine in engines:
        engine.close()


def embedded_settings(profile: Profile) -> EmbeddedSettings:
    """Return the runtime settings that a profile asks for."""
    return EmbeddedSettings(
        context_tokens=profile.context_tokens,
        threads=profile.threads,
        speculation=profile.speculation,
        prompt_cache=profile.prompt_cache,
        timeout_seconds=profile.timeout_seconds,
    )


def model_facts(profile: Profile) -> ModelFacts:
    """Return what identifies the backbone of a profile in a record: hashes and names, no key and no machine path."""
    model, sha256, runtime = _remote_model(profile), "", f"dspy {dspy.__version__}"
    if profile.engine == "embedded":
        path = weights_file(profile)
        sha256 = file_sha256(path)
        runtime = runtime_version()
        model = f"embedded/{path.stem}@{sha256[:12]}+{embedded_settings(profile).identity()}"
    return ModelFacts(
        profile=_public_name(profile),
        model=model,
        sha256=sha256,
        runtime=runtime,
        strength=profile.strength,
        context_tokens=profile.context_tokens,
        price_in=profile.price_in,
        price_out=profile.price_out,
    )


def _remote_model(profile: Profile) -> str:
    # The server is part of what a model is: two of them may serve different weights under one id.
    server = profile.api_base.partition("://")[2]
    return f"{profile.model}@{server}" if server else profile.model


def _public_name(profile: Profile) -> str:
    # A file is named by its last part and its hash: the folder tells about the machine, not about the model.
    return f"gguf:{Path(profile.path).name}" if profile.name.startswith("gguf:") else profile.name
