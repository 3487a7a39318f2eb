"""Ledgers of real runs on tasks of ours, kept as they were written: every decision is made again and compared.

The pipeline runs over each ledger: no model and no sandbox is there, and a step that asks for one, or decides anything
else than the recorded run did, is a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from auditcoder.ledger.chain import Ledger, read_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.outputs import changed_outputs, load_run
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import CandidateRanked, CodeWritten, Event, FindingsAdded, ModelCalled, RunFinished

HERE = Path(__file__).parent
RUNS = sorted(path for path in (HERE / "runs").iterdir() if path.is_dir())
PLANNED = HERE / "runs" / "late-trains-coarse-0.5b"
"""A run with judged findings, an accepted repair and one that was rolled back."""


def decisions(runs: Sequence[Path]) -> set[str]:
    return {transaction.decision for run in runs for transaction in load_run(run).transactions}


def test_the_kept_runs_hold_every_way_a_repair_ends_but_one_and_plans() -> None:
    assert decisions(RUNS) >= {"accepted", "rolled-back", "abstained"}
    assert any(len(record.graph.nodes) > 1 for record in map(load_run, RUNS) if record.graph)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_record_and_program_are_what_the_ledger_says(run: Path) -> None:
    assert changed_outputs(run) == ()
    events = read_ledger(run).events
    models = {event.model_hash for event in events if isinstance(event, ModelCalled)}
    assert all(len(digest) == 64 for digest in models)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_program_does_the_same_again(run: Path) -> None:
    ledger = read_ledger(run)
    replayed = replay_run(ledger)
    assert replayed.differences == ()
    assert (replayed.compared, replayed.note) == (len(ledger.events), "")


@pytest.mark.parametrize("upto", [1, 2, 7, 20])
def test_what_there_is_of_an_unfinished_run_comes_out(upto: int) -> None:
    entries = read_ledger(PLANNED).entries[:upto]
    replayed = replay_run(Ledger(entries))
    assert (replayed.differences, replayed.compared) == ((), upto)


def test_a_ledger_of_another_version_is_not_replayed_and_says_so() -> None:
    replayed = replay_run(read_ledger(HERE / "format-1.0" / "largest-jump-0.5b"))
    assert (replayed.differences, replayed.compared) == ((), 0)
    assert replayed.note.startswith("not replayed: format 1.0")


Forge = Callable[[list[Event]], int]
"""Changes the events; returns the number of the event that the replay must stop at."""


def first(events: Sequence[Event], kind: type[Event]) -> int:
    return next(number for number, event in enumerate(events) if isinstance(event, kind))


def leave_out_a_ranking(events: list[Event]) -> int:
    at = first(events, CandidateRanked)
    del events[at]
    return at


def leave_out_a_verifiers_call(events: list[Event]) -> int:
    at = next(n for n, event in enumerate(events) if isinstance(event, ModelCalled) and event.role == "verifier")
    del events[at : at + 2]
    return at


def turn_a_verdict_round(events: list[Event]) -> int:
    at = next(n for n, e in enumerate(events) if isinstance(e, FindingsAdded) and e.source == "verifier")
    added = events[at]
    assert isinstance(added, FindingsAdded)
    turned = "accept" if added.findings[0].verdict == "reject" else "reject"
    forged = added.findings[0].model_copy(update={"verdict": turned})
    events[at] = added.model_copy(update={"findings": (forged, *added.findings[1:])})
    return at


def ask_once_more(events: list[Event]) -> int:
    at = first(events, CodeWritten)
    events.insert(at, events[at - 1])
    return at


def end_before_the_repair(events: list[Event]) -> int:
    at = first(events, CandidateRanked) + 1
    finish = events[-1]
    assert isinstance(finish, RunFinished)
    events[at:] = [finish]
    return at


FORGED: list[Forge] = [
    leave_out_a_ranking,
    leave_out_a_verifiers_call,
    turn_a_verdict_round,
    ask_once_more,
    end_before_the_repair,
]


@pytest.mark.parametrize("forge", FORGED, ids=lambda forge: forge.__name__)
def test_what_was_left_out_added_or_turned_round_is_found_where_it_happened(forge: Forge) -> None:
    events = list(read_ledger(PLANNED).events)
    at = forge(events)
    [difference] = replay_run(MemoryJournal(events).ledger).differences
    assert (difference.event, difference.check.value) == (at, "V23")
