"""V3: every recorded hash and effect key, made again from what it is the hash of."""

from __future__ import annotations

import json
from typing import Any

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.walk import Walk
from auditcoder.core.effect_keys import (
    confirm_key,
    local_checks_key,
    measure_key,
    model_key,
    probe_key,
    record_key,
    run_key,
    trace_key,
)
from auditcoder.core.local_checks import excerpt, executable_checks
from auditcoder.records.base import canonical_json, sha256_text
from auditcoder.records.events import (
    CallsRecorded,
    ChecksFrozen,
    ChecksRun,
    CodeWritten,
    CostsMeasured,
    LocalChecksRun,
    ModelCalled,
    ProgramAssembled,
    ProgramProbed,
    RunStarted,
    TraceRecorded,
)
from auditcoder.records.task import checks_hash

_V = AuditCheck.HASHES
_SAMPLING = ("temperature", "max_tokens", "top_p", "top_k", "seed")


def started(walk: Walk, event: RunStarted) -> None:
    """V3. The configuration has the recorded hash."""
    walk.same(_V, "config_hash", event.config_hash, event.config.content_hash())


def called(walk: Walk, event: ModelCalled) -> None:
    """V3. Request, prompt hash, key, sampling, model and the facts of the answer fit each other."""
    request, response = _plain(event.request), _plain(event.response)
    walk.same(_V, "prompt_hash", event.prompt_hash, sha256_text(event.request))
    walk.same(_V, "key of the call", event.key, model_key(event.role, event.model, event.model_hash, event.request))
    facts = dict(walk.started.models).get(event.role)
    walk.same(_V, "model of the role", event.model, facts.model if facts else None)
    walk.same(_V, "model hash of the role", event.model_hash, facts.sha256 if facts else None)
    walk.same(_V, "canonical request", event.request, canonical_json(request).decode("ascii"))
    walk.same(_V, "sampling", event.sampling, _sampling(request))
    if event.error:
        told = (event.response, event.finish, event.prompt_tokens, event.completion_tokens, event.cached)
        walk.same(_V, "answer of a call that failed", told, ("", "", 0, 0, False))
        return
    walk.same(_V, "canonical response", event.response, canonical_json(response).decode("ascii"))
    usage = response.get("usage") or {}
    walk.same(_V, "finish", event.finish, response.get("finish_reason"))
    walk.same(_V, "prompt_tokens", event.prompt_tokens, usage.get("input_tokens") or 0)
    walk.same(_V, "completion_tokens", event.completion_tokens, usage.get("output_tokens") or 0)


def frozen(walk: Walk, event: ChecksFrozen) -> None:
    """V3. The frozen checks have the recorded hash."""
    walk.same(_V, "hash of Q", event.hash, checks_hash(event.checks))


def written(walk: Walk, event: CodeWritten) -> None:
    """V3. A source has the recorded digest."""
    walk.same(_V, f"digest of {event.code.node}", event.code.digest, sha256_text(event.code.source))


def assembled(walk: Walk, event: ProgramAssembled) -> None:
    """V3. The program and each of its units have the recorded digests."""
    walk.same(_V, "digest of the program", event.assembly.digest, sha256_text(event.assembly.program))
    for unit in event.assembly.units:
        walk.same(_V, f"digest of {unit.name}", unit.digest, sha256_text(unit.text))


def run(walk: Walk, event: ChecksRun) -> None:
    """V3. The key of a run on Q: of the batch the first time, of the confirmation the second time."""
    key = confirm_key if walk.runs.get(event.candidate) else run_key
    assembly, task = walk.candidate(event.candidate).assembly, walk.started.task
    walk.same(_V, "key of the run", event.key, key(assembly, checks_hash(walk.checks), task.limits))


def recorded(walk: Walk, event: CallsRecorded) -> None:
    """V3. The key of a recording run."""
    key = record_key(walk.candidate(event.candidate).assembly, event.recording.check, walk.started.task.limits)
    walk.same(_V, "key of the recording", event.key, key)


def measured(walk: Walk, event: CostsMeasured) -> None:
    """V3. The key of a measurement run."""
    key = measure_key(walk.candidate(event.candidate).assembly, event.measurement.check, walk.started.task.limits)
    walk.same(_V, "key of the measurement", event.key, key)


def local(walk: Walk, event: LocalChecksRun) -> None:
    """V3. The key of a run of local checks."""
    state = walk.state_of(walk.candidate(event.candidate))
    node = state.graph.node(event.node)
    part = excerpt(state.assembly, state.graph, event.node)
    hashed = checks_hash(executable_checks(node, state.assembly))
    key = local_checks_key(part.digest, event.node, hashed, walk.started.task.limits)
    walk.same(_V, "key of the local checks", event.key, key)


def traced(walk: Walk, event: TraceRecorded) -> None:
    """V3. The key of a traced run."""
    assembly = walk.candidate(event.candidate).assembly
    key = trace_key(assembly, event.trace.check, walk.started.task.limits, event.plan)
    walk.same(_V, "key of the trace", event.key, key)


def probed(walk: Walk, event: ProgramProbed) -> None:
    """V3. The key of a run of a program that is no candidate."""
    key = probe_key(event.program, event.entry, checks_hash(event.checks), walk.started.task.limits)
    walk.same(_V, "key of the probe", event.key, key)


def _plain(text: str) -> dict[str, Any]:
    """Return a recorded canonical JSON object; of what is none, an empty one."""
    if not text:
        return {}
    body = json.loads(text)
    return body if isinstance(body, dict) else {}


def _sampling(request: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    config = request.get("config") or {}
    values = {name: config[name] for name in _SAMPLING if config.get(name) is not None}
    if config.get("stop"):
        values["stop"] = json.dumps(list(config["stop"]))
    return tuple((name, str(value)) for name, value in sorted(values.items()))


RULES: tuple[Rule, ...] = (
    rule(_V, RunStarted, started),
    rule(_V, ModelCalled, called),
    rule(_V, ChecksFrozen, frozen),
    rule(_V, CodeWritten, written),
    rule(_V, ProgramAssembled, assembled),
    rule(_V, ChecksRun, run),
    rule(_V, CallsRecorded, recorded),
    rule(_V, CostsMeasured, measured),
    rule(_V, LocalChecksRun, local),
    rule(_V, TraceRecorded, traced),
    rule(_V, ProgramProbed, probed),
)
