from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from auditcoder.errors import LedgerCorruptError, LedgerError, RecordError
from auditcoder.ledger.chain import LEDGER_NAME, parse_ledger, read_ledger
from auditcoder.ledger.fold import fold, fold_ledger, replay, usage_of
from auditcoder.ledger.journal import FileJournal, MemoryJournal
from auditcoder.ledger.outputs import changed_outputs, load_run, render_record, write_outputs
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, LineOwner, NodeCode
from auditcoder.records.config import ModelFacts, RunConfig
from auditcoder.records.events import (
    AttemptStarted,
    CandidateRanked,
    ChecksFrozen,
    ChecksRun,
    CodeWritten,
    Event,
    FindingsAdded,
    ModelCalled,
    PlanAccepted,
    ProgramAssembled,
    RepairEnded,
    RepairStarted,
    RunFinished,
    RunStarted,
)
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport, Outcome
from auditcoder.records.finding import Finding, Obligation, Versions
from auditcoder.records.graph import Granularity, Node, TaskGraph
from auditcoder.records.localization import Localization, Scope
from auditcoder.records.run import RunRecord
from auditcoder.records.task import Check, EntryPoint, Expected, ProgramInput, Task, checks_hash
from auditcoder.records.transaction import Decision, Rank, Transaction

CHECKS = (Check(id="e1", input=ProgramInput(stdin="1\n"), expected=Expected(stdout="1\n")),)
MODELS = (
    ("generator", ModelFacts(profile="a", model="m", price_in=2.0, price_out=8.0)),
    ("planner", ModelFacts(profile="b", model="n", price_in=1.0)),
)
STARTED = RunStarted(
    format="1.0",
    version="0.1.0",
    task=Task(id="t", statement="Écho.", entry=EntryPoint(kind="program"), examples=CHECKS),
    config=RunConfig(),
    config_hash="c",
    models=MODELS,  # type: ignore[arg-type]
    isolation=IsolationReport(level=0, rung="limits"),
)
FROZEN = ChecksFrozen(checks=CHECKS, hash=checks_hash(CHECKS), admission="paper")
GOOD, BAD = (
    Rank(full_pass=True, external=1, internal=0, clean=1),
    Rank(full_pass=False, external=0, internal=0, clean=1),
)


def plan(attempt: int, *nodes: str, granularity: Granularity = "coarse", fallback: str = "") -> list[Event]:
    made = tuple(
        Node(id=n, parent="" if n == "S0" else "S0", goal=n, executor="simulation", kind="leaf") for n in nodes
    )
    graph = TaskGraph(nodes=made, order=nodes)
    return [
        AttemptStarted(index=attempt, granularity="auto", reason=f"because {attempt}"),
        PlanAccepted(attempt=attempt, granularity=granularity, graph=graph, fallback=fallback),
    ]


def code(node: str, source: str) -> NodeCode:
    return NodeCode(node=node, source=source, digest=sha256_text(source))


def program(
    candidate: int, attempt: int, changed: dict[str, str], whole: dict[str, str], outcome: Outcome
) -> list[Event]:
    """Return the events that write the changed sources, assemble the whole program, and run it."""
    text = "".join(whole.values())
    units = tuple(
        CodeUnit(name=f"f_{node}", kind="function", owner=node, text=source, digest=sha256_text(source))
        for node, source in whole.items()
    )
    lines = tuple(LineOwner(first=i + 1, last=i + 1, unit=u.name, owner=u.owner) for i, u in enumerate(units))
    assembly = Assembly(program=text, digest=sha256_text(text), units=units, lines=lines)
    report = ExecutionReport(program=assembly.digest, results=(CheckResult(check="e1", outcome=outcome),))
    how: Literal["generated", "regenerated"] = "generated" if changed == whole else "regenerated"
    return [
        *(CodeWritten(attempt=attempt, code=code(node, source), how=how) for node, source in changed.items()),
        ProgramAssembled(candidate=candidate, attempt=attempt, assembly=assembly),
        ChecksRun(key=f"k{candidate}", candidate=candidate, report=report),
    ]


def repair(
    index: int, node: str, decision: Decision, inside: Sequence[Event], after: Rank | None = None
) -> list[Event]:
    where = Localization(policy="paper", anchor="e1", implicated=(node,), defect="Impl", grade="low", rule="Local")
    scope = Scope(defect="Impl", action="regenerate", nodes=(node,))
    done = Transaction(
        index=index, localization=where, scope=scope, snapshot="s", before=BAD, after=after, decision=decision
    )
    return [
        RepairStarted(index=index, localization=where, scope=scope, snapshot="s"),
        *inside,
        RepairEnded(transaction=done),
    ]


