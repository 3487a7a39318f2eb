"""`auditcoder audit` on the recorded runs: the table, the JSON, the exit code, and what is left out."""

from __future__ import annotations

import gc
import json
import shutil
import weakref
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditcoder.audit.auditing import audit_runs
from auditcoder.audit.metrics.loading import load
from auditcoder.audit.metrics.table import METRICS
from auditcoder.audit.outcomes import Outcomes, RunOutcome
from auditcoder.cli.main import app
from auditcoder.ledger.chain import LEDGER_NAME, read_ledger
from auditcoder.ledger.journal import FileJournal
from auditcoder.ledger.outputs import write_outputs
from auditcoder.records import events as ev

ROOT = Path(__file__).resolve().parents[2]
OLD = ROOT / "tests" / "replay" / "format-1.0"
RECORDED = ("average-rating-0.5b", "average-rating-planned-1.5b", "duty-roster-0.5b", "largest-jump-0.5b",
            "largest-jump-coarse-0.5b")  # fmt: skip
KEYS = (
    "dctc_assembly", "dctc_repair", "graph_integrity", "signature_consistency", "localization_coverage", "lrs", "rrs",
    "ccr", "ccr_accepted", "test_regression", "decision_compliance", "rollback_integrity", "containment_scopes",
    "containment_faults", "replay", "frozen_reverification",
)  # fmt: skip


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["audit", *map(str, arguments)], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output


