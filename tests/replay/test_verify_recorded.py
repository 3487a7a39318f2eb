"""Recorded ledgers verify: every decision comes out again from the evidence before it, and so does every execution."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditcoder import verify_run
from auditcoder.audit.numbers import AuditCheck
from auditcoder.sandbox.executor import SandboxExecutor

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "docs" / "record-example"
RUNS = sorted(file.parent for file in HERE.rglob("ledger.jsonl"))


@pytest.mark.parametrize("run", [*RUNS, EXAMPLE], ids=lambda run: f"{run.parent.name}-{run.name}")
def test_a_recorded_run_verifies(run: Path) -> None:
    found = verify_run(run)
    assert found.differences == ()
    assert found.verified
    assert found.comparisons.keys() >= {AuditCheck.CHAIN, AuditCheck.ORDER, AuditCheck.FINISH, AuditCheck.OUTPUTS}
    assert found.compared > 5 * found.events


def test_all_recorded_runs_together_give_occasion_for_every_check() -> None:
    compared = {check for run in [*RUNS, EXAMPLE] for check, count in verify_run(run).comparisons.items() if count}
    assert compared == set(AuditCheck) - {AuditCheck.EXECUTED, AuditCheck.REPLAYED}


@pytest.mark.parametrize("run", [*RUNS, EXAMPLE], ids=lambda run: f"{run.parent.name}-{run.name}")
def test_what_was_run_comes_out_again(run: Path, executor: SandboxExecutor) -> None:
    found = verify_run(run, executor=executor)
    assert found.differences == ()
    assert found.executions > 0
    assert found.comparisons[AuditCheck.EXECUTED] > 0