def ranked(candidate: int, rank: Rank, *, active: bool) -> CandidateRanked:
    return CandidateRanked(candidate=candidate, rank=rank, active=active)


def finding(name: str, *owners: str) -> Finding:
    versions = tuple(Versions(code="x", contract="y") for _ in owners)
    return Finding(
        id=name, owners=owners, verdict="reject", obligation=Obligation(kind="semantic"), evidence="judg",
        versions=versions,
    )  # fmt: skip


V1, V2 = {"S0": "main()\n", "S1": "bad\n"}, {"S0": "main()\n", "S1": "good\n"}
FIRST: list[Event] = [
    STARTED,
    FROZEN,
    *plan(0, "S0", "S1"),
    *program(0, 0, V1, V1, "wrong-answer"),
    ranked(0, BAD, active=True),
    FindingsAdded(findings=(finding("F1", "S1"), finding("F2", "S0", "S1"))),
]
CHANGE = program(1, 0, {"S1": "good\n"}, V2, "pass")
FINISHED = RunFinished(candidate=1, program="p", rank=GOOD, reason="all checks pass")


def active_part(record: RunRecord) -> dict[str, object]:
    """Return the part of a record that a rollback restores."""
    codes = [(entry.node, entry.code, entry.units, entry.versions) for entry in record.responsibilities]
    return {
        "graph": record.graph, "codes": codes, "assembly": record.assembly, "candidate": record.candidate,
        "report": record.report, "rank": record.rank, "attempts": record.attempts,
    }  # fmt: skip


def test_every_prefix_folds() -> None:
    events = [*FIRST, *repair(0, "S1", "accepted", CHANGE, GOOD), FINISHED]
    records = [fold(events[:count]) for count in range(1, len(events) + 1)]
    assert [record.events for record in records] == list(range(1, len(events) + 1))
    assert [record.status for record in records] == ["running"] * (len(events) - 1) + ["finished"]
    assert records[1].checks == CHECKS
    assert records[1].checks_hash == checks_hash(CHECKS)


@pytest.mark.parametrize("events", [[], [FROZEN], [FINISHED, FROZEN]], ids=["empty", "not started", "ended only"])
def test_a_run_that_never_started_has_no_record(events: list[Event]) -> None:
    with pytest.raises(RecordError, match=r"run\.started"):
        fold(events)


def test_before_the_first_program_the_record_shows_plan_and_sources() -> None:
    record = fold(FIRST[:5])
    assert record.graph is not None
    assert [node.id for node in record.graph.nodes] == ["S0", "S1"]
    assert [entry.code for entry in record.responsibilities] == [code("S0", "main()\n"), None]
    assert (record.candidate, record.assembly, record.rank) == (None, None, None)


def test_the_first_ranked_candidate_becomes_the_program() -> None:
    record = fold(FIRST)
    assert (record.candidate, record.rank) == (0, BAD)
    assert record.report is not None
    assert record.report.results[0].outcome == "wrong-answer"
    root, leaf = record.responsibilities
    assert (root.units, root.findings, root.versions) == (("f_S0",), ("F2",), (sha256_text("main()\n"),))
    assert (leaf.units, leaf.findings, leaf.transactions) == (("f_S1",), ("F1", "F2"), ())
    [attempt] = record.attempts
    assert (attempt.granularity, attempt.nodes, attempt.candidate, attempt.rank) == ("coarse", 2, 0, BAD)


def test_an_accepted_repair_makes_its_candidate_the_program() -> None:
    record = fold([*FIRST, *repair(0, "S1", "accepted", CHANGE, GOOD)])
    assert record.assembly is not None
    assert (record.candidate, record.rank, record.assembly.program) == (1, GOOD, "main()\ngood\n")
    assert record.report is not None
    assert record.report.results[0].outcome == "pass"
    root, leaf = record.responsibilities
    assert leaf.code == code("S1", "good\n")
    assert leaf.versions == (sha256_text("bad\n"), sha256_text("good\n"))
    assert (root.versions, root.transactions, leaf.transactions) == ((sha256_text("main()\n"),), (), (0,))
    assert record.attempts[0].rank == BAD  # what the attempt gave before repairs


@pytest.mark.parametrize("decision", ["rolled-back", "rejected-at-border", "abstained"])
@pytest.mark.parametrize("step", range(len(CHANGE) + 1))
def test_a_repair_that_is_not_accepted_restores_everything(decision: Decision, step: int) -> None:
    before = fold(FIRST)
    after = fold([*FIRST, *repair(0, "S1", decision, CHANGE[:step], BAD)])
    assert active_part(after) == active_part(before)
    assert [done.decision for done in after.transactions] == [decision]


