"""One run of a study: made, gone on with, or found finished."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import dspy

from auditcoder.backbones.lm import make_lm, model_facts
from auditcoder.backbones.profiles import Profile, get_profile
from auditcoder.core.protocols import Executor
from auditcoder.errors import (
    AuditCoderError,
    BackboneAuthError,
    BackboneUnavailableError,
    ConfigError,
    IsolationTooWeakError,
)
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.ledger.journal import FileJournal
from auditcoder.ledger.outputs import load_ledger, write_outputs
from auditcoder.programs.solver import solve_task
from auditcoder.records.config import ROLES, Role, RunConfig
from auditcoder.records.events import RunFinished, RunStarted
from auditcoder.records.task import Task
from auditcoder.sandbox.predicates import MeteredEvaluator

SYSTEMIC = (BackboneUnavailableError, BackboneAuthError, IsolationTooWeakError)
"""What the next run would meet too: a study stops, and goes on when it is started again."""


class Attempt(NamedTuple):
    """What came of a run."""

    state: Literal["finished", "failed"]
    made: bool
    """Whether it ran now; False: it was finished before."""
    error: str = ""
    """Code of the error that ended it; the calls in its ledger count all the same."""


def shared_profile(model: str, threads: int) -> Profile:
    """Return the profile of a backbone; an embedded one takes so many threads, since other workers need the rest.

    Raises:
        ConfigError: nothing is meant by that name.
    """
    profile = get_profile(model)
    return profile.model_copy(update={"threads": threads}) if threads and not profile.threads else profile


def attempt(task: Task, config: RunConfig, folder: Path, executor: Executor, profile: Profile) -> Attempt:
    """Return what came of a run whose ledger is in a folder.

    Raises:
        ConfigError: the folder holds a run of another task or configuration.
        BackboneError: a backbone cannot be used at all.
        SandboxError: the isolation failed.
    """
    started = is_begun(folder)
    if started and is_finished(folder, task, config):
        return Attempt("finished", made=False)
    if not started:
        (folder / LEDGER_NAME).unlink(missing_ok=True)  # made, but stopped before its first event
    error = ""
    facts = model_facts(profile)
    with FileJournal.resume(folder) if started else FileJournal.create(folder) as journal:
        seed = config.seed if profile.sampling.seed is not None else None
        lms: dict[Role, dspy.LM] = {
            role: make_lm(profile, role, effects=journal, cache=None, seed=seed) for role in ROLES
        }
        try:
            solve_task(
                task, config, journal=journal, executor=executor, evaluator=MeteredEvaluator(), lms=lms,
                facts=dict.fromkeys(ROLES, facts),
            )  # fmt: skip
        except SYSTEMIC:
            raise
        except AuditCoderError as failure:
            error = failure.code
        empty = not journal.ledger.entries
    if not empty:
        write_outputs(folder)
    return Attempt("failed" if error else "finished", made=True, error=error)


def is_begun(folder: Path) -> bool:
    """Return whether a ledger is there with something in it."""
    path = folder / LEDGER_NAME
    return path.is_file() and path.stat().st_size > 0


def is_finished(folder: Path, task: Task, config: RunConfig) -> bool:
    """Return whether the run in a folder came to its end.

    Raises:
        ConfigError: it is a run of another task or configuration.
        LedgerError: its ledger is broken.
    """
    events = load_ledger(folder).events
    first = events[0]
    if not isinstance(first, RunStarted) or (first.task, first.config) != (task, config):
        raise ConfigError(
            f"{folder.name}: the run there is of another task or configuration", hint="Use another --out."
        )
    return isinstance(events[-1], RunFinished)
