"""Checks that a model writes itself: asked for, read as hostile text, and made to visible checks of the run.

Nothing of what a model writes is run to read it. A check is kept when it can be parsed, enters the program where the
task says, and has an expected result; what is dropped is noted with the reason. Wrong expected results stay: that is
the method (AgentCoder, section 7.9).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import dspy

from auditcoder.programs.ask import Sampling, ask_fields
from auditcoder.programs.baselines.own_reading import read_check
from auditcoder.programs.baselines.plan_coder import asked_twice
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.render import entry_text, safe, task_text
from auditcoder.records.base import sha256_json
from auditcoder.records.task import Check, Comparator, Task
from auditcoder.signatures.baselines.own_checks import OwnCheck


class Proposed(NamedTuple):
    """A check as a model wrote it, and what it was asked for under."""

    group: str
    label: str
    input: str
    expected: str


def check_form(task: Task) -> str:
    """Return how the input and the expected result of a check are written for a task."""
    name, kind = task.entry.name, task.entry.kind
    if kind == "function":
        return (
            f"input: one call of {name} with Python values, such as {name}(...); for a big input a short expression "
            "such as [1] * 1000 or list(range(1000)) will do\nexpected: the value that the call returns"
        )
    if kind == "class":
        return (
            f"input: Python statements, one a line: obj = {name}(...), then calls of methods of obj\n"
            "expected: the value that the last call returns"
        )
    if kind == "program":
        return "input: the complete text on standard input\nexpected: the complete text on standard output"
    return "none: nothing can be checked in a short text; leave every list empty"


def ask_checks(
    run: MethodRun,
    predictor: dspy.Predict,
    max_tokens: int,
    *,
    agent: str,
    item: str,
    sampling: Sampling | None = None,
    **inputs: str,
) -> list[Proposed]:
    """Return the checks that a model proposes, field by field of its answer; none when no answer can be used (noted).

    Raises:
        BackboneError: the backbone cannot be used at all.
        BudgetSpentError: the run may make no further request.
    """
    task = run.task
    answer = asked_twice(
        run,
        "checks",
        item,
        lambda again: ask_fields(
            predictor,
            max_tokens,
            agent=agent,
            sampling=again,
            task=task_text(task),
            entry=entry_text(task),
            form=check_form(task),
            **inputs,
        ),
        sampling,
    )
    if answer is None:
        return []
    return [Proposed(group, *_texts(check)) for group, check in _answered(answer, predictor)]


def _answered(answer: dspy.Prediction, predictor: dspy.Predict) -> Iterator[tuple[str, OwnCheck]]:
    signature: Any = predictor.signature
    for group in signature.output_fields:
        yield from ((group, check) for check in answer[group])


def _texts(check: OwnCheck) -> tuple[str, str, str]:
    return check.label, check.input, check.expected


def own_checks(
    run: MethodRun, proposed: Iterable[Proposed], prefix: str, *, note: str = "", taken: Sequence[Check] = ()
) -> list[tuple[Check, str]]:
    """Return the proposed checks that can be read, each with where it is from; the others are dropped and noted.

    Args:
        run: The run.
        proposed: What the model wrote.
        prefix: Of the ids, such as `T`; they are then `T1`, `T2`, ...
        note: The suite that the checks belong to, where there are several.
        taken: Checks that are there already: what says the same again is dropped.
    """
    seen = {_saying(check) for check in taken}
    known = {check.id for check in run.task.examples}
    found: list[tuple[Check, str]] = []
    for each in proposed:
        told = safe(f"{each.group}: {each.label}".strip(), 100)
        try:
            read = read_check(run.task, each.input, each.expected)
        except ValueError as error:
            run.note("check-dropped", told, kept=False, detail=str(error))
            continue
        check = Check(
            id=_free_id(prefix, known), origin="internal", input=read.input, expected=read.expected,
            comparator=_comparator(run.task), note=note,
        )  # fmt: skip
        if _saying(check) in seen:
            run.note("check-dropped", told, kept=False, detail="it says the same as another one")
            continue
        seen.add(_saying(check))
        known.add(check.id)
        found.append((check, f"written by the model, {told}"))
    return found


def _comparator(task: Task) -> Comparator:
    """Return how own results are compared: as in the examples, else as the kind of task usually is."""
    if task.examples and task.entry.kind != "class":
        return task.examples[0].comparator.model_copy(update={"any_of": False})
    return Comparator(kind="lines") if task.entry.kind == "program" else Comparator()


def _saying(check: Check) -> str:
    """Return what tells a check from another one: its input and what it expects."""
    return sha256_json([check.input.model_dump(mode="json"), check.expected.model_dump(mode="json")])


def _free_id(prefix: str, known: set[str]) -> str:
    """Return the first id with this prefix that no check has."""
    number = 1
    while f"{prefix}{number}" in known:
        number += 1
    return f"{prefix}{number}"
