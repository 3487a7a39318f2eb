"""Planner-derived boundary checks and their admission (paper 3.1; core.md section 2, "Admission").

A wrong expected value turns a right program into a repair target. So a case is admitted in full only when a second,
differently posed call derives the same value; otherwise it is admitted input-only and counts for clean exits alone.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

import dspy

from auditcoder.core.admission import admission_of
from auditcoder.errors import BudgetSpentError, RecordError, UnusableAnswerError
from auditcoder.programs.ask import ask_fields
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import task_text
from auditcoder.programs.session import Session
from auditcoder.records.events import ChecksFrozen
from auditcoder.records.task import (
    Check,
    CheckInput,
    Comparator,
    Expected,
    FunctionInput,
    ProgramInput,
    Task,
    checks_hash,
)
from auditcoder.records.values import encode, render
from auditcoder.signatures.boundary import BoundaryCase, DeriveExpected, ProposeBoundary
from auditcoder.signatures.demos import BOUNDARY, DERIVE

PROPOSE_TOKENS, DERIVE_TOKENS = 260, 200
BOUNDARY_KINDS = ("function", "program")
"""Entry kinds whose inputs a short text can hold."""


class Derived(NamedTuple):
    """A boundary check and how its expected value was derived."""

    check: Check
    derivation: str


class CheckDesigner(TypedModule["tuple[Check, ...]"]):
    """Freezes Q: the examples, then boundary cases."""

    def __init__(self) -> None:
        super().__init__()
        self.propose = dspy.Predict(ProposeBoundary)
        self.derive = dspy.Predict(DeriveExpected)
        self.propose.demos, self.derive.demos = BOUNDARY, DERIVE

    def forward(self, session: Session) -> tuple[Check, ...]:
        """Return the ordered checks Q, frozen and recorded before any code exists."""
        admission = admission_of(session.config, weak=session.weak)
        derived = self._boundary(session.task, session.config.boundary_count, admission)
        checks = (*session.task.examples, *(item.check for item in derived))
        session.checks = checks
        session.journal.emit(
            ChecksFrozen(
                checks=checks,
                hash=checks_hash(checks),
                admission=admission,
                derivations=tuple((item.check.id, item.derivation) for item in derived),
            )
        )
        return checks

    def _boundary(self, task: Task, count: int, admission: str) -> tuple[Derived, ...]:
        if admission == "none" or count == 0 or task.entry.kind not in BOUNDARY_KINDS or not task.examples:
            return ()
        try:
            answer = ask_fields(self.propose, PROPOSE_TOKENS, task=task_text(task), examples=_literal_examples(task))
        except (UnusableAnswerError, BudgetSpentError):
            return ()
        taken = [check.input for check in task.examples]
        derived: list[Derived] = []
        for case in answer.cases:
            given = parse_input(task, case.input)
            if given is None or given in taken or len(derived) == count:
                continue
            taken.append(given)
            derived.append(self._admit(task, f"B{len(derived) + 1}", given, case, admission))
        return tuple(derived)

    def _admit(self, task: Task, check_id: str, given: CheckInput, case: BoundaryCase, admission: str) -> Derived:
        expected = parse_expected(task, case.expected)
        if expected is None:
            return _input_only(task, check_id, given, "the proposed value is not of the form of the examples")
        if admission == "paper":
            return Derived(_check(task, check_id, given, expected), "proposed, not confirmed (policy paper)")
        try:
            answer = ask_fields(
                self.derive,
                DERIVE_TOKENS,
                task=task_text(task),
                examples=_literal_examples(task),
                input=case.input,
            )
        except (UnusableAnswerError, BudgetSpentError) as error:  # Q is frozen with what there is
            return _input_only(task, check_id, given, f"no second derivation: {error.message}"[:160])
        if parse_expected(task, answer.expected) != expected:
            return _input_only(task, check_id, given, "a second derivation gave another value")
        return Derived(_check(task, check_id, given, expected), "confirmed by a second derivation")


def _check(task: Task, check_id: str, given: CheckInput, expected: Expected) -> Check:
    comparator = task.examples[0].comparator if task.examples else Comparator()
    return Check(id=check_id, origin="boundary", input=given, expected=expected, comparator=comparator)


def _input_only(task: Task, check_id: str, given: CheckInput, why: str) -> Derived:
    return Derived(_check(task, check_id, given, Expected()), f"input-only: {why}")


def _literal_examples(task: Task) -> str:
    lines: list[str] = []
    for check in task.examples[:3]:
        if isinstance(check.input, FunctionInput) and check.expected.has_value:
            args = ", ".join(render(arg) for arg in check.input.args)
            lines.append(f"input: {task.entry.name}({args})\noutput: {render(check.expected.value)}")
        elif isinstance(check.input, ProgramInput) and check.expected.stdout is not None:
            lines.append(f"input:\n{check.input.stdin.strip()}\noutput:\n{check.expected.stdout.strip()}")
    return "\n\n".join(lines)


def parse_input(task: Task, text: str) -> CheckInput | None:
    """Return the check input that a proposed text means, or None when it has another form than the examples."""
    if task.entry.kind == "program":
        return ProgramInput(stdin=text.strip("\n") + "\n")
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or call.keywords or ast.unparse(call.func) != task.entry.name:
            return None
        args = tuple(encode(ast.literal_eval(arg)) for arg in call.args)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, RecordError):
        return None
    signature = task.entry.signature
    return None if signature is None or len(args) != len(signature.parameters) else FunctionInput(args=args)


def parse_expected(task: Task, text: str) -> Expected | None:
    """Return the expected value that a proposed text means, or None when it has another form than the examples."""
    if task.entry.kind == "program":
        return Expected(stdout=text.strip("\n") + "\n") if text.strip() else None
    try:
        value = ast.literal_eval(text.strip())
        kinds = {type(check.expected.value) for check in task.examples if check.expected.has_value}
        encoded = encode(value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, RecordError):
        return None
    return Expected(value=encoded, has_value=True) if type(encoded) in kinds else None