def test_a_rollback_also_undoes_plan_rank_and_verdicts_of_the_old_candidate() -> None:
    inside = [
        *plan(0, "S0")[1:],
        *CHANGE,
        ranked(1, GOOD, active=True),
        ChecksRun(key="again", candidate=0, report=ExecutionReport(program="", results=())),
        ranked(0, GOOD, active=False),
    ]
    after = replay([*FIRST, *repair(0, "S1", "rolled-back", inside)])
    assert after.snapshot().candidates[0] == replay(FIRST).candidates[0]
    assert after.workspaces == replay(FIRST).workspaces
    assert after.versions == replay(FIRST).versions
    assert (after.active, after.repair) == (0, None)


def test_a_repair_in_progress_changes_nothing_yet() -> None:
    events = [*FIRST, *repair(0, "S1", "accepted", CHANGE, GOOD)[:-1]]
    assert active_part(fold(events)) == active_part(fold(FIRST))
    assert replay(events).repair == replay(FIRST).snapshot()


def test_a_repair_after_a_rollback_starts_from_the_restored_sources() -> None:
    worse = program(1, 0, {"S1": "worse\n"}, {"S0": "main()\n", "S1": "worse\n"}, "timeout")
    change = program(2, 0, {"S0": "main2()\n"}, {"S0": "main2()\n", "S1": "bad\n"}, "pass")
    record = fold([*FIRST, *repair(0, "S1", "rolled-back", worse), *repair(1, "S0", "accepted", change, GOOD)])
    assert [entry.code for entry in record.responsibilities] == [code("S0", "main2()\n"), code("S1", "bad\n")]
    assert record.candidate == 2
    assert record.responsibilities[1].versions == (sha256_text("bad\n"),)


def test_a_second_attempt_that_is_worse_leaves_the_first_active() -> None:
    other = {"S0": "whole\n"}
    again = [*plan(1, "S0", granularity="single", fallback="gave up"), *program(1, 1, other, other, "runtime-error")]
    record = fold([*FIRST, *again, ranked(1, BAD, active=False)])
    assert (record.candidate, len(record.responsibilities)) == (0, 2)
    assert [(a.granularity, a.nodes, a.fallback, a.candidate) for a in record.attempts] == [
        ("coarse", 2, "", 0),
        ("single", 1, "gave up", 1),
    ]
    better = fold([*FIRST, *again, ranked(1, GOOD, active=True)])
    assert (better.candidate, [entry.node for entry in better.responsibilities]) == (1, ["S0"])


def test_sources_outside_the_plan_are_no_part_of_the_program() -> None:
    stray = CodeWritten(attempt=0, code=code("S9", "x"), how="generated")
    assert set(replay([STARTED, *plan(0, "S0"), stray, *program(0, 0, V1, V1, "pass")]).candidates[0].codes) == {"S0"}


@pytest.mark.parametrize(
    "event",
    [ranked(9, GOOD, active=True), program(9, 0, {}, V1, "pass")[-1], repair(0, "S1", "accepted", [])[-1]],
    ids=["ranked", "run", "ended"],
)
def test_an_event_about_something_unknown_changes_nothing_active(event: Event) -> None:
    assert active_part(fold([*FIRST, event])) == active_part(fold(FIRST))


def call(role: str, tokens: tuple[int, int], *, cached: bool = False, error: str = "") -> ModelCalled:
    return ModelCalled(
        key="k", role=role, model="m", prompt_hash="p", request="{}", prompt_tokens=tokens[0],  # type: ignore[arg-type]
        completion_tokens=tokens[1], seconds=0.5, cached=cached, error=error,
    )  # fmt: skip


def test_usage_is_counted_by_role_and_priced_by_model() -> None:
    calls = [
        call("generator", (1000, 500)), call("planner", (100, 10)), call("generator", (1000, 500), cached=True),
        call("generator", (50, 0), error="context-overflow: too long"), call("verifier", (7, 7)),
    ]  # fmt: skip
    record = fold([STARTED, *calls])
    rows = {row.role: row for row in record.usage}
    assert list(rows) == ["planner", "generator", "verifier", "total"]
    generator, total = rows["generator"], rows["total"]
    assert (generator.calls, generator.cached, generator.failed, generator.seconds) == (3, 1, 1, 1.5)
    assert (generator.prompt_tokens, generator.completion_tokens) == (2050, 1000)
    assert generator.usd == pytest.approx((1050 * 2.0 + 500 * 8.0) / 1e6)
    assert rows["planner"].usd == pytest.approx(100 / 1e6)
    assert rows["verifier"].usd == 0.0
    assert (total.calls, total.prompt_tokens) == (5, 2157)
    assert total.usd == pytest.approx(sum(row.usd for row in record.usage[:-1]))
    assert usage_of([], {})[0].calls == 0


