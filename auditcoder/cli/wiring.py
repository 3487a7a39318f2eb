"""The one place where the parts of a run are chosen: ledger, sandbox, evaluator, backbones."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import dspy
from dspy.utils.callback import BaseCallback

from auditcoder.backbones.context import call_context, current_call
from auditcoder.backbones.lm import make_lm, model_facts
from auditcoder.backbones.profiles import Profile, get_profile
from auditcoder.backbones.weights import OnFetch, weights_file
from auditcoder.cli.live.watch import Watcher
from auditcoder.core.protocols import Journal
from auditcoder.errors import AuditCoderError, ConfigError, IsolationTooWeakError
from auditcoder.ledger.journal import FileJournal
from auditcoder.ledger.outputs import write_outputs
from auditcoder.programs.solver import solve_task
from auditcoder.records.config import ROLES, ModelFacts, Role, RunConfig
from auditcoder.records.run import RunRecord
from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator


class Environment(NamedTuple):
    """What holds for every run of one call of the command line."""

    profiles_file: Path | None = None
    """Configuration file with model profiles of the user's own."""
    cache: bool = True
    """Whether answers of earlier runs may be used."""
    weak_isolation: bool = False
    """Whether programs may run where this machine isolates them only weakly."""


def run_task(
    task: Task, config: RunConfig, folder: Path, environment: Environment, watcher: Watcher, *, resume: bool
) -> RunRecord:
    """Return the record of a run, new or gone on with; `record.json` and `program.py` lie in its folder then.

    Raises:
        BackboneError: a backbone cannot be used at all.
        SandboxError: the isolation is too weak, or failed.
        LedgerError: the ledger cannot be written, or a resumed run diverged.
    """
    profiles = role_profiles(config, environment.profiles_file)
    facts: dict[Role, ModelFacts] = {role: model_facts(profile) for role, profile in profiles.items()}
    with ExitStack() as stack:
        executor = stack.enter_context(sandbox(environment))
        journal = stack.enter_context(FileJournal.resume(folder) if resume else FileJournal.create(folder))
        journal.subscribe(watcher.on_event)
        lms = role_lms(profiles, facts, config, environment, journal)
        stack.enter_context(dspy.context(callbacks=[CallWatch(watcher, lms)]))
        stack.enter_context(call_context(on_progress=watcher.on_progress))
        try:
            solve_task(
                task, config, journal=journal, executor=executor, evaluator=MeteredEvaluator(), lms=lms, facts=facts,
            )  # fmt: skip
        except (KeyboardInterrupt, AuditCoderError):
            if journal.ledger.entries:  # what there is so far, program included, is the user's
                write_outputs(folder)
            raise
        for failure in journal.observer_failures[:1]:
            print(f"the progress display failed at event {failure.seq}: {failure.error!r}", file=sys.stderr)
    return write_outputs(folder)


def sandbox(environment: Environment) -> SandboxExecutor:
    """Return the sandbox.

    Raises:
        IsolationTooWeakError: this machine isolates only weakly, and that was not allowed.
    """
    if environment.weak_isolation:
        return SandboxExecutor(minimum_level=0, allow_weak=True)
    try:
        return SandboxExecutor()
    except IsolationTooWeakError as error:
        hint = f"{error.hint}\nSee auditcoder doctor; --allow-weak-isolation runs generated code all the same."
        raise IsolationTooWeakError(error.message, hint=hint, **error.fields) from error


def role_profiles(config: RunConfig, file: Path | None) -> dict[Role, Profile]:
    """Return the profile of every role.

    Raises:
        ConfigError: a name means no profile.
    """
    named = {name: get_profile(name, file) for name in dict.fromkeys(config.profile_of(role) for role in ROLES)}
    return {role: named[config.profile_of(role)] for role in ROLES}


def check_recorded_profiles(folder: Path, config: RunConfig, file: Path | None) -> None:
    """Make sure that the profiles a recorded run was started with are known here.

    Raises:
        ConfigError: one of them is not, as when it stands in a file that was not named again.
    """
    try:
        role_profiles(config, file)
    except ConfigError as error:
        hint = f"The run was started with another configuration: give the --config it was started with.\n{error.hint}"
        raise ConfigError(f"{folder}: {error.message}", hint=hint, **error.fields) from error


def fetch_weights(config: RunConfig, file: Path | None, progress: OnFetch) -> None:
    """Make sure that the weights of every embedded role are on this machine.

    Raises:
        ModelFetchError: no source delivered them.
    """
    for profile in dict.fromkeys(role_profiles(config, file).values()):
        if profile.engine == "embedded":
            weights_file(profile, progress=progress)


def role_lms(
    profiles: Mapping[Role, Profile], facts: Mapping[Role, ModelFacts], config: RunConfig, environment: Environment,
    journal: Journal,
) -> dict[Role, dspy.LM]:  # fmt: skip
    """Return the backbone of every role; a seed is given to those whose sampling has one."""
    return {
        role: make_lm(
            profile, role, effects=journal, cache="default" if environment.cache else None,
            seed=config.seed if profile.sampling.seed is not None else None,
        )
        for role, profile in profiles.items()
    }  # fmt: skip


class CallWatch(BaseCallback):  # type: ignore[misc]
    """Tells the watcher of every call that begins: DSPy's own seam, so nothing below has to know the view."""

    def __init__(self, watcher: Watcher, lms: Mapping[Role, dspy.LM]) -> None:
        self._watcher = watcher
        self._roles = {id(lm): role for role, lm in lms.items()}

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        """Take the start of a call."""
        own = current_call()
        self._watcher.on_call(self._roles.get(id(instance), "model"), own.node, own.agent)
