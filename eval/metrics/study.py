"""The rows of a study: every run of its frozen list, scored by hidden tests once and for all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from auditcoder.core.protocols import Executor
from auditcoder.errors import RecordError
from auditcoder.eval.hidden import HiddenTests, hidden_tests
from auditcoder.eval.lab.attempt import is_begun
from auditcoder.eval.lab.grid import Cell as Place
from auditcoder.eval.lab.grid import load_grid
from auditcoder.eval.lab.loop import LOG
from auditcoder.eval.lab.protocols import protocol_name
from auditcoder.eval.lab.work import single_task
from auditcoder.eval.metrics.measuring import missing_row, needed_programs, row_of
from auditcoder.eval.metrics.row import Cell, RunRow, TaskFacts
from auditcoder.eval.metrics.spending import wall_seconds
from auditcoder.eval.metrics.verdicts import Verdict, judged
from auditcoder.ledger.outputs import load_ledger
from auditcoder.records.base import Record, sha256_json
from auditcoder.records.events import Event
from auditcoder.records.task import Task

VERDICTS = "verdicts.jsonl"
Facts = Callable[[Task], TaskFacts]


class KeptVerdict(Record):
    """A line of the verdicts file: a program is judged again only when the tests or the task change."""

    task: str
    tests: str
    """SHA-256 of the hidden tests and the visible checks; it tells nothing about either."""
    verdict: Verdict


class Scored(NamedTuple):
    """The rows of a study, with what its audit needs."""

    row: RunRow
    folder: Path
    verdicts: Mapping[str, Verdict]


def scored_runs(out: Path, executor: Executor, facts: Facts, data: str = "") -> Iterator[Scored]:
    """Yield every run of the frozen list of a study, in its order; verdicts are kept in the study's folder.

    Args:
        out: Folder of the study.
        executor: Runs programs on hidden tests.
        facts: Says what kind of task a task is.
        data: Folder with the benchmark packs; where the environment says without it.

    Raises:
        ConfigError: there is no study.
        TaskError: a task is of no suite, or the data is absent.
        LedgerError: a ledger is broken.
        SandboxError: the isolation failed.
    """
    kept, errors = VerdictFile(out / VERDICTS), last_errors(out)
    for place in load_grid(out).cells():
        task = single_task(place.task, data)
        known, folder = facts(task), out / place.place
        cell = Cell(place.method, place.model, known.suite, protocol_name(place.protocol))
        error = errors.get(place, "")
        if not is_begun(folder):
            yield Scored(missing_row(cell, place.seed, known, error=error), folder, {})
            continue
        ledger = load_ledger(folder)
        verdicts = kept.judged(task, hidden_tests(task, data or None), ledger.events, executor)
        row = row_of(
            cell, place.seed, known, ledger.events, verdicts, error=error, wall_seconds=wall_seconds(ledger)
        )  # fmt: skip
        yield Scored(row, folder, verdicts)


def last_errors(out: Path) -> dict[Place, str]:
    """Return the code of the last error of each run, from the log of a study; an ended run's is of the past.

    Raises:
        RecordError: the log is damaged.
    """
    path = out / LOG
    found: dict[Place, str] = {}
    for number, line in enumerate(path.read_bytes().splitlines() if path.is_file() else (), start=1):
        try:
            told = json.loads(line)
            place = Place(*(told[name] for name in Place._fields))
            found[place] = "worker-lost" if told["what"] == "lost" else str(told["what"])
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path}: line {number} is no entry of a study's log") from error
    return found


class VerdictFile:
    """Verdicts in a file to which lines are appended; a line that was cut off is judged again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[tuple[str, str], dict[str, Verdict]] = {}
        data = path.read_bytes() if path.is_file() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            path.write_bytes(whole)
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                one = KeptVerdict.model_validate_json(line)
            except ValidationError as error:
                raise RecordError(f"{path}: line {number} is no verdict", hint="Delete the file: all is judged again.") from error  # fmt: skip  # noqa: E501
            self._kept.setdefault((one.task, one.tests), {})[one.verdict.program] = one.verdict

    def judged(
        self, task: Task, hidden: HiddenTests, events: Sequence[Event], executor: Executor
    ) -> dict[str, Verdict]:
        """Return the verdict of every program of a run, those that are new made now and kept.

        Raises:
            TaskError: the tests are those of another task.
            SandboxError: the isolation failed.
        """
        tests = _fingerprint(task, hidden)
        known = self._kept.setdefault((task.id, tests), {})
        programs = needed_programs(events)
        fresh = judged([made for made in programs if made.digest not in known], task, hidden, executor)
        lines = [KeptVerdict(task=task.id, tests=tests, verdict=each) for each in fresh.values() if not each.fault]
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(f"{line.model_dump_json()}\n" for line in lines)
        known.update({line.verdict.program: line.verdict for line in lines})
        every = known | fresh
        return {made.digest: every[made.digest] for made in programs}


def _fingerprint(task: Task, hidden: HiddenTests) -> str:
    """Return a hash of all that decides a verdict besides the program."""
    checks = [check.model_dump(mode="json") for check in (*task.examples, *hidden.checks)]
    rest = [one and one.model_dump(mode="json") for one in (hidden.entry, hidden.limits, hidden.given)]
    return sha256_json([checks, rest, hidden.grader, hidden.several_answers])
