"""`auditcoder restore`, and the states and events that `auditcoder show` lists, on real runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app
from auditcoder.cli.showing.event import event_text
from auditcoder.ledger.chain import read_ledger
from auditcoder.ledger.journal import FileJournal
from auditcoder.records import events as ev

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "tests" / "replay" / "format-1.0" / "largest-jump-0.5b"
LEDGERS = [*(ROOT / "tests" / "replay").glob("*/*/ledger.jsonl"), ROOT / "docs" / "record-example" / "ledger.jsonl"]


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output


def test_restore_writes_the_state_and_says_which_event_it_is(tmp_path: Path) -> None:
    out = tmp_path / "then"
    text = run("restore", RUN, "--at", 11, "--out", out)
    assert "event     11 (the last is 27)" in text
    assert "repair.started  repair 1: regenerate S0" in text
    assert sorted(file.name for file in out.iterdir()) == ["ledger.jsonl", "program.py", "record.json"]
    record = json.loads((out / "record.json").read_text())
    assert (record["events"], record["status"], record["transactions"]) == (12, "running", [])
    assert (RUN / "ledger.jsonl").read_bytes().startswith((out / "ledger.jsonl").read_bytes())
    assert "12 events" in run("show", out, code=1)


def test_before_there_is_a_program_none_is_written(tmp_path: Path) -> None:
    text = run("restore", RUN / "ledger.jsonl", "--at", 3, "--out", tmp_path / "then", "--json")
    assert json.loads(text) == {
        "schema": 1, "damage": "", "event": 3, "at": read_ledger(RUN).entries[3].line.at, "kind": "plan.accepted",
        "text": "attempt 1: 1 node, single", "of": 28, "out": str(tmp_path / "then"),
        "files": ["ledger.jsonl", "record.json"],
    }  # fmt: skip
    assert not (tmp_path / "then" / "program.py").exists()


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Return a copy of the run whose event 9 was changed."""
    shutil.copytree(RUN, tmp_path / "damaged")
    ledger = tmp_path / "damaged" / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([*lines[:9], lines[9].replace(b"rank", b"rang"), *lines[10:]]))
    return ledger.parent


def test_what_stands_before_a_damage_is_restored(damaged: Path, tmp_path: Path) -> None:
    text = run("restore", damaged, "--at", 5, "--out", tmp_path / "then")
    assert text.startswith("note      the ledger is broken at event 9: its content does not fit its hash\n")
    assert "events 0 to 8 hold, and this state is made from them alone" in text
    assert "event     5 (the last that holds is 8)" in text
    run("restore", RUN, "--at", 5, "--out", tmp_path / "whole")
    for name in ("ledger.jsonl", "record.json"):
        assert (tmp_path / "then" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    told = json.loads(run("restore", damaged, "--at", 8, "--out", tmp_path / "last", "--json"))
    assert (told["of"], told["damage"]) == (9, "the ledger is broken at event 9: its content does not fit its hash")


@pytest.mark.parametrize("event", [9, 10, 27, 99])
def test_what_stands_at_a_damage_or_behind_it_is_not_restored(damaged: Path, tmp_path: Path, event: int) -> None:
    text = run("restore", damaged, "--at", event, "--out", tmp_path / "then", code=1)
    assert f"error[ledger-corrupt]: event {event} cannot be restored: the ledger is broken at event 9" in text
    assert "Events 0 to 8 hold: name one of them." in text
    assert not (tmp_path / "then").exists()


@pytest.mark.parametrize(
    ("record", "note"),
    [(None, "record.json was made from another ledger"), (b"{}", "is not the record of a run")],
    ids=["the ledger was cut", "the record is none"],
)
def test_a_record_that_does_not_fit_keeps_no_state_from_being_restored(
    tmp_path: Path, record: bytes | None, note: str
) -> None:
    shutil.copytree(RUN, tmp_path / "cut")
    ledger = tmp_path / "cut" / "ledger.jsonl"
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:12]))
    if record is not None:
        (tmp_path / "cut" / "record.json").write_bytes(record)
    text = run("restore", tmp_path / "cut", "--at", 11, "--out", tmp_path / "then")
    assert note in text
    assert "events 0 to 11 hold" in text


def test_what_is_no_ledger_cannot_be_restored(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "ledger.jsonl").write_bytes(b"hello\n")
    text = run("restore", tmp_path / "run", "--at", 0, "--out", tmp_path / "then", code=3)
    assert "error[ledger-unreadable]" in text


