"""One program per construct and the text that its trace makes of it; the texts were checked by hand."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from auditcoder.core.annotate import annotated
from auditcoder.records.task import Check, Comparator, EntryPoint, Expected, FunctionInput, Limits, ProgramInput
from auditcoder.records.trace import TracePlan
from auditcoder.records.values import encode
from auditcoder.sandbox.executor import SandboxExecutor

FOLDER = Path(__file__).parents[1] / "golden" / "trace"
PROGRAMS = sorted(FOLDER.glob("*.py"))
LIMITS = Limits(cpu_seconds=4)


def check_of(program: str) -> tuple[EntryPoint, Check]:
    """Return the check in the first line: a call or a standard input, and what comes of it."""
    test = ast.parse(program.partition("\n")[0].removeprefix("# "), mode="eval").body
    assert isinstance(test, ast.Compare)
    expected = ast.literal_eval(test.comparators[0])
    if isinstance(test.left, ast.Constant) and isinstance(test.left.value, str):
        given = ProgramInput(stdin=test.left.value)
        wanted = Expected(stdout=expected)
        return EntryPoint(kind="program"), Check(
            id="c", input=given, expected=wanted, comparator=Comparator(kind="lines")
        )
    assert isinstance(test.left, ast.Call)
    arguments = tuple(encode(ast.literal_eval(argument)) for argument in test.left.args)
    value = Expected(value=encode(expected), has_value=True)
    return EntryPoint(kind="function", name=ast.unparse(test.left.func)), Check(
        id="c", input=FunctionInput(args=arguments), expected=value
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_annotated_program(executor: SandboxExecutor, path: Path) -> None:
    program = path.read_text(encoding="utf-8")
    entry, check = check_of(program)
    outcome = executor.run(program, entry, [check], LIMITS).results[0]
    assert outcome.outcome == ("runtime-error" if path.stem == "uncaught" else "pass"), outcome
    trace = executor.trace(program, entry, check, LIMITS, TracePlan())
    assert trace.reason == ""
    assert annotated(program, trace) == path.with_suffix(".txt").read_text(encoding="utf-8")
    assert executor.trace(program, entry, check, LIMITS, TracePlan()) == trace
