"""From a study's folder to its results: rows, tables and verdicts that are made once."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditcoder.errors import ConfigError, RecordError
from auditcoder.eval import results
from auditcoder.eval.lab.grid import Cell, Grid
from auditcoder.eval.lab.loop import LOG
from auditcoder.eval.metrics.rows_file import read_rows
from auditcoder.eval.metrics.study import VERDICTS, VerdictFile, last_errors
from auditcoder.eval.metrics.task_facts import TaskKinds, read_types
from auditcoder.eval.suites.reference import resolve
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.ledger.journal import MemoryJournal

TASK = "aerocomm:vis-viva"
HALF = "```python\ndef vis_viva_speed(r, a, mu=398600.4418):\n    return (mu * (2 / r - 1 / a)) ** 0.5 + 1\n```"
NEARLY = "```python\ndef vis_viva_speed(r, a, mu=398600.4418):\n    return (mu * (2 / r - 1 / a)) ** 0.5\n```"
REPLY = "### reasoning\nSo.\n### requirements\nnone\n### code\n"
METHODS = ("direct", "pycapsule", "fresh-start", "auditcoder")
GRID = Grid(tasks=(TASK,), methods=METHODS, models=("scripted",), protocols=("k:1",), seeds=(0, 1, 2))
Solve = Callable[..., Any]


@pytest.fixture(scope="module")
def ledgers(solve: Solve) -> dict[str, bytes]:
    """Return the ledgers of a study by folder: one run never began, one was stopped, AuditCoder's are missing."""
    task, found = resolve(TASK)[0], dict[str, bytes]()
    for cell in GRID.cells():
        if cell.method == "auditcoder" or (cell.method, cell.seed) == ("direct", 2):
            continue
        left, journal = [HALF, NEARLY], MemoryJournal()
        solve(
            task, lambda role, prompt, left=left: REPLY + (left.pop(0) if len(left) > 1 else left[0]),
            journal=journal, **{"method": cell.method, "k": 1, "seed": cell.seed},
        )  # fmt: skip
        lines = journal.ledger.data.splitlines(keepends=True)
        found[cell.place] = b"".join(lines[:-1] if (cell.method, cell.seed) == ("pycapsule", 2) else lines)
    return found


@pytest.fixture
def study(tmp_path: Path, ledgers: dict[str, bytes]) -> Path:
    out = tmp_path / "study"
    out.mkdir()
    (out / "grid.json").write_text(GRID.model_dump_json(), encoding="utf-8")
    for place, data in ledgers.items():
        (out / place).mkdir(parents=True)
        (out / place / LEDGER_NAME).write_bytes(data)
    return out


def logged(study: Path, method: str, seed: int, what: str) -> None:
    line = {**Cell(TASK, method, "scripted", "k:1", seed)._asdict(), "what": what, "why": "", "try": 1}
    with (study / LOG).open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def test_a_study_becomes_rows_tables_and_kept_verdicts(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logged(study, "pycapsule", 2, "context-overflow")
    logged(study, "direct", 2, "lost")
    to = tmp_path / "results"
    assert results.main([str(study), "--to", str(to), "--reference", "pycapsule"]) == 0
    rows = read_rows(to / "rows.jsonl")
    assert len(rows) == 12  # every cell of the list
    found = {(row.method, row.seed): row for row in rows}
    assert found["pycapsule", 0].primary is not None
    assert found["pycapsule", 0].cost.feedback_rounds == 1
    assert (found["pycapsule", 2].kind, found["pycapsule", 2].error) == ("unusable", "context-overflow")
    assert (found["direct", 2].kind, found["direct", 2].invalid) == ("harness-fault", ("there is no ledger",))
    assert {found["auditcoder", seed].kind for seed in range(3)} == {"not-run"}
    assert {row.suite for row in rows} == {"aerocomm"}
    names = {path.name for path in to.iterdir()}
    assert {"rows.jsonl", "runs.csv", "methods.csv", "comparisons.csv", "fresh-start.csv", "tables.md"} <= names
    lines = list(csv.DictReader((to / "fresh-start.csv").read_text(encoding="utf-8").splitlines()))
    assert [line["first"] for line in lines] == ["pycapsule"] * 4
    assert all("equal calls" in line["where"] or "equal tokens" in line["where"] for line in lines)
    assert "Against fresh start" in capsys.readouterr().out
    kept = (study / VERDICTS).read_bytes()
    assert kept.count(b"\n") == 2  # two programs, whoever made them and however often
    assert results.main([str(study), "--to", str(tmp_path / "again")]) == 0
    assert (study / VERDICTS).read_bytes() == kept
    for name in ("rows.jsonl", "runs.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (to / name).read_bytes()


def test_no_text_of_a_task_or_test_is_in_the_results(study: Path, tmp_path: Path) -> None:
    assert results.main([str(study), "--to", str(tmp_path / "results")]) == 0
    told = "".join(path.read_text(encoding="utf-8") for path in [*(tmp_path / "results").iterdir(), study / VERDICTS])
    assert "vis_viva_speed" not in told
    assert "398600" not in told


def test_a_folder_without_a_study_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert results.main([str(tmp_path), "--to", str(tmp_path / "results")]) == ConfigError.exit_code
    assert "no study" in capsys.readouterr().err


def test_a_cut_verdict_is_made_again_and_a_damaged_one_is_told(study: Path, tmp_path: Path) -> None:
    path = study / VERDICTS
    assert results.main([str(study), "--to", str(tmp_path / "results")]) == 0
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    VerdictFile(path)
    assert path.read_bytes() == whole[: whole.index(b"\n") + 1]
    path.write_bytes(b"{}\n" + whole)
    with pytest.raises(RecordError, match="line 1"):
        VerdictFile(path)
    (study / LOG).write_text("{}\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 1"):
        last_errors(study)


def test_problem_types_come_from_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    path.write_text('{"aerocomm-vis-viva": "numerical"}', encoding="utf-8")
    task = resolve(TASK)[0]
    facts = TaskKinds(types=read_types(path))(task)
    assert (facts.suite, facts.task, facts.difficulty, facts.problem_type) == ("aerocomm", task.id, "", "numerical")
    assert TaskKinds()(task.model_copy(update={"id": "mine"})).suite == "own"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(ConfigError, match="no object"):
        read_types(path)
