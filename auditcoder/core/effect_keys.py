"""The key of every effect: what a request to a model or to the sandbox is known by (core.md section 7).

A resumed run takes the recorded answer of a key instead of paying again; the audit makes the keys again.
"""

from __future__ import annotations

from auditcoder.records.base import sha256_json, sha256_text
from auditcoder.records.code import Assembly
from auditcoder.records.config import Role
from auditcoder.records.task import EntryPoint, Limits
from auditcoder.records.trace import TracePlan


def model_key(role: Role, model: str, model_hash: str, request: str) -> str:
    """Return the key of a model call: role, identity of the model, canonical request."""
    return sha256_json([role, model, model_hash, request])


def run_key(assembly: Assembly, frozen: str, limits: Limits) -> str:
    """Return the key of a batch run of a program on Q."""
    return _key("run", assembly, frozen, limits)


def confirm_key(assembly: Assembly, frozen: str, limits: Limits) -> str:
    """Return the key of a confirmation run of a program on Q."""
    return _key("confirm", assembly, frozen, limits)


def record_key(assembly: Assembly, check: str, limits: Limits) -> str:
    """Return the key of a recording run of a program on one check."""
    return _key("record", assembly, check, limits)


def measure_key(assembly: Assembly, check: str, limits: Limits) -> str:
    """Return the key of a measurement run of a program on one check."""
    return _key("measure", assembly, check, limits)


def local_checks_key(excerpt: str, node: str, checks_hash: str, limits: Limits) -> str:
    """Return the key of a run of a node's local checks; `excerpt` is the digest of what runs."""
    return sha256_json(["local", excerpt, node, checks_hash, limits.model_dump(mode="json")])


def trace_key(assembly: Assembly, check: str, limits: Limits, plan: TracePlan) -> str:
    """Return the key of a traced run of a program on one check."""
    return sha256_json(["trace", assembly.digest, check, limits.model_dump(mode="json"), plan.model_dump(mode="json")])


def probe_key(program: str, entry: EntryPoint, checks: str, limits: Limits) -> str:
    """Return the key of a run of a program that is no candidate; `checks` is the hash of its checks."""
    return sha256_json(
        ["probe", sha256_text(program), entry.model_dump(mode="json"), checks, limits.model_dump(mode="json")]
    )


def callable_units(assembly: Assembly) -> tuple[str, ...]:
    """Return the functions and methods of a program, whose calls are recorded and whose costs are measured."""
    return tuple(unit.name for unit in assembly.units if unit.kind in ("function", "method"))


def _key(what: str, assembly: Assembly, extra: str, limits: Limits) -> str:
    return sha256_json([what, assembly.digest, extra, limits.model_dump(mode="json")])
