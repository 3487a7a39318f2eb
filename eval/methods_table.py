"""Calls, tokens and time of every method on the same tasks: `python -m auditcoder.eval.methods_table --out FOLDER`.

Each run has a ledger in `FOLDER/METHOD/TASK`, so a stopped measurement goes on where it stopped. Only ids and figures
are printed: no text of a task, and no hidden test is read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import dspy

from auditcoder.backbones.lm import make_lm, model_facts
from auditcoder.backbones.profiles import get_profile
from auditcoder.errors import (
    AuditCoderError,
    BackboneAuthError,
    BackboneUnavailableError,
    ConfigError,
    IsolationTooWeakError,
)
from auditcoder.eval.selection import choose
from auditcoder.eval.suites.reference import is_reference, resolve
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.ledger.journal import FileJournal
from auditcoder.ledger.method_result import method_result
from auditcoder.ledger.outputs import load_ledger, write_outputs
from auditcoder.programs.methods import METHODS
from auditcoder.programs.solver import solve_task
from auditcoder.programs.variants import VARIANTS, preset
from auditcoder.records.config import ROLES, Method, Role, RunConfig
from auditcoder.records.method import MethodResult
from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator
from auditcoder.tasks.loader import load_task, load_tasks

SEED, COUNT = 20261207, 10
OWN = Path("examples")
SYSTEMIC = (BackboneUnavailableError, BackboneAuthError, IsolationTooWeakError)
"""What the next run would meet too: the measurement stops, and goes on when it is started again."""


class Measured(NamedTuple):
    """One run: the figures of the table, and nothing of the task but its id."""

    method: str
    """Or the variant."""
    task: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    """Of the model calls."""
    candidates: int
    feedback_rounds: int
    triggered_retries: int
    solved: bool
    """The final program passes every visible check of the task, run once more, and there are some: what a method runs
    may be other checks, such as its own.
    """
    error: str = ""
    """Code of the error that ended the run; its calls count all the same."""


def fixed_tasks(names: Sequence[str], data: str | None) -> tuple[Task, ...]:
    """Return the named tasks; without names, ten of HumanEval chosen by a fixed seed, or the example tasks.

    Raises:
        TaskError: something that is named is no task, or the data is absent.
    """
    if not names and data:
        names = [f"humaneval:{','.join(map(str, choose('humaneval', COUNT, SEED, data)))}"]
    found: list[Task] = []
    for name in names or [str(OWN)]:
        path = Path(name)
        if is_reference(name):
            found += resolve(name, data)
        else:
            found += load_tasks(path) if path.is_dir() else [load_task(path)]
    return tuple(found)


def known_methods(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the wanted methods that are registered, and the wanted variants, in the order of the registries.

    Without any wanted these are AuditCoder and all methods: a variant is measured when it is named.

    Raises:
        ConfigError: a name is neither.
    """
    every: dict[str, None] = dict.fromkeys((*get_args(Method), *VARIANTS))
    for name in wanted:
        if name not in every:
            hint = f"Methods and variants: {', '.join(every)}."
            raise ConfigError(f"{name!r} is no method and no variant", hint=hint, field="method")
    chosen = [name for name in every if name in (wanted or get_args(Method))]
    return tuple(name for name in chosen if name in VARIANTS or name in METHODS)


def config_of(name: str, given: argparse.Namespace) -> RunConfig:
    """Return the configuration of a method or variant under the protocol that is asked for.

    A variant without repair keeps a budget of none.
    """
    protocol = {
        "model": given.model, "k": given.k, "adaptive": given.adaptive, "max_calls": given.max_calls,
        "max_tokens": given.max_tokens,
    }  # fmt: skip
    own = preset(name) if name in VARIANTS else {"method": name}
    return RunConfig.model_validate({**protocol, **own})