RUN = [*FIRST, *repair(0, "S1", "accepted", CHANGE, GOOD), FINISHED]


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    with FileJournal.create(tmp_path / "run") as journal:
        for event in RUN:
            journal.emit(event)
    return tmp_path / "run"


def test_outputs_are_written_from_the_ledger_alone(run_dir: Path) -> None:
    record = write_outputs(run_dir)
    assert (run_dir / "program.py").read_bytes() == b"main()\ngood\n"
    text = (run_dir / "record.json").read_text(encoding="utf-8")
    assert RunRecord.model_validate(json.loads(text)) == record == load_run(run_dir)
    assert "Écho." in text
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert record.ledger_head == read_ledger(run_dir).head
    assert sorted(file.name for file in run_dir.iterdir()) == [LEDGER_NAME, "program.py", "record.json"]


def test_an_unfinished_run_has_a_record_and_perhaps_no_program(tmp_path: Path) -> None:
    with FileJournal.create(tmp_path) as journal:
        journal.emit(STARTED)
        assert write_outputs(tmp_path).status == "running"
        assert not (tmp_path / "program.py").exists()
        journal.emit(FROZEN)  # writing the outputs does not disturb the open journal
    assert load_run(tmp_path).events == 2  # the record stands at an earlier event: fine
    assert changed_outputs(tmp_path) == ()


def test_a_lone_surrogate_survives_in_the_record() -> None:
    odd = STARTED.model_copy(update={"version": "\ud800é"})
    assert json.loads(render_record(fold([odd])))["version"] == "\ud800é"


def test_any_earlier_state_can_be_restored() -> None:
    ledger = parse_ledger(MemoryJournal(RUN).data)
    for count in range(1, len(RUN) + 1):
        assert fold_ledger(ledger, count) == fold(RUN[:count], head=ledger.entries[count - 1].line.hash)
    assert fold_ledger(ledger) == fold_ledger(ledger, len(RUN))


def test_a_ledger_that_lost_its_last_events_is_found(run_dir: Path) -> None:
    write_outputs(run_dir)
    lines = (run_dir / LEDGER_NAME).read_bytes().splitlines(keepends=True)
    for kept in range(1, len(lines)):
        (run_dir / LEDGER_NAME).write_bytes(b"".join(lines[:kept]))
        with pytest.raises(LedgerCorruptError, match="made from another ledger"):
            load_run(run_dir)


@pytest.mark.parametrize("name", ["program.py", "record.json"])
def test_every_changed_byte_of_an_output_is_found(run_dir: Path, name: str) -> None:
    write_outputs(run_dir)
    assert changed_outputs(run_dir) == ()
    data = (run_dir / name).read_bytes()
    for position in range(0, len(data), 1 + len(data) // 150):
        (run_dir / name).write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        try:
            changed = changed_outputs(run_dir)
        except (LedgerCorruptError, RecordError):
            assert name == "record.json"
        else:
            assert changed == (name,)


def test_a_missing_output_is_found(run_dir: Path) -> None:
    write_outputs(run_dir)
    (run_dir / "program.py").unlink()
    assert changed_outputs(run_dir) == ("program.py",)
    (run_dir / "record.json").unlink()
    with pytest.raises(LedgerError, match="cannot be read"):
        changed_outputs(run_dir)


def test_another_major_format_is_refused(tmp_path: Path, run_dir: Path) -> None:
    later = MemoryJournal([STARTED.model_copy(update={"format": "2.0"})]).data
    (tmp_path / LEDGER_NAME).write_bytes(later)
    with pytest.raises(RecordError, match=r"format version 2\.0"):
        load_run(tmp_path)
    write_outputs(run_dir)
    record = json.loads((run_dir / "record.json").read_text(encoding="utf-8"))
    (run_dir / "record.json").write_text(json.dumps(record | {"format": "2.0"}), encoding="utf-8")
    with pytest.raises(RecordError, match=r"format version 2\.0"):
        load_run(run_dir)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[" * 100_000, '{"format": "1.0"}'], ids=lambda t: t[:20])
def test_a_garbage_record_is_a_clear_error(run_dir: Path, text: str) -> None:
    (run_dir / "record.json").write_text(text, encoding="utf-8")
    with pytest.raises(RecordError):
        load_run(run_dir)
