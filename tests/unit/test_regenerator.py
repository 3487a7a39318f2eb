from __future__ import annotations

import pytest

from auditcoder.core.fenced import LEAD, without_lead
from auditcoder.core.plan import single_owner_graph
from auditcoder.programs.regenerator import lead_of
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task

SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
FUNCTION = Task(id="f", statement="Sum.", entry=EntryPoint(kind="function", name="total", signature=SIGNATURE))
PROGRAM = Task(id="p", statement="Sum.", entry=EntryPoint(kind="program"))
CLASS = Task(id="c", statement="A box.", entry=EntryPoint(kind="class", name="Box", methods=(SIGNATURE,)))


@pytest.mark.parametrize(
    ("task", "lead"),
    [
        (FUNCTION, f"def total(items: list[int]) -> int:\n    {LEAD}"),
        (PROGRAM, ""),
        (CLASS, f"class Box:\n    {LEAD}"),
    ],
    ids=["function", "program", "class"],
)
def test_the_answer_begins_with_the_definition_and_the_fault(task: Task, lead: str) -> None:
    assert lead_of(task, single_owner_graph(task).node("S0")) == lead


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        (f"def f():\n    {LEAD} it was.\n    # Really.\n    return 1\n", "def f():\n    return 1\n"),
        (f"{LEAD} it was.\nimport sys\n", "import sys\n"),
        ("def f():\n    # count them\n    return 1\n", "def f():\n    # count them\n    return 1\n"),
        (f"{LEAD}", ""),
        ("", ""),
    ],
    ids=["inside", "before", "other-comments-stay", "nothing-else", "empty"],
)
def test_the_comment_on_the_old_code_does_not_stay_in_the_new(code: str, kept: str) -> None:
    assert without_lead(code) == kept
