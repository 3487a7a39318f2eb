"""`auditcoder verify`: which runs are meant, what is printed, and with which exit code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import auditcoder
from auditcoder.audit.numbers import AuditCheck
from auditcoder.cli.main import app
from auditcoder.exports import PUBLIC
from auditcoder.ledger.chain import LEDGER_NAME

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "record-example"
GUIDE = ROOT / "docs" / "guide" / "verify.md"


def invoke(*arguments: str | Path, code: int) -> Result:
    result = CliRunner().invoke(app, ["verify", *map(str, arguments)], env={"COLUMNS": "160"})
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a folder with a good run, a run with a forged program, an unfinished one and a broken one."""
    folder = tmp_path / "runs"
    for name in ("a-good", "b-forged", "c-unfinished", "d-broken"):
        shutil.copytree(EXAMPLE, folder / name)
    (folder / "b-forged" / "program.py").write_text("print(6)\n")
    lines = (EXAMPLE / LEDGER_NAME).read_bytes().splitlines(keepends=True)
    for name in ("record.json", "program.py"):
        (folder / "c-unfinished" / name).unlink()
    (folder / "c-unfinished" / LEDGER_NAME).write_bytes(b"".join(lines[:-3]))
    (folder / "d-broken" / LEDGER_NAME).write_bytes(b"".join([*lines[:5], lines[5].replace(b"0", b"1"), *lines[6:]]))
    return folder


@pytest.mark.parametrize("path", [EXAMPLE, EXAMPLE / LEDGER_NAME], ids=["folder", "ledger"])
def test_a_run_that_verifies_ends_with_zero(path: Path) -> None:
    result = invoke(path, code=0)
    assert re.search(r"record-example\s+verified\s+24\s+\d+\s+0", result.stdout)


def test_a_table_of_several_runs_with_the_differences_below(runs: Path) -> None:
    result = invoke(runs, code=1)
    table, _, below = result.stdout.partition("\n\n")
    statuses = [re.split(r"\s{2,}", line)[1] for line in table.splitlines()[1:]]
    assert statuses == ["verified", "different", "unfinished", "different"]
    assert "V21 bytes of program.py" in below
    assert "not finished: what there is so far was verified" in below
    assert "V1 the ledger is broken at event 5" in below
    assert result.stdout.rstrip().endswith("1 of 4 runs verified")


def test_json_has_a_stable_form(runs: Path) -> None:
    data = json.loads(invoke(runs, EXAMPLE, "--json", code=1).stdout)
    assert (data["schema"], data["verified"]) == (1, False)
    assert [run["status"] for run in data["runs"]] == ["verified", "different", "unfinished", "different", "verified"]
    keys = {"run", "status", "format", "events", "finished", "compared", "checks", "failed", "differences",
            "explained", "executions", "notes"}  # fmt: skip
    assert all(run.keys() == keys for run in data["runs"])
    forged = data["runs"][1]
    assert forged["failed"] == ["V21"]
    assert {difference["check"] for difference in forged["differences"]} == {"V21"}
    assert forged["differences"][0].keys() == {"event", "check", "what", "recorded", "recomputed"}
    assert sum(forged["checks"].values()) == forged["compared"]


def test_execute_runs_the_programs_again() -> None:
    data = json.loads(invoke(EXAMPLE, "--execute", "--json", code=0).stdout)
    assert data["runs"][0]["executions"] == 3
    assert data["runs"][0]["checks"]["V22"] > 0


def test_what_is_no_run_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no run" in invoke(tmp_path / "empty", code=2).stderr
    assert "is not there" in invoke(tmp_path / "nowhere", code=2).stderr


def test_a_ledger_that_is_a_folder_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "run" / LEDGER_NAME).mkdir(parents=True)
    invoke(tmp_path / "run", code=2)


def test_an_empty_or_foreign_ledger_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / LEDGER_NAME).write_bytes(b"")
    assert "the ledger holds no event" in invoke(tmp_path, code=1).stdout
    (tmp_path / LEDGER_NAME).write_bytes(b"hello\n")
    assert "broken at event 0" in invoke(tmp_path, code=1).stdout


def test_the_guide_lists_every_check_in_order() -> None:
    told = re.findall(r"^\| (V\d+) \|", GUIDE.read_text(encoding="utf-8"), re.M)
    assert told == [check.value for check in AuditCheck]


def test_every_check_says_what_it_compares() -> None:
    assert len({check.compares for check in AuditCheck}) == len(AuditCheck)


def test_every_public_name_is_found_and_listed() -> None:
    assert sorted(["__version__", *PUBLIC]) == auditcoder.__all__
    assert all(getattr(auditcoder, name).__module__ == module for name, module in PUBLIC.items())
    with pytest.raises(AttributeError):
        _ = auditcoder.nothing


def test_public_names_load_no_model_framework() -> None:
    source = "import sys; from auditcoder import Task, load_run, verify_run; sys.exit('dspy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", source], check=False).returncode == 0