def test_a_changed_program_comes_back_with_the_command_that_is_offered(tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(RUN, folder)
    (folder / "program.py").write_text("print(6)\n")
    offered = [CliRunner().invoke(app, [name, str(folder)]).output for name in ("show", "verify")]
    command = f"the files as the ledger gives them: auditcoder restore {folder} --at 27 --out DIR"
    assert [command in text for text in offered] == [True, True]
    run("restore", folder, "--at", 27, "--out", tmp_path / "again")
    for name in ("program.py", "record.json", "ledger.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (RUN / name).read_bytes()


def test_with_force_an_earlier_state_replaces_a_later_one(tmp_path: Path) -> None:
    run("restore", RUN, "--at", 27, "--out", tmp_path)
    (tmp_path / "note.txt").write_text("mine")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert "is not empty" in run("restore", RUN, "--at", 3, "--out", tmp_path, code=2)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    run("restore", RUN, "--at", 3, "--out", tmp_path, "--force")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["ledger.jsonl", "note.txt", "record.json"]


def test_no_ledger_is_ever_lost(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    shutil.copytree(RUN, own)
    shutil.copytree(RUN.parent / "duty-roster-0.5b", other)
    for out, message in ((own, "never restored into its own run"), (other, "the ledger of another run")):
        before = (out / "ledger.jsonl").read_bytes()
        assert message in run("restore", own, "--at", 2, "--out", out, "--force", code=2)
        assert (out / "ledger.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nope", "--at", 1, "--out", "x"), "error[usage]: "),
        ((RUN, "--at", 28, "--out", "x"), "the run has no event 28\n  Its events are 0 to 27."),
        ((RUN, "--at", -1, "--out", "x"), "the run has no event -1"),
        (("nope", "--at", 1, "--out", "x"), "there is no run folder nope"),
        ((RUN, "--at", 1, "--out", RUN / "program.py"), "is no folder"),
        ((RUN, "--at", 1), "Missing option '--out'"),
    ],
    ids=["label", "late", "negative", "no run", "a file", "no out"],
)
def test_what_cannot_be_restored(arguments: tuple[object, ...], message: str) -> None:
    assert message in run("restore", *arguments, code=2)
    assert not Path("x").exists()


def test_show_at_an_event() -> None:
    text = run("show", RUN, "--at", 17)
    assert text.startswith("event     17, findings.added: 4 findings, 2 rejections\n")
    assert "18 events" in text
    assert json.loads(run("show", RUN, "--at", 17, "--json"))["events"] == 18
    assert "the run has no event 99" in run("show", RUN, "--at", 99, code=2)
    assert "11 lines" in run("show", RUN, "--at", 11)
    assert "the program has no line 999" in run("show", RUN, "999", "--at", 11, code=2)


def test_show_lists_the_events() -> None:
    text = run("show", RUN, "--events")
    assert text.splitlines()[1].split() == ["event", "time", "kind", "what", "happened"]
    assert "repair 1: rolled-back: the rank did not strictly improve" in text
    listed = json.loads(run("show", RUN, "--events", "--json"))
    assert [entry["event"] for entry in listed] == list(range(28))
    assert len(json.loads(run("show", RUN, "--events", "--at", 4, "--json"))) == 5
    assert "--events lists the whole run" in run("show", RUN, "S0", "--events", code=2)


@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda ledger: f"{ledger.parent.parent.name}/{ledger.parent.name}")
def test_every_event_of_a_real_run_has_a_short_text(ledger: Path) -> None:
    texts = [event_text(event) for event in read_ledger(ledger).events]
    assert all(0 < len(text) <= 96 for text in texts)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (ev.RunResumed(failed=7), "the call of event 7 is made again"),
        (ev.CodeRejected(node="S1", reason="no code\n\x1b[2J\u202e", digest=""), "S1: unusable answer: no code �[2J�"),
        (
            ev.NodesReverified(index=1, nodes=("S2", "S3"), findings=("F4", "F5"), rejected=("F5",)),
            "repair 2: S2, S3 touched; 2 findings, 1 rejection",
        ),
        (ev.NodesReverified(index=0, nodes=()), "repair 1: no frozen node touched; 0 findings, 0 rejections"),
        (
            ev.FindingsAdded(findings=(), source="monitors", unevaluated=("S1.post1: no",)),
            "0 findings from monitors, 0 rejections, 1 predicate not evaluated",
        ),
        (ev.PlanReviewed(attempt=0, round=1, reviewer="model", complaints=("a",)), "attempt 1, model review 2: a"),
    ],
    ids=lambda value: value.kind if hasattr(value, "kind") else "",
)  # fmt: skip
def test_the_text_of_an_event(event: ev.Event, text: str) -> None:
    assert event_text(event) == text


def test_hostile_texts_do_not_reach_the_terminal(tmp_path: Path) -> None:
    events = read_ledger(RUN).events
    with FileJournal.create(tmp_path / "run") as journal:
        for event in events[:3]:
            journal.emit(event)
        journal.emit(ev.CodeRejected(node="S0", reason="\x1b]0;owned\x07 \u202eabc\u2066", digest=""))
    text = run("show", tmp_path / "run", "--events") + run("show", tmp_path / "run", "--at", 3)
    text += run("restore", tmp_path / "run", "--at", 3, "--out", tmp_path / "out")
    assert [char for char in text if char in "\x1b\x07\u202e\u2066"] == []
