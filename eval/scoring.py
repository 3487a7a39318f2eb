"""Finished runs scored by hidden tests, beside one direct call on the same task and model.

`python -m auditcoder.eval.scoring RUNS --direct embedded`: one row a run. Rows hold ids and figures, no statements.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import dspy

from auditcoder.backbones.lm import make_lm
from auditcoder.core.protocols import Executor
from auditcoder.errors import UnusableAnswerError
from auditcoder.eval.hidden import hidden_tests, judge
from auditcoder.ledger.chain import LEDGER_NAME, read_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.outputs import load_run
from auditcoder.programs.ask import ask_code
from auditcoder.programs.node_generator import PROGRAM_TOKENS
from auditcoder.programs.render import entry_text, task_text
from auditcoder.records.base import Record
from auditcoder.records.events import Event, ModelCalled, ProgramAssembled
from auditcoder.records.graph import ROOT
from auditcoder.records.run import RunRecord
from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.signatures.node_generator import WriteProgram


class DirectAnswer(NamedTuple):
    """The program of one plain call, as the model wrote it, and the (prompt, completion) tokens that it cost."""

    program: str
    tokens: tuple[int, int]


class Row(Record):
    """One run."""

    task: str
    visible: int
    """Visible examples that the final program passes."""
    examples: int
    full_pass: bool
    first_hidden: bool
    """Whether the first candidate passes all hidden tests."""
    final_hidden: bool
    direct_hidden: bool | None = None
    """Whether the program of one direct call does; None when none was asked for."""
    nodes: tuple[int, ...]
    """Nodes of the plan of each attempt."""
    granularity: str
    """Of the active program's attempt."""
    accepted: int = 0
    rolled_back: int = 0
    abstained: int = 0
    refused: int = 0
    """Answers that could not be used as code."""
    boundary: int = 0
    confirmed: int = 0
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    direct_tokens: tuple[int, int] = (0, 0)


def score(folder: Path, executor: Executor, direct: str = "") -> Row:
    """Return the row of one run.

    Raises:
        LedgerError: the run's ledger is broken.
        TaskError: the task is of no suite.
    """
    record, events = load_run(folder), read_ledger(folder / LEDGER_NAME).events
    task, hidden = record.task, hidden_tests(record.task)
    first = next(event.assembly.program for event in events if isinstance(event, ProgramAssembled))
    final = record.assembly.program if record.assembly else first
    decisions = [transaction.decision for transaction in record.transactions]
    total = next(usage for usage in record.usage if usage.role == "total")
    answer = direct_call(task, direct) if direct else None
    return Row(
        task=task.id,
        visible=record.rank.external if record.rank else 0,
        examples=len(task.examples),
        full_pass=bool(record.rank and record.rank.full_pass),
        first_hidden=judge(first, task, hidden, executor).passed,
        final_hidden=judge(final, task, hidden, executor).passed,
        direct_hidden=None if answer is None else judge(answer.program, task, hidden, executor).passed,
        nodes=tuple(attempt.nodes for attempt in record.attempts),
        granularity=_active_granularity(record),
        accepted=decisions.count("accepted"),
        rolled_back=decisions.count("rolled-back") + decisions.count("rejected-at-border"),
        abstained=decisions.count("abstained"),
        refused=sum(event.kind == "code.rejected" for event in events),
        boundary=sum(check.origin == "boundary" for check in record.checks),
        confirmed=sum(check.origin == "boundary" and not check.expected.input_only for check in record.checks),
        calls=total.calls,
        prompt_tokens=total.prompt_tokens,
        completion_tokens=total.completion_tokens,
        seconds=round(_seconds(events), 1),
        direct_tokens=answer.tokens if answer else (0, 0),
    )


def direct_call(task: Task, profile: str) -> DirectAnswer:
    """Return the program of one greedy call with the task as its prompt: no plan, no prefill, no repair.

    Raises:
        BackboneError: the backbone cannot be used.
    """
    journal = MemoryJournal()
    predictor = dspy.Predict(WriteProgram)
    predictor.set_lm(make_lm(profile, "generator", effects=journal))
    try:
        code = ask_code(
            predictor,
            PROGRAM_TOKENS,
            node=ROOT,
            wanted=task.entry.name,
            task=task_text(task),
            entry=entry_text(task),
        )
    except UnusableAnswerError:
        code = ""
    calls = [event for event in journal.events if isinstance(event, ModelCalled)]
    tokens = (sum(call.prompt_tokens for call in calls), sum(call.completion_tokens for call in calls))
    return DirectAnswer(f"{task.prelude}\n{code}", tokens)


def _active_granularity(record: RunRecord) -> str:
    for attempt in reversed(record.attempts):
        if record.graph is not None and attempt.nodes == len(record.graph.nodes):
            return attempt.granularity
    return ""


def _seconds(events: Sequence[Event]) -> float:
    return sum(event.seconds for event in events if isinstance(event, ModelCalled))


def table(rows: Sequence[Row]) -> str:
    """Return the rows and their sums as a Markdown table."""
    head = "task | visible | hidden: first, final, direct | nodes | repairs acc/back/abst | calls | tokens in+out | s"
    lines = [f"| {head} |", "| " + " | ".join("---" for _ in head.split(" | ")) + " |"]
    lines += [
        f"| {row.task} | {row.visible}/{row.examples} | {_mark(row.first_hidden)} {_mark(row.final_hidden)} "
        f"{_mark(row.direct_hidden)} | {'+'.join(map(str, row.nodes))} "
        f"| {row.accepted}/{row.rolled_back}/{row.abstained} | {row.calls} "
        f"| {row.prompt_tokens}+{row.completion_tokens} | {row.seconds:.0f} |"
        for row in rows
    ]
    passed = [
        sum(bool(getattr(row, name)) for row in rows) for name in ("first_hidden", "final_hidden", "direct_hidden")
    ]
    lines.append(
        f"| all {len(rows)} | {sum(row.full_pass for row in rows)} full | {passed[0]} {passed[1]} {passed[2]} | "
        f"| {sum(r.accepted for r in rows)}/{sum(r.rolled_back for r in rows)}/{sum(r.abstained for r in rows)} "
        f"| {sum(row.calls for row in rows)} "
        f"| {sum(row.prompt_tokens for row in rows)}+{sum(row.completion_tokens for row in rows)} "
        f"| {sum(row.seconds for row in rows):.0f} |"
    )
    return "\n".join(lines) + "\n"


def _mark(passed: bool | None) -> str:
    return "-" if passed is None else "pass" if passed else "fail"


def main(arguments: list[str] | None = None) -> None:
    """Score all runs in a folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--direct", default="", help="profile of the direct call; none is made without it")
    parser.add_argument("--json", type=Path, default=None, help="file for the rows")
    given = parser.parse_args(arguments)
    with SandboxExecutor() as executor:
        folders = sorted(path.parent for path in given.runs.glob(f"*/{LEDGER_NAME}"))
        rows = [score(folder, executor, given.direct) for folder in folders]
    if given.json is not None:
        dumped = [row.model_dump(mode="json") for row in rows]
        given.json.write_text(json.dumps(dumped, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(table(rows))


if __name__ == "__main__":
    main()
