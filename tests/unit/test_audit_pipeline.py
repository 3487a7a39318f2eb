"""Runs that the pipeline just made verify, whatever path they took, and at every event on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.verify import verify_ledger
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [], 0)),
)
RIGHT = "def total(items):\n    return sum(i for i in items if i > 0)"
WRONG = "def total(items):\n    return sum(items)"
CRASH = "def total(items):\n    return items[0] + sum(i for i in items[1:] if i > 0)"
OTHER = "import math\n\n\ndef total(items):\n    return math.prod(items)"
PATHS = {
    "right at once": (RIGHT, RIGHT, {}),
    "a crash, repaired": (CRASH, RIGHT, {}),
    "a worse repair, rolled back": (WRONG, OTHER, {}),
    "the same code again": (WRONG, WRONG, {}),
    "no code at all": ("nothing", "nothing", {}),
    "two rounds": (WRONG, OTHER, {"k": 2}),
    "adaptive": (WRONG, OTHER, {"adaptive": True}),
    "the strict gate": ("import os\n\n\n" + WRONG, RIGHT, {"gate": "strict"}),
    "the gate is off": (WRONG, RIGHT, {"gate": "off"}),
    "the paper's policy": (CRASH, RIGHT, {"locate": "paper", "verify": "never"}),
}


@pytest.mark.parametrize(("first", "later", "config"), PATHS.values(), ids=PATHS)
def test_a_scripted_run_verifies(solve: Solve, first: str, later: str, config: dict[str, Any]) -> None:
    journal = MemoryJournal()

    def answer(role: str, prompt: str) -> str:
        return f"```python\n{first if role == 'generator' else later}\n```"

    solve(TOTAL, answer, journal=journal, granularity="single", **config)
    found = verify_ledger(journal.ledger)
    assert found.differences == ()
    assert found.verified
    entries = journal.ledger.entries
    for count in range(1, len(entries), 3):
        assert verify_ledger(Ledger(entries[:count])).status == "unfinished"
