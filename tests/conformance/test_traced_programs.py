"""Failing programs that models wrote, traced: only where `AUDITCODER_DATA` names the packs."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from auditcoder.eval.study_assembly.rows import PACKS, Pack, load_rows
from auditcoder.eval.study_tracer import failing, main, read_lines, study_row
from auditcoder.sandbox.executor import SandboxExecutor

DATA = os.environ.get("AUDITCODER_DATA", "")
pytestmark = pytest.mark.skipif(
    not DATA or not (Path(DATA) / "llm-programs").is_dir(), reason="AUDITCODER_DATA names no pack of recorded programs"
)
SEED = 20261207
CHANGED = "otherwise than the run before"


@pytest.mark.parametrize("pack", PACKS)
def test_a_sample_is_traced_without_another_outcome(sandbox: SandboxExecutor, pack: Pack) -> None:
    rows = [row for row in failing(load_rows(pack, DATA)) if row.rerun != "timeout"]
    lines = [study_row(row, sandbox, 3) for row in random.Random(SEED).sample(rows, 10)]
    assert [line.faults for line in lines if line.faults] == []
    assert [line.id for line in lines if CHANGED in line.refused + line.blocks_refused and not line.varies] == []
    failed = [line for line in lines if line.outcome]
    assert sum(line.shown > 0 for line in failed) >= len(failed) // 2


@pytest.mark.slow
def test_every_program_is_traced_without_another_outcome(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    assert main(["--data", DATA, "--out", str(out)]) == 0
    assert len(read_lines(out)) == 2188
