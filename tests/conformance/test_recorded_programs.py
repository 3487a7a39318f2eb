"""Programs that models wrote, through acceptance and assembly: only where `AUDITCODER_DATA` names the packs."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from auditcoder.eval.study_assembly.__main__ import main
from auditcoder.eval.study_assembly.lines import Line, read_lines
from auditcoder.eval.study_assembly.maps import groups_of
from auditcoder.eval.study_assembly.rows import PACKS, Row, load_rows
from auditcoder.eval.study_assembly.study import Bench, study_group, study_row
from auditcoder.sandbox.executor import SandboxExecutor

DATA = os.environ.get("AUDITCODER_DATA", "")
pytestmark = pytest.mark.skipif(
    not DATA or not (Path(DATA) / "llm-programs").is_dir(), reason="AUDITCODER_DATA names no pack of recorded programs"
)
SEED = 20261201


@pytest.fixture(scope="module")
def sample() -> list[Row]:
    rows = [row for pack in PACKS for row in load_rows(pack, DATA)]
    assert len(rows) == 5227
    return random.Random(SEED).sample(rows, 150)


def bad(lines: list[Line]) -> list[Line]:
    def wrong(line: Line) -> bool:
        unexplained = any(difference.why == "unexplained" for difference in line.differences)
        return bool(line.crash or line.faults or line.wrong_frames or unexplained)

    return [line for line in lines if wrong(line)]


def test_a_sample_is_assembled_or_rejected_with_a_reason(sample: list[Row]) -> None:
    lines = [line for row in sample for line in study_row(row, Bench(None)) if line.map != "original"]
    assert bad(lines) == []
    assert all(bool(line.reason) != bool(line.nodes) for line in lines)
    assert sum(bool(line.nodes) for line in lines) > 0.9 * len(lines)
    assert any(line.map == "split" and line.nodes > 2 for line in lines)


def test_a_joined_sample_is_assembled_or_rejected_with_a_reason(sample: list[Row]) -> None:
    entered = [row for row in sample if row.entry.kind != "program"][:60]
    lines = [
        line for group in groups_of(entered) for line in study_group(group, Bench(None), {row.id: () for row in group})
    ]
    assert bad(lines) == []
    assert len(lines) == len(entered)


def test_a_small_sample_behaves_as_before(sample: list[Row], executor: SandboxExecutor) -> None:
    bench = Bench(executor, most=3)
    lines = [line for row in sample[:20] for line in study_row(row, bench)]
    assert bad(lines) == []
    assert sum(line.compared for line in lines) >= 20


@pytest.mark.slow
def test_every_program_behaves_as_before(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    assert main(["--data", DATA, "--out", str(out)]) == 0
    assert len({line.id for line in read_lines(out)}) == 5227
