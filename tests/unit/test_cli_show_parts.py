"""`auditcoder show`: candidates that were turned away, single events, folders of runs, earlier states, long texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from auditcoder.cli.main import app
from auditcoder.cli.showing.candidate import at_candidate, candidate_part
from auditcoder.cli.showing.evidence import executed
from auditcoder.cli.showing.facts import Facts, facts_of
from auditcoder.cli.showing.single import answer, messages, single_part
from auditcoder.cli.showing.words import GRADES, abstention, diagnosis
from auditcoder.core.abstention import Abstention
from auditcoder.ledger.chain import LEDGER_NAME, read_ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import FileJournal
from auditcoder.records import events as ev
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.localization import Localization

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "tests" / "replay" / "runs"
PLANNED = RUNS / "average-rating-planned-1.5b"
TIDE = RUNS / "tide-table-coarse-0.5b"
EXAMPLE = ROOT / "docs" / "record-example"
LEDGERS = [*(ROOT / "tests" / "replay").glob(f"*/*/{LEDGER_NAME}"), EXAMPLE / LEDGER_NAME]


def shown(*arguments: object, code: int = 0, columns: int = 200) -> str:
    result = CliRunner().invoke(app, ["show", *map(str, arguments)], env={"COLUMNS": str(columns)})
    assert result.exit_code == code, result.output
    return result.output


def number_of(run: Path, kind: str, nth: int = 0) -> int:
    """Return the number of the nth event of a kind."""
    return [entry.line.seq for entry in read_ledger(run).entries if entry.event.kind == kind][nth]


def test_a_candidate_of_an_earlier_attempt_has_its_plan_owners_checks_and_program() -> None:
    text = shown(PLANNED, "--candidate", 1)
    for part in (
        "1, made by plan attempt 2; not the program, that is 2", "2 of 3 pass, rank (0, 2, 0, 2)",
        "S2  round the average to one decimal place", "ZeroDivisionError", "10  S0         average = calculate",
    ):  # fmt: skip
        assert part in text, part


def test_a_rolled_back_repair_can_be_read() -> None:
    text = shown(TIDE, "--candidate", 1)
    assert "made by repair 1: rolled-back; not the program, that is 0" in text
    assert "for i in range(1, len(heights) - 1):" in text
    assert "for i in range(1, len(heights) - 1):" in shown(TIDE, "S0", "--candidate", 1)
    assert "for i in range" not in shown(TIDE, "S0")


def test_a_line_is_that_of_the_candidate() -> None:
    assert "owner      S2  round the average" in shown(PLANNED, 5, "--candidate", 1)
    assert "It has 4 lines." in shown(PLANNED, 5, code=2)


def test_the_candidates_of_a_run_are_listed() -> None:
    rows = shown(TIDE, code=1).partition("\ncandidates")[2].splitlines()[2:5]
    assert [row.split()[0] for row in rows] == ["0", "1", "2"]
    assert ["not the program" in row for row in rows] == [False, True, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((PLANNED, "S1"), "Nodes: S0. S1 is in candidate 1: show RUN S1 --candidate 1"),
        ((PLANNED, "s2"), "S2 is in candidate 1: show RUN S2 --candidate 1"),
        ((PLANNED, "--candidate", 7), "the run has no candidate 7\n  Candidates: 0, 1, 2."),
        ((PLANNED, "--candidate", 1, "--at", 3), "Candidates: none yet (state after event 3 of 35)."),
        ((PLANNED, "--event", 99), "the run has no event 99\n  Its events are 0 to 35."),
        ((PLANNED, "S0", "--event", 3), "--event shows one event of the run"),
        ((PLANNED, "--events", "--event", 3), "--events and --event show different things"),
        ((PLANNED, 1, "--at", 3), "there is no program yet (state after event 3 of 35)"),
        ((PLANNED, "S0", "--at", 1), "Nodes: none yet (state after event 1 of 35)."),
    ],
    ids=[
        "node",
        "small",
        "candidate",
        "early candidate",
        "event",
        "event and node",
        "two lists",
        "early line",
        "early node",
    ],
)
def test_what_is_not_there_says_where_to_look(arguments: tuple[object, ...], message: str) -> None:
    assert message in shown(*arguments, code=2)


@pytest.mark.parametrize("event", [0, 8, 12, 35])
def test_an_earlier_state_of_a_finished_run_is_no_stopped_run(event: int) -> None:
    text = shown(PLANNED, "--at", event)
    assert "stopped before its end" not in text
    assert (f"state after event {event} of 35" in text) is (event < 35)


def test_a_model_call_shows_prompt_and_answer() -> None:
    number = number_of(TIDE, "model.called", -1)
    text = shown(TIDE, "--event", number)
    for part in ("role      regenerator", "node      S0", "tokens    427 in, 96 out", "prompt: user",
                 "prompt: assistant", "answer\n", "        if heights[i] > heights[i - 1] and"):  # fmt: skip
        assert part in text, part
    assert json.loads(shown(TIDE, "--event", number, "--json")) == json.loads(read_ledger(TIDE).entries[number].raw)


def test_a_long_prompt_is_cut_in_its_middle_unless_all_is_wanted() -> None:
    number = number_of(TIDE, "model.called")
    request = read_ledger(TIDE).entries[number].event
    assert isinstance(request, ev.ModelCalled)
    longest = max((text for _, text in messages(request.request)), key=lambda text: len(text.splitlines()))
    long = longest + "\n" + "\n".join(f"line {n}" for n in range(100))
    event = request.model_copy(update={"request": json.dumps({"messages": [{"role": "user", "content": long}]})})
    run = Path("cut")
    with FileJournal.create(run) as journal:
        for one in (read_ledger(TIDE).events[0], event):
            journal.emit(one)
    assert "more lines; --full has all" in (text := shown(run, "--event", 1))
    assert "line 99" in text
    assert "line 50" not in text
    assert "line 50" in shown(run, "--event", 1, "--full")


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ('{"messages":[{"role":"user","content":"hi"}],"system":"be"}', [("system", "be"), ("user", "hi")]),
        ('{"messages":[{"role":"user","parts":[{"text":"a"},{"text":"b"}]}]}', [("user", "ab")]),
        ('{"messages":[{"role":"user","parts":[{"image":1}]}]}', [("user", '{"image": 1}')]),
        ('{"prompt":1}', [("request", '{"prompt":1}')]),
        ("no json", [("request", "no json")]),
    ],
    ids=["system", "parts", "no text", "no messages", "broken"],
)
def test_the_messages_of_a_request(request_text: str, expected: list[tuple[str, str]]) -> None:
    assert messages(request_text) == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [('{"message":{"parts":[{"text":"yes"}]}}', "yes"), ('{"message":{"content":"yes"}}', "yes"), ("", ""), ("{", "{")],
    ids=["parts", "content", "none", "broken"],
)
def test_the_text_of_an_answer(response: str, expected: str) -> None:
    assert answer(response) == expected


def test_code_is_shown_as_a_difference_to_the_version_before() -> None:
    text = shown(TIDE, "--event", number_of(TIDE, "code.written", 2))
    assert "-    indices = step_high_tides(heights)" in text
    assert "+    indices = []" in text
    first = shown(TIDE, "--event", number_of(TIDE, "code.written"))
    assert "source\n  def step_high_tides" in first


def test_a_repair_shows_what_it_rests_on_and_what_was_turned_away() -> None:
    text = shown(TIDE, "--event", number_of(TIDE, "repair.started"))
    for part in ("grade low: a model's judgement", "supported by F2, applicability asserted: judged",
                 "turned away F1 (rejecting): it accepts", "Trace: does not apply", "scope as selected"):  # fmt: skip
        assert part in text, part
    ended = shown(TIDE, "--event", number_of(TIDE, "repair.ended"))
    assert "(0, 3, 0, 4) -> (0, 3, 0, 4)" in ended
    assert "turned away F1 (rejecting): it accepts" in ended


def test_repairs_name_their_evidence_in_the_run_and_at_the_node() -> None:
    text = shown(TIDE, code=1)
    assert "F2 judged; 1 turned away" in text
    assert "repair 1: grade low: a model's judgement" in text
    assert "rests on F2 judged (asserted); 1 turned away" in shown(TIDE, "S0")
    assert "turned away F1 (rejecting): it accepts" in shown(TIDE, "--full", code=1)


def test_a_plan_shows_what_each_node_promises_and_a_run_of_checks_what_each_gave() -> None:
    text = shown(TIDE, "--event", number_of(TIDE, "plan.accepted"))
    assert "signature  step_high_tides(heights: list[int]) -> list[int]" in text
    assert "parent     S0" in text
    checks = shown(TIDE, "--event", number_of(TIDE, "checks.run"))
    assert "example-2  wrong-answer  0.00" in checks
    assert "expected a list of 1 items ([1])" in checks


def test_the_first_event_tells_every_setting_and_no_default_of_a_comparison() -> None:
    text = shown(EXAMPLE, "--event", 0)
    assert "config.boundary_count" in text
    assert "comparator.rel_tol" not in text
    assert "comparator.rel_tol" in shown(EXAMPLE, "--event", 0, "--full")


def test_calls_and_findings_of_an_event() -> None:
    calls = shown(EXAMPLE, "--event", number_of(EXAMPLE, "calls.recorded"))
    assert "total([1, 2, 3]) -> 5" in calls
    findings = shown(EXAMPLE, "--event", number_of(EXAMPLE, "findings.added"))
    assert "F1    rejects semantic, executed by monitors" in findings
    assert "(candidate 0, not current)" in findings


@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda file: f"{file.parent.parent.name}/{file.parent.name}")
def test_the_first_event_of_each_kind_and_every_candidate_of_real_runs_is_shown(ledger: Path) -> None:
    whole = read_ledger(ledger)
    facts, record = facts_of(whole.events), fold_ledger(whole)
    console = Console(width=120, highlight=False, markup=False)
    for number in {entry.event.kind: entry.line.seq for entry in whole.entries}.values():
        part = single_part(whole, number, facts)
        with console.capture() as captured:
            console.print(*part.text, sep="\n")
        head = f"event {number} of {len(whole.entries) - 1}  {whole.entries[number].event.kind}"
        assert captured.get().startswith(head)
        assert part.data == json.loads(whole.entries[number].raw)
    for event in (event for event in whole.events if isinstance(event, ev.ProgramAssembled)):
        data = candidate_part(at_candidate(record, facts, event.candidate)[0], record.candidate, facts).data
        assert isinstance(data, dict)
        assert data["assembly"]["digest"] == event.assembly.digest
        assert data["active"] is (event.candidate == record.candidate)


def test_the_events_as_json_and_within_80_columns() -> None:
    data = json.loads(shown(PLANNED, "--events", "--json"))
    lines = [entry.line for entry in read_ledger(PLANNED).entries]
    assert [(one["seq"], one["at"], one["kind"]) for one in data] == [(x.seq, x.at, x.event.kind) for x in lines]
    assert all(one["text"] for one in data)
    text = shown(PLANNED, "--events", columns=80)
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"{line.at[11:19]}  {line.event.kind}" in text for line in lines)


def test_the_second_run_of_the_checks_is_its_confirmation() -> None:
    assert [one["text"] for one in json.loads(shown(PLANNED, "--events", "--json")) if one["kind"] == "checks.run"] == [
        "candidate 0: 2/3 passed; first failure: example-3 runtime-error ZeroDivisionError",
        "candidate 1: 2/3 passed; first failure: example-3 runtime-error ZeroDivisionError",
        "candidate 2: 3/3 passed", "candidate 2: 3/3 confirmed",
    ]  # fmt: skip


def test_a_folder_of_runs_is_listed(tmp_path: Path) -> None:
    (tmp_path / "tide").symlink_to(TIDE)
    for name, data in (("broken", b"{}\n"), ("good", (EXAMPLE / LEDGER_NAME).read_bytes())):
        (tmp_path / name).mkdir()
        (tmp_path / name / LEDGER_NAME).write_bytes(data)
    rows = shown(tmp_path).splitlines()
    assert "2 runs in" in rows[0]
    assert rows[2].split()[:2] == ["broken", "unreadable"]
    assert " ".join(rows[3].split()) == "good auditcoder finished 2 of 2 checks pass 1 accepted"
    broken, good = json.loads(shown(tmp_path, "--json"))
    assert broken["status"] == "unreadable"
    assert good == {
        "run": "good", "task": "sum-of-numbers", "method": "auditcoder", "status": "finished",
        "reason": "every check passes", "checks": 2, "passed": 2, "repairs": ["accepted"], "rounds": 0,
    }  # fmt: skip
    assert shown(tmp_path, "--full").splitlines() == rows
    assert "is no run folder" in shown(tmp_path, "S1", code=2)


def test_long_texts_go_on_beside_their_label() -> None:
    for text in (shown(TIDE, "S0", columns=60), shown(TIDE, columns=60, code=1).partition("\nplan")[0]):
        width = 10 if text.startswith("task") else 13
        lines = [line for line in text.splitlines()[1:] if line.strip()]
        until = next((n for n, line in enumerate(lines) if line.startswith("def ")), len(lines))
        known = ("  ", "status", "models", "isolation", "ledger")
        assert [line for line in lines[:until] if not line.startswith(known)] == []
        assert any(line.startswith(" " * width) for line in lines[:until])


def test_the_statement_is_whole_when_asked_for() -> None:
    statement = read_ledger(TIDE).events[0]
    assert isinstance(statement, ev.RunStarted)
    last = statement.task.statement.split()[-1]
    assert last not in shown(TIDE, code=1).splitlines()[0]
    assert last in " ".join(shown(TIDE, "--full", code=1).partition("status ")[0].split())


def test_without_a_rejection_there_is_no_empty_table() -> None:
    held = Finding(id="F1", owners=("S1",), verdict="accept", obligation=Obligation(kind="semantic"), evidence="exec",
                   versions=())  # fmt: skip
    console = Console(width=100)
    with console.capture() as captured:
        console.print(executed([held], Facts()))
    assert captured.get() == "executed on nodes: 0 rejections, 1 accept\n"


@pytest.mark.parametrize("reason", list(Abstention))
def test_a_reason_to_abstain_has_its_sentence(reason: Abstention) -> None:
    assert abstention(reason.value) == f"{reason.value}: {reason.text}"


def test_other_words_stay_as_they_are() -> None:
    assert abstention("no usable code came back") == "no usable code came back"
    where = Localization(policy="paper", anchor="e1", failure="WA", rule="Local", defect="Ifc", grade="medium")
    assert diagnosis(where) == "Local, Ifc, medium"
    assert sorted(GRADES) == ["high", "low", "medium"]


def test_an_abstention_is_told_with_its_sentence() -> None:
    run = next(
        file.parent for file in LEDGERS
        if any(isinstance(e, ev.RepairStarted) and e.localization.abstained for e in read_ledger(file).events)
    )  # fmt: skip
    event = next(e for e in read_ledger(run).events if isinstance(e, ev.RepairStarted) and e.localization.abstained)
    sentence = Abstention(event.localization.abstained).text
    result = CliRunner().invoke(app, ["show", str(run), "--full"], env={"COLUMNS": "400"})
    assert sentence in result.output