def data(*arguments: object, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json", code=code))
    return found


def by_key(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {metric["key"]: metric for metric in found["metrics"]}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a folder with copies of the recorded runs of format 1.0."""
    for name in RECORDED:
        shutil.copytree(OLD / name, tmp_path / "runs" / name)
    return tmp_path / "runs"


def outcomes_file(folder: Path, *outcomes: RunOutcome | dict[str, Any]) -> Path:
    file = folder / "outcomes.json"
    file.write_text(Outcomes.model_validate({"outcomes": outcomes}).model_dump_json())
    return file


def test_the_table_of_the_recorded_runs() -> None:
    text = run(*(OLD / name for name in RECORDED))
    assert text.startswith(
        "5 finished runs (2 pass every check), 0 unfinished, 0 corrupt; 6 repairs: 3 accepted, 3 rol"
    )
    lines = [line.split() for line in text.splitlines()]
    assert ["decision", "compliance", "6", "/", "6", "1.0000"] in lines
    assert ["[+]", "replay", "5", "/", "5", "1.0000"] in lines
    assert ["test", "regression", "0", "/", "0", "n/a", "no", "hidden", "verdicts", "given"] in lines
    assert ["CCR:", "changed", "code", "5", "/", "58", "0.0862", "0.1806", "repairs"] in lines


def test_the_order_is_the_papers_then_ours() -> None:
    found = data(*(OLD / name for name in RECORDED), "--no-replay")
    assert tuple(metric["key"] for metric in found["metrics"]) == KEYS
    assert [metric["source"] for metric in found["metrics"]] == ["paper"] * 14 + ["ours"] * 2


def test_the_json_has_every_number_and_null_for_what_was_not_measured() -> None:
    found = data(OLD / "largest-jump-0.5b", OLD / "largest-jump-coarse-0.5b")
    assert found["schema"] == 1
    assert found["runs"] == {"finished": 2, "solved": 0, "unfinished": [], "corrupt": [], "unreadable": []}
    assert (found["repairs"], found["sound"]) == ({"accepted": 1, "rolled-back": 2}, True)
    assert by_key(found)["rrs"] == {
        "key": "rrs", "name": "RRS: repair region size", "source": "paper", "numerator": 3, "denominator": 4,
        "value": 0.75, "mean": pytest.approx((1 + 1 + 0.5) / 3), "mean_over": "repairs", "by_construction": False,
        "missing": None, "against": [],
    }  # fmt: skip
    lrs = by_key(found)["lrs"]
    assert (lrs["value"], lrs["missing"]) == (None, {"what": "hidden verdicts given", "runs": 2})


def test_a_run_named_twice_counts_once(runs: Path) -> None:
    found = data(runs, runs / RECORDED[0], runs / RECORDED[0] / LEDGER_NAME, "--no-replay")
    assert found["runs"]["finished"] == len(RECORDED)


def test_outcomes_give_the_metrics_of_an_evaluation(runs: Path, tmp_path: Path) -> None:
    head = read_ledger(runs / RECORDED[0]).head
    file = outcomes_file(
        tmp_path,
        {"run": RECORDED[0], "ledger_head": head, "before": {"tests": 3, "passed": ["a"]},
         "after": {"tests": 3, "passed": ["a", "b", "c"]}, "injected_owner": "S0"},
        {"run": "largest-jump-coarse-0.5b", "before": {"tests": 2, "passed": ["a", "b"]},
         "after": {"tests": 2, "passed": ["b"]}, "injected_owner": "S0"},
    )  # fmt: skip
    found = by_key(data(runs, "--outcomes", file, "--no-replay"))
    told = {key: (found[key]["numerator"], found[key]["denominator"]) for key in KEYS}
    assert told["lrs"] == (1, 2)
    assert told["test_regression"] == (1, 3)
    assert told["containment_scopes"] == told["containment_faults"] == (1, 2)
    assert found["lrs"]["missing"]["runs"] == 3
    assert found["containment_faults"]["against"] == [
        {"run": str(runs / "largest-jump-coarse-0.5b"), "what": "the fault of S0 is not in S1"}
    ]
    text = run(runs, "--outcomes", file, "--no-replay")
    assert "3 runs without hidden verdicts given" in text
    assert "passes no more: a" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "is no outcomes file"),
        ('{"outcomes": [{"run": "x", "hidden_tests": ["assert f(1) == 2"]}]}', "outcomes.0.hidden_tests"),
        ('{"outcomes": [{"run": "x", "after": {"tests": 1, "passed": ["a", "b"]}}]}', "outcomes.0.after"),
        ('{"outcomes": [{"run": "x", "after": {"tests": 3, "passed": ["a", "a"]}}]}', "outcomes.0.after"),
        ('{"outcomes": [{"run": "largest-jump-0.5b", "ledger_head": "other"}]}', "measured on another ledger"),
        ('{"outcomes": [{"run": "largest-jump-0.5b"}, {"run": "largest-jump-0.5b"}]}', "there are 2 outcomes"),
        (
            '{"outcomes": [{"run": "duty-roster-0.5b"}, {"run": "largest-jmp-0.5b"}]}',
            "outcomes[1]: largest-jmp-0.5b is none of the audited runs\n  Did you mean largest-jump-0.5b",
        ),
        ('{"outcomes": [{"run": "zzz"}]}', "none of the audited runs\n  Audited are average-rating-0.5b, "),
        ('{"outcomes": [{"run": "elsewhere/duty-roster-0.5b"}]}', "elsewhere/duty-roster-0.5b is none of"),
        ('{"outcomes": [{"run": "."}]}', "outcomes[0]: . is none of the audited runs"),
        (
            '{"outcomes": [{"run": "largest-jump-0.5b", "injected_owner": "S7"}]}',
            "the outcome of largest-jump-0.5b: injected_owner S7 is no node of its plan\n  Nodes: S0.",
        ),
        (None, "cannot be read"),
    ],
    ids=[
        "garbage",
        "a hidden test",
        "more ids than tests",
        "an id twice",
        "another ledger",
        "two outcomes",
        "no such run",
        "nothing near",
        "another folder",
        "no name",
        "no such node",
        "missing",
    ],
)
def test_outcomes_that_cannot_be_used(runs: Path, tmp_path: Path, content: str | None, message: str) -> None:
    file = tmp_path / "outcomes.json"
    if content is not None:
        file.write_text(content)
    assert message in run(runs, "--no-replay", "--outcomes", file, code=2)


def test_a_name_of_two_runs_needs_more_of_the_path(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "duty-roster-0.5b", tmp_path / "again" / "duty-roster-0.5b")
    folders = (runs / "duty-roster-0.5b", tmp_path / "again" / "duty-roster-0.5b")
    text = run(*folders, "--no-replay", "--outcomes", outcomes_file(tmp_path, {"run": "duty-roster-0.5b"}), code=2)
    assert "outcomes[0]: duty-roster-0.5b names 2 of the audited runs" in text
    assert "Write more of the path" in text
    for name in ("again/duty-roster-0.5b", str(folders[1])):
        file = outcomes_file(tmp_path, {"run": name, "injected_owner": "S0"})
        found = by_key(data(*folders, "--no-replay", "--outcomes", file))["containment_faults"]
        assert (found["denominator"], found["missing"]["runs"]) == (1, 1)


def test_what_is_no_ledger_is_told_in_the_words_of_verify(runs: Path) -> None:
    (runs / "a-empty").mkdir()
    (runs / "a-empty" / LEDGER_NAME).write_bytes(b"")
    found = data(runs, "--no-replay", code=3)
    assert (found["runs"]["finished"], found["sound"], found["runs"]["corrupt"]) == (5, False, [])
    (one,) = found["runs"]["unreadable"]
    assert (one["run"], one["status"]) == (str(runs / "a-empty"), "unreadable")
    text = run(runs, "--no-replay", code=3)
    assert "5 finished runs (2 pass every check), 0 unfinished, 0 corrupt, 1 unreadable" in text
    assert "left out, unreadable\n  a-empty: " in text
    verified = CliRunner().invoke(app, ["verify", str(runs / "a-empty"), "--json"])
    assert json.loads(verified.stdout)["runs"][0]["status"] == one["status"]


def test_without_a_finished_run_no_table_is_shown(runs: Path) -> None:
    ledger = runs / "duty-roster-0.5b" / LEDGER_NAME
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:7]))
    for name in ("record.json", "program.py"):
        (ledger.parent / name).unlink()
    text = run(ledger.parent)
    assert "nothing was measured: no run is finished" in text
    assert "n/a" not in text
    assert "duty-roster-0.5b: it stopped after 7 events" in text


def test_no_name_and_no_number_is_wrapped_at_eighty_columns(tmp_path: Path) -> None:
    name = "a-task-with-a-name-that-is-rather-long-for-a-table-20260101-120000-ab12c"
    for number in range(2):
        shutil.copytree(ROOT / "docs" / "record-example", tmp_path / f"{name}{number}")
    shown = CliRunner().invoke(app, ["audit", str(tmp_path), "--no-replay"], env={"COLUMNS": "80"}).stdout
    table, _, below = shown.partition("\n\n")[2].partition("\n\n")
    names = [line.partition("  ")[0].strip() for line in table.splitlines()[2:]]
    assert names == [m.name if m.source == "paper" else f"[+] {m.name}" for m in METRICS]
    assert all(len(line) <= 80 for line in shown.splitlines() if str(tmp_path) not in line)
    assert below.splitlines()[0] == f"runs in {tmp_path}"
    assert f"  {name}0:\n    S1: no validation" in below


def test_quiet_is_an_option_as_elsewhere(runs: Path) -> None:
    assert run(runs, "--no-replay", "--quiet") == run(runs, "--no-replay")


def test_unfinished_and_corrupt_runs_are_listed_and_left_out(runs: Path) -> None:
    ledger = runs / "duty-roster-0.5b" / LEDGER_NAME
    ledger.write_bytes(ledger.read_bytes().replace(b"roster", b"roSter", 1))
    cut = runs / "largest-jump-0.5b"
    lines = (cut / LEDGER_NAME).read_bytes().splitlines(keepends=True)
    (cut / LEDGER_NAME).write_bytes(b"".join(lines[:9]))
    for name in ("record.json", "program.py"):
        (cut / name).unlink()
    found = data(runs, "--no-replay", code=1)
    assert found["runs"]["finished"] == 3
    assert found["runs"]["unfinished"] == [{"run": str(cut), "reason": "it stopped after 9 events"}]
    assert [one["run"] for one in found["runs"]["corrupt"]] == [str(ledger.parent)]
    assert "the ledger is broken at event 0" in found["runs"]["corrupt"][0]["reason"]
    text = run(runs, "--no-replay", code=1)
    assert "left out, unfinished" in text
    assert "left out, corrupt" in text


def test_a_ledger_that_was_cut_after_its_end_is_corrupt(runs: Path) -> None:
    ledger = runs / "duty-roster-0.5b" / LEDGER_NAME
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
    assert "was made from another ledger" in data(ledger, "--no-replay", code=1)["runs"]["corrupt"][0]["reason"]


def test_a_metric_that_must_be_one_and_is_not_is_the_exit_code(tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    with FileJournal.create(forged) as journal:
        for event in read_ledger(OLD / "largest-jump-0.5b").events:
            if isinstance(event, ev.RepairEnded):
                done = event.transaction.model_copy(update={"decision": "accepted", "reason": "\x1b[31m\u202eok"})
                event = ev.RepairEnded(transaction=done)
            journal.emit(event)
    write_outputs(forged)
    found = by_key(data(forged, code=1))
    assert (found["decision_compliance"]["numerator"], found["decision_compliance"]["denominator"]) == (0, 2)
    assert found["replay"]["value"] == 0
    assert found["rollback_integrity"]["value"] is None
    text = run(forged, code=1)
    assert "repair 2 was accepted, its ranks say rolled-back" in text
    assert "must be 1" in text
    assert [char for char in text if char in "\x1b\u202e"] == []


def test_names_that_lead_to_no_run(tmp_path: Path) -> None:
    assert "holds no run" in run(tmp_path, code=2)
    assert "is not there" in run(tmp_path / "nope", code=2)


def test_long_lists_are_cut_in_the_table_only(tmp_path: Path) -> None:
    for number in range(7):
        shutil.copytree(ROOT / "docs" / "record-example", tmp_path / f"run-{number}")
    text = run(tmp_path, "--no-replay")
    assert "and 2 more; --json lists all" in text
    assert len(by_key(data(tmp_path, "--no-replay"))["dctc_assembly"]["against"]) == 7


def test_one_run_is_in_memory_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tally keeps a run: at most the one before is alive when the next is loaded."""
    alive: list[weakref.ref[Any]] = []
    most = 0

    def watched(*arguments: Any, **named: Any) -> Any:
        nonlocal most
        loaded = load(*arguments, **named)
        gc.collect()
        most = max(most, sum(one() is not None for one in alive))
        alive.append(weakref.ref(loaded))
        return loaded

    monkeypatch.setattr("auditcoder.audit.auditing.load", watched)
    report = audit_runs([OLD / name for name in RECORDED] * 3, replay=False)
    assert report.finished == 15
    assert most <= 1