def measure(name: str, task: Task, config: RunConfig, folder: Path, executor: SandboxExecutor) -> Measured:
    """Return the figures of one run: read when it is finished, gone on with when it was stopped, else made.

    Args:
        name: Of the method or variant.
        task: What is solved.
        config: The variant's, or the method's.
        folder: Where its ledger is, or will be.
        executor: Runs its programs.

    Raises:
        ConfigError: the folder holds a run of another task or configuration.
        BackboneError: a backbone cannot be used at all.
        SandboxError: the isolation failed.
    """
    started = (folder / LEDGER_NAME).is_file() and (folder / LEDGER_NAME).stat().st_size > 0
    if started:
        result = _read(folder, task, config)
        if result.reason:
            return _row(name, task, result, executor)
    else:
        (folder / LEDGER_NAME).unlink(missing_ok=True)  # made, but stopped before its first event
    profile = get_profile(config.model)
    facts = model_facts(profile)
    with FileJournal.resume(folder) if started else FileJournal.create(folder) as journal:
        seed = config.seed if profile.sampling.seed is not None else None
        lms: dict[Role, dspy.LM] = {
            role: make_lm(profile, role, effects=journal, cache=None, seed=seed) for role in ROLES
        }
        error = ""
        try:
            solve_task(
                task, config, journal=journal, executor=executor, evaluator=MeteredEvaluator(), lms=lms,
                facts=dict.fromkeys(ROLES, facts),
            )  # fmt: skip
        except SYSTEMIC:
            raise
        except AuditCoderError as failure:
            error = failure.code
        if not journal.ledger.entries:
            return _row(name, task, MethodResult(method=config.method), executor, error)
    write_outputs(folder)
    return _row(name, task, _read(folder, task, config), executor, error)


def _read(folder: Path, task: Task, config: RunConfig) -> MethodResult:
    events = load_ledger(folder).events
    started = events[0]
    if (getattr(started, "task", None), getattr(started, "config", None)) != (task, config):
        raise ConfigError(
            f"{folder.name}: the run there is of another task or configuration", hint="Use another --out."
        )
    return method_result(events)


def _row(name: str, task: Task, result: MethodResult, executor: SandboxExecutor, error: str = "") -> Measured:
    total = result.total
    solved = result.final is not None and _passes(result.final.program, task, executor)
    return Measured(
        name, task.id, total.calls, total.prompt_tokens, total.completion_tokens, round(total.seconds, 2),
        len(result.candidates), result.feedback_rounds, result.triggered_retries, solved, error,
    )  # fmt: skip


def _passes(program: str, task: Task, executor: SandboxExecutor) -> bool:
    if not task.examples:
        return False
    report = executor.run(program, task.entry, task.examples, task.limits)
    return all(result.outcome == "pass" for result in report.results)


def table(rows: Sequence[Measured]) -> str:
    """Return the figures of each method over its tasks as a Markdown table, one line a method."""
    lines = [
        "| method | tasks | calls | prompt tokens | completion tokens | model seconds | feedback rounds "
        "| triggered retries | solved visible | failed |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for method in dict.fromkeys(row.method for row in rows):
        own = [row for row in rows if row.method == method]
        cells: list[Any] = [method, len(own)]
        cells += [sum(row.calls for row in own), sum(row.prompt_tokens for row in own)]
        cells += [sum(row.completion_tokens for row in own), f"{sum(row.seconds for row in own):.1f}"]
        cells += [sum(row.feedback_rounds for row in own), sum(row.triggered_retries for row in own)]
        cells += [sum(row.solved for row in own), sum(bool(row.error) for row in own)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def measured(given: argparse.Namespace) -> Iterator[Measured]:
    """Yield the figures of every run, method by method."""
    tasks = fixed_tasks(given.task or (), given.data)
    with SandboxExecutor() as executor:
        for method in known_methods(given.method or ()):
            config = config_of(method, given)
            for task in tasks:
                yield measure(method, task, config, given.out / method / task.id, executor)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return the exit status: 0, or the error's."""
    parser = argparse.ArgumentParser(prog="python -m auditcoder.eval.methods_table", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the ledgers")
    parser.add_argument("--model", default="embedded-small", help="profile of every role")
    parser.add_argument("--method", action="append", help="only this method or variant; may be repeated")
    parser.add_argument("--task", action="append", help="a task file, a folder or a reference; may be repeated")
    parser.add_argument("--data", default=os.environ.get("AUDITCODER_DATA"), help="folder with the benchmark packs")
    parser.add_argument("--k", type=int, default=1)
    parser.add_argument("--adaptive", action="store_true")
    parser.add_argument("--max-calls", type=int, default=None)
    parser.add_argument("--max-tokens", type=int, default=None)
    parser.add_argument("--json", action="store_true", help="every run, instead of the table")
    given = parser.parse_args(arguments)
    rows: list[Measured] = []
    try:
        for row in measured(given):
            rows.append(row)
            told = f"{row.calls} calls, {row.seconds:.1f} s" + (f", {row.error}" if row.error else "")
            sys.stderr.write(f"{row.method} {row.task}: {told}\n")
            sys.stderr.flush()
    except AuditCoderError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(json.dumps([row._asdict() for row in rows], indent=2) + "\n" if given.json else table(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
