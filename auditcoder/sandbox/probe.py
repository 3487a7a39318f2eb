"""What isolation this machine gives: found by doing, once per process, and reported as observed."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import NamedTuple

from auditcoder.errors import HarnessError, SandboxError
from auditcoder.records.execution import IsolationReport
from auditcoder.sandbox.child_run import WorkerLostError
from auditcoder.sandbox.rungs import Rung, ladder
from auditcoder.sandbox.self_check import FORBIDDEN, Observation, observe
from auditcoder.sandbox.worker_process import WorkerProcess

_HOW = {
    "namespaces": (
        "namespaces: allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
        "user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_userns=0), or, in a container, a "
        "seccomp profile that lets unshare and mount through"
    ),
    "landlock": (
        "Landlock: Linux 5.13 or newer with landlock in the list of security modules (boot parameter lsm=), or, in a "
        "container, a seccomp profile that lets the landlock calls through"
    ),
    "seccomp": "seccomp: a kernel with CONFIG_SECCOMP_FILTER on x86_64 or aarch64",
    "uid": "another uid: run as root, or gain namespaces or Landlock",
}
_PRELOAD = ("ctypes", "resource", "signal", "socket", "tempfile", "threading")
_QUOTA = "exceed the folder quota"


class Probed(NamedTuple):
    """A rung that held, and the report on it."""

    rung: Rung
    report: IsolationReport


def probe() -> IsolationReport:
    """Return what isolation this machine was observed to give to the current user."""
    return probe_rung().report


@lru_cache(maxsize=1)
def probe_rung() -> Probed:
    """Return the best rung that works and holds; the answer is kept for the life of the process.

    Raises:
        SandboxError: not even the lowest rung works.
    """
    reasons: list[str] = []
    for rung in ladder():
        try:
            return examine(rung, tuple(reasons))
        except HarnessError as error:
            reasons.append(f"{rung.name} (level {rung.level}): {error.message}")
    raise SandboxError("no worker can be started on this machine", hint="; ".join(reasons))


def examine(rung: Rung, reasons: tuple[str, ...] = ()) -> Probed:
    """Return a rung with its report, when a worker starts on it and the self-test confirms what it claims.

    Raises:
        HarnessError: it does not start, ordinary acts fail, or a forbidden act succeeds that this level rules out.
    """
    with WorkerProcess(rung, _PRELOAD) as worker:
        try:
            seen = observe(worker)
        except WorkerLostError as error:
            raise HarnessError(f"the self-test broke: {error}") from error
        facts = worker.facts
    proc = bool(facts["proc"])
    _refuse_false_claims(rung, seen)
    report = IsolationReport(
        level=rung.level,
        rung=rung.name,
        namespaces=_namespaces(rung),
        seccomp=rung.seccomp,
        landlock_abi=int(facts["abi"]),
        uid={"uid": "other uid", "caps": "no capabilities", "none": "own uid"}[rung.drop],
        proc=proc,
        quota=_QUOTA not in seen.broken,
        missing=_missing(rung, seen, proc, reasons),
    )
    return Probed(rung, report)


def _refuse_false_claims(rung: Rung, seen: Observation) -> None:
    tolerated: frozenset[str] = frozenset()
    if rung.level == 0:
        tolerated = frozenset(FORBIDDEN)
    elif rung.level == 1:
        tolerated = frozenset({_QUOTA, "read a host file"})
    elif rung.level == 2:
        tolerated = frozenset({_QUOTA})
    broken = [act for act in seen.broken if act not in tolerated]
    if broken or seen.unusable:
        told = [f"a program could {act}" for act in broken] + [f"a program could not {act}" for act in seen.unusable]
        raise HarnessError("; ".join(told))


def _namespaces(rung: Rung) -> str:
    if not rung.namespaces:
        return ""
    return "mount, pid, net, ipc, uts" + ("" if os.geteuid() == 0 else ", user")


def _missing(rung: Rung, seen: Observation, proc: bool, reasons: tuple[str, ...]) -> tuple[str, ...]:
    missing = []
    if not rung.namespaces:
        missing.append(_HOW["namespaces"])
    if not rung.landlock:
        missing.append(_HOW["landlock"])
    if not rung.seccomp:
        missing.append(_HOW["seccomp"])
    if rung.drop == "none":
        missing.append(_HOW["uid"])
    if not proc:
        missing.append("/proc: a container that lets a new proc file system be mounted")
    missing += [f"not held: programs can {act}" for act in seen.broken]
    return (*missing, *reasons)
