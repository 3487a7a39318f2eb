"""`auditcoder verify`: which runs are meant, what is printed, and with which exit code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import auditcoder
from auditcoder.audit.explain import explained
from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.verify import verify_run
from auditcoder.cli.main import app
from auditcoder.errors import LedgerUnreadableError, UnsupportedFormatError
from auditcoder.exports import PUBLIC
from auditcoder.ledger.canonical import hash_body
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.records.base import canonical_json

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
    statuses = [re.split(r"\s{2,}", line)[1] for line in table.splitlines()[2:]]
    assert statuses == ["verified", "different", "unfinished", "different"]
    assert table.splitlines()[0] == f"runs in {runs}"
    assert "V21 bytes of program.py, line 1\n      recorded    print(6)\n      recomputed  def total(" in below
    assert f"auditcoder restore {runs / 'b-forged'} --at 23 --out DIR" in below
    assert "after the last event  V21" in below
    assert "event 24" not in below
    assert '""' not in below
    assert below.count("not finished") == 1  # the broken one may well be finished
    assert f"events 0 to 4 were verified, and nothing behind them; the state there: auditcoder restore {runs}" in below
    assert "not finished: what there is so far was verified" in below
    assert "V1 the ledger is broken at event 5" in below
    assert result.stdout.rstrip().endswith("1 of 4 runs verified")


def test_json_has_a_stable_form(runs: Path) -> None:
    data = json.loads(invoke(runs, EXAMPLE, "--json", code=1).stdout)
    assert (data["schema"], data["verified"]) == (1, False)
    assert [run["status"] for run in data["runs"]] == ["verified", "different", "unfinished", "different", "verified"]
    keys = {"run", "status", "format", "events", "finished", "compared", "checks", "failed", "differences",
            "explained", "executions", "notes", "error"}  # fmt: skip
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


def of_another_format() -> bytes:
    """Return the example as a later auditcoder with another major format would have begun it."""
    first = json.loads((EXAMPLE / LEDGER_NAME).read_bytes().splitlines()[0])
    first["event"]["format"] = "2.0"
    first["hash"] = hash_body(first)
    return canonical_json(first) + b"\n"


NO_LEDGERS = {
    "empty": (b"", "unreadable", "is empty"),
    "zeros": (b"\x00\x00\n", "unreadable", "is empty"),
    "words": (b"hello\nworld\n", "unreadable", "none of its lines begins as those of a ledger do"),
    "other JSON": (b'{"a": 1}\n', "unreadable", "is no ledger"),
    "binary": (bytes(range(256)), "unreadable", "is no ledger"),
    "format 2.0": (of_another_format(), "unsupported format", "the record has format version 2.0"),
}


@pytest.mark.parametrize(("data", "status", "message"), NO_LEDGERS.values(), ids=NO_LEDGERS)
def test_what_is_no_ledger_ends_with_three_and_the_others_are_verified(
    tmp_path: Path, data: bytes, status: str, message: str
) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "b-good")
    (tmp_path / "a-bad").mkdir()
    (tmp_path / "a-bad" / LEDGER_NAME).write_bytes(data)
    text = invoke(tmp_path, code=3).stdout
    assert re.search(rf"^a-bad +{status} +0 +0 *$", text, re.M)
    assert re.search(r"^b-good +verified +24", text, re.M)
    assert message in text
    assert text.rstrip().endswith("1 of 2 runs verified")
    bad, good = json.loads(invoke(tmp_path, "--json", code=3).stdout)["runs"]
    assert (bad["status"], good["status"], good["error"]) == (status, "verified", None)
    assert message in bad["error"]["message"]
    assert bad["error"]["hint"]
    with pytest.raises((LedgerUnreadableError, UnsupportedFormatError), match=re.escape(message)):
        verify_run(tmp_path / "a-bad")


DAMAGED = {
    "first byte": (lambda lines: [b"x" + lines[0][1:], *lines[1:]], "broken at event 0: it is not JSON"),
    "a field lost": (
        lambda lines: [*lines[:3], re.sub(rb'"prev":"\w+",', b"", lines[3]), *lines[4:]],
        "broken at event 3: it lacks `prev`\n",
    ),
    "a field renamed": (
        lambda lines: [*lines[:3], lines[3].replace(b'"prev":', b'"before":'), *lines[4:]],
        "broken at event 3: it lacks `prev`; a ledger line has no field `before`\n",
    ),
    "a list": (lambda lines: [*lines[:3], b"[1]\n", *lines[3:]], "broken at event 3: it is no JSON object\n"),
    "only a torn line": (lambda lines: [lines[0][:40]], "the ledger ends in a torn line"),
    "the first bytes only": (lambda lines: [lines[0][:4]], "the ledger ends in a torn line"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGED.values(), ids=DAMAGED)
def test_damage_inside_a_ledger_is_a_difference(
    tmp_path: Path, damage: Callable[[list[bytes]], list[bytes]], message: str
) -> None:
    lines = (EXAMPLE / LEDGER_NAME).read_bytes().splitlines(keepends=True)
    (tmp_path / LEDGER_NAME).write_bytes(b"".join(damage(lines)))
    text = invoke(tmp_path, code=1).stdout
    assert message in text
    assert re.search(r" different +\d+ +\d+ +\d+ \(V1", text)


def test_names_stay_apart_at_eighty_columns(tmp_path: Path) -> None:
    common = "a-task-with-a-name-that-is-rather-long-for-a-table"
    names = [f"{common}-20260101-120000-{end}" for end in ("ab12cd", "ab12ce")]
    for name in names:
        shutil.copytree(EXAMPLE, tmp_path / "runs" / name)
    result = CliRunner().invoke(app, ["verify", str(tmp_path / "runs")], env={"COLUMNS": "80"})
    lines = result.stdout.splitlines()
    assert lines[0] == f"runs in {tmp_path / 'runs'}"
    assert all(len(line) <= 80 for line in lines[1:])
    assert "\u2026" not in result.stdout
    column = lines[1].index("status")
    assert "".join(line[:column].rstrip() for line in lines[2:-1]) == "".join(names)


def test_a_public_function_takes_a_path_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE.parent)
    assert verify_run(EXAMPLE.name).verified
    assert verify_run(f"{EXAMPLE.name}/{LEDGER_NAME}") == verify_run(EXAMPLE)
    assert auditcoder.load_run(EXAMPLE.name) == auditcoder.load_run(EXAMPLE)


@pytest.mark.parametrize("check", list(AuditCheck))
def test_every_check_is_explained_by_its_rules(check: AuditCheck) -> None:
    text = invoke("--explain", check.value.lower(), code=0).stdout
    assert text.startswith(f"{check.value}  {check.compares}\n")
    told = explained(check)
    assert told
    assert all(rule.text.startswith("V") and rule.text.split("\n")[0] in text for rule in told)


def test_explain_names_the_rule_of_the_choice_between_candidates() -> None:
    data = json.loads(invoke("--explain", "V15", "--json", code=0).stdout)
    assert (data["schema"], data["check"]) == (1, "V15")
    [choice] = [rule for rule in data["rules"] if rule["events"] == ["candidate.ranked"]]
    assert "a candidate becomes the program exactly when it is strictly better" in choice["text"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--explain", "V99"], "there is no check V99"), (["--explain", "V1", "x"], "Leave the runs out"),
     ([], "no run is named")],
    ids=["no check", "with runs", "nothing"],
)  # fmt: skip
def test_what_verify_cannot_do(arguments: list[str], message: str) -> None:
    assert message in invoke(*arguments, code=2).stderr


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


def test_replay_runs_the_pipeline_over_the_record() -> None:
    kept = ROOT / "tests" / "replay"
    [data] = json.loads(invoke(kept / "runs" / "average-rating-0.5b", "--replay", "--json", code=0).stdout)["runs"]
    assert (data["status"], data["checks"]["V23"]) == ("verified", data["events"])
    older = invoke(kept / "format-1.0" / "average-rating-0.5b", "--replay", code=0)
    assert "not replayed: format 1.0" in older.stdout
