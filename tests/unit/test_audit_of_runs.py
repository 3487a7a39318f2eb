"""The metrics on runs that the pipeline just made and on every recorded one: what is 1 by construction is 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditcoder.audit.auditing import audit_runs
from auditcoder.audit.metrics.loading import load
from auditcoder.audit.metrics.metric import Measured, Tally
from auditcoder.audit.metrics.table import METRICS
from auditcoder.audit.verify import verify_ledger
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

ROOT = Path(__file__).resolve().parents[2]
RECORDED = [file.parent for file in sorted((ROOT / "tests" / "replay").glob(f"*/*/{LEDGER_NAME}"))]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=tuple(
        Check(id=f"E{n}", input=FunctionInput(args=(list(items),)), expected=Expected(value=value, has_value=True))
        for n, (items, value) in enumerate([([1, 2], 3), ([1, -2], 1), ([], 0)])
    ),
)
RIGHT = "def total(items):\n    return sum(i for i in items if i > 0)"
WRONG = "def total(items):\n    return sum(items)"
CRASH = "def total(items):\n    return items[0] + sum(i for i in items[1:] if i > 0)"
WORSE = "def total(items):\n    return 7"


def measured(solve: Callable[..., Any], first: str, later: str, **config: Any) -> dict[str, Measured]:
    journal = MemoryJournal()

    def answer(role: str, prompt: str) -> str:
        return f"```python\n{first if role == 'generator' else later}\n```"

    solve(TOTAL, answer, journal=journal, granularity="single", **config)
    run = load("r", journal.events, verification=verify_ledger(journal.ledger))
    found: dict[str, Measured] = {}
    for metric in METRICS:
        tally = Tally(metric)
        tally.add(run)
        found[metric.key] = tally.measured()
    return found


@pytest.mark.parametrize(
    ("first", "later", "config", "ratios"),
    [
        (RIGHT, RIGHT, {}, {"localization_coverage": (0, 0), "ccr": (0, 0), "decision_compliance": (0, 0)}),
        (CRASH, RIGHT, {}, {"localization_coverage": (1, 1), "ccr": (1, 2), "decision_compliance": (1, 1)}),
        (WRONG, WORSE, {}, {"rrs": (1, 1), "ccr": (0, 2), "ccr_accepted": (0, 0), "rollback_integrity": (1, 1)}),
        (WRONG, WORSE, {"k": 2}, {"rrs": (2, 2), "ccr": (0, 4), "rollback_integrity": (2, 2)}),
        (WRONG, RIGHT, {"k": 0}, {"localization_coverage": (0, 0), "rrs": (0, 0)}),
    ],
    ids=["right at once", "repaired", "rolled back", "rolled back twice", "no repair allowed"],
)  # fmt: skip
def test_a_scripted_run(
    solve: Callable[..., Any], first: str, later: str, config: dict[str, Any], ratios: dict[str, tuple[int, int]]
) -> None:
    found = measured(solve, first, later, **config)
    assert {key: (found[key].numerator, found[key].denominator) for key in ratios} == ratios
    for key in ("dctc_assembly", "dctc_repair", "graph_integrity", "signature_consistency", "replay"):
        assert (found[key].value, found[key].against) == (1.0, ()), key
    assert not any(each.broken for each in found.values())


def test_every_recorded_run_is_sound_and_its_final_record_is_complete() -> None:
    report = audit_runs(RECORDED, replay=False)
    found = {each.metric.key: each for each in report.metrics}
    assert (report.finished, report.unfinished, report.corrupt) == (len(RECORDED), (), ())
    for key in ("dctc_assembly", "dctc_repair", "graph_integrity", "signature_consistency", "decision_compliance",
                "rollback_integrity"):  # fmt: skip
        assert (found[key].value, found[key].against) == (1.0, ()), key
    assert report.sound
