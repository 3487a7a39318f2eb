from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.errors import LedgerCorruptError, RecordError
from auditcoder.ledger.canonical import same_event
from auditcoder.ledger.chain import LEDGER_NAME, parse_ledger, read_ledger
from auditcoder.ledger.fold import fold, replay
from auditcoder.ledger.journal import FileJournal, MemoryJournal, fixed_clock
from auditcoder.ledger.outputs import render_record
from auditcoder.ledger.replay import ReplayingJournal
from auditcoder.records.code import Assembly, CodeUnit, NodeCode
from auditcoder.records.config import ROLES, ModelFacts, RunConfig
from auditcoder.records.events import (
    AttemptStarted,
    CallsRecorded,
    CandidateRanked,
    ChecksFrozen,
    ChecksRun,
    CodeRejected,
    CodeWritten,
    CostsMeasured,
    Effect,
    Event,
    FeedbackChosen,
    FindingsAdded,
    FindingSource,
    LocalChecksRun,
    MethodNoted,
    ModelCalled,
    NodesReverified,
    PlanAccepted,
    PlanReviewed,
    ProgramAssembled,
    ProgramProbed,
    RepairEnded,
    RepairStarted,
    RoundStarted,
    RunFinished,
    RunResumed,
    RunStarted,
    ScopeDeclared,
    TraceRecorded,
)
from auditcoder.records.execution import (
    CheckResult,
    ExecutionReport,
    IsolationReport,
    Measurement,
    RecordedCall,
    Recording,
    UnitCost,
)
from auditcoder.records.finding import Finding, Obligation, Versions
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.localization import Expansion, Localization, OpenSlot, Scope
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, Task
from auditcoder.records.trace import Trace, TracedLine, TracePlan
from auditcoder.records.transaction import Rank, Transaction

quick = settings(max_examples=60, deadline=None)
text = st.text(st.characters(categories=None), max_size=8)  # lone surrogates included
index = st.integers(0, 3)
amount = st.integers(0, 10**6)
seconds = st.floats(0, 1e6, allow_nan=False)
node_id = st.sampled_from(["S0", "S1", "S2", "S1_S2"])
granularity = st.sampled_from(["single", "coarse", "fine"])
value = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)


def some(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


checks = some(st.builds(
    Check, id=text, input=st.builds(FunctionInput, args=some(value)),
    expected=st.builds(Expected, value=value, has_value=st.booleans()),
))  # fmt: skip
report = st.builds(
    ExecutionReport, program=text,
    results=some(st.builds(CheckResult, check=text, outcome=st.just("pass"), observed=value, cpu_seconds=seconds)),
)  # fmt: skip
graph = st.lists(node_id, unique=True, max_size=4).map(
    lambda ids: TaskGraph(
        nodes=tuple(Node(id=name, goal="g", executor="string", kind="leaf") for name in ids), order=tuple(ids)
    )
)
code = st.builds(NodeCode, node=node_id, source=text, digest=text)
unit = st.builds(CodeUnit, name=text, kind=st.just("function"), owner=node_id, text=text, digest=text)
assembly = st.builds(Assembly, program=text, digest=text, units=some(unit), lines=st.just(()))
rank = st.builds(Rank, full_pass=st.booleans(), external=index, internal=index, clean=index)
where = st.builds(Localization, policy=st.just("paper"), anchor=text, implicated=some(node_id))
slot = st.builds(OpenSlot, provider=node_id, output=text, consumer=node_id, slot=text)
expansion = st.builds(Expansion, unit=text, owner=node_id, reason=text)
scope = st.builds(
    Scope, nodes=some(node_id), branch=st.just("") | node_id, open_slots=some(slot), expansions=some(expansion)
)
finding = st.builds(
    Finding, id=text, owners=some(node_id), verdict=st.just("reject"), evidence=st.just("judg"), witness=value,
    obligation=st.builds(Obligation, kind=st.just("semantic")),
    versions=some(st.builds(Versions, code=text, contract=text)),
)  # fmt: skip
decision = st.sampled_from(["accepted", "rolled-back", "rejected-at-border", "abstained"])
facts = st.builds(ModelFacts, profile=text, model=text, price_in=seconds, price_out=seconds)
called = st.builds(
    ModelCalled, key=text, role=st.sampled_from(ROLES), model=text, prompt_hash=text, request=text, response=text,
    prompt_tokens=amount, completion_tokens=amount, seconds=seconds, cached=st.booleans(),
)  # fmt: skip
failed = st.builds(
    ModelCalled, key=text, role=st.sampled_from(ROLES), model=text, prompt_hash=text, request=text,
    error=st.just("backbone-unavailable: down"),
)  # fmt: skip
started = st.builds(
    RunStarted, format=st.just("1.0"), version=text, config=st.builds(RunConfig), config_hash=text,
    task=st.builds(Task, id=text, statement=st.just("s"), entry=st.just(EntryPoint(kind="program")), examples=checks),
    models=some(st.tuples(st.sampled_from(ROLES), facts)), isolation=st.builds(IsolationReport, level=index, rung=text),
)  # fmt: skip
opened = st.builds(RepairStarted, index=index, localization=where, scope=scope, snapshot=text)
transaction = st.builds(
    Transaction, index=index, localization=where, scope=scope, snapshot=text, decision=decision, after=st.none() | rank
)
closed = st.builds(RepairEnded, transaction=transaction)
recording = st.builds(Recording, check=text, calls=some(st.builds(RecordedCall, unit=text, args=some(value))))
measurement = st.builds(Measurement, check=text, costs=some(st.builds(UnitCost, unit=text, peak_mb=seconds)))
RUNNING: dict[type[Event], st.SearchStrategy[Event]] = {
    ModelCalled: called,
    ChecksFrozen: st.builds(ChecksFrozen, checks=checks, hash=text, admission=text),
    AttemptStarted: st.builds(AttemptStarted, index=index, granularity=granularity, reason=text),
    PlanReviewed: st.builds(PlanReviewed, attempt=index, round=index, reviewer=st.just("model"), complaints=some(text)),
    PlanAccepted: st.builds(PlanAccepted, attempt=index, granularity=granularity, graph=graph),
    CodeWritten: st.builds(CodeWritten, attempt=index, code=code, how=st.just("generated")),
    CodeRejected: st.builds(CodeRejected, node=node_id, reason=text, digest=text),
    ProgramAssembled: st.builds(ProgramAssembled, candidate=index, attempt=index, assembly=assembly),
    ChecksRun: st.builds(ChecksRun, key=text, candidate=index, report=report),
    CallsRecorded: st.builds(CallsRecorded, key=text, candidate=index, recording=recording),
    CostsMeasured: st.builds(CostsMeasured, key=text, candidate=index, measurement=measurement),
    LocalChecksRun: st.builds(LocalChecksRun, key=text, candidate=index, node=node_id, report=report),
    FindingsAdded: st.builds(
        FindingsAdded, findings=some(finding), source=st.sampled_from(get_args(FindingSource)), unevaluated=some(text)
    ),
    ScopeDeclared: st.builds(
        ScopeDeclared, index=index, scope=scope, frozen=some(st.tuples(text, text)), graph=st.none() | graph
    ),
    NodesReverified: st.builds(
        NodesReverified, index=index, nodes=some(node_id), findings=some(text), rejected=some(text)
    ),
    RoundStarted: st.builds(RoundStarted, index=index, how=st.sampled_from(["feedback", "retry"]), candidate=index),
    TraceRecorded: st.builds(
        TraceRecorded,
        key=text,
        candidate=index,
        plan=st.builds(TracePlan),
        trace=st.builds(
            Trace,
            check=text,
            lines=some(
                st.builds(TracedLine, line=index, kind=st.just("assign"), name=text, values=some(text), count=index)
            ),
        ),
    ),
    ProgramProbed: st.builds(
        ProgramProbed,
        key=text,
        what=text,
        program=text,
        entry=st.just(EntryPoint(kind="program")),
        checks=checks,
        report=report,
    ),
    MethodNoted: st.builds(
        MethodNoted, what=text, item=text, score=st.none() | seconds, kept=st.none() | st.booleans()
    ),
    FeedbackChosen: st.builds(FeedbackChosen, index=index, policy=st.just("auto"), shown=st.just("trace"), reason=text),
    CandidateRanked: st.builds(CandidateRanked, candidate=index, rank=rank, active=st.booleans()),
    RunFinished: st.builds(RunFinished, candidate=index, program=text, rank=rank, reason=text),
}
OTHER: dict[type[Event], st.SearchStrategy[Event]] = {
    RunStarted: started,
    RepairStarted: opened,
    RepairEnded: closed,
    RunResumed: st.builds(RunResumed, failed=index),
}
running = st.one_of(*RUNNING.values())
anything = st.one_of(running, failed, *OTHER.values())
paid = st.lists(running | opened | closed, max_size=12)


def drive(journal: ReplayingJournal, events: Sequence[Event]) -> None:
    """Do what a deterministic run does: emit its decisions, ask for its effects."""
    for event in events:
        if isinstance(event, Effect):
            effect = event
            stored = journal.effect(type(effect), effect.key, lambda: effect)  # noqa: B023 - called at once
            assert same_event(stored, effect)
        else:
            journal.emit(event)


def test_the_strategies_cover_every_kind_of_event() -> None:
    assert {*RUNNING, *OTHER} == set(get_args(get_args(Event)[0]))


@quick
@given(started, st.lists(anything, max_size=15))
def test_every_prefix_folds_and_renders(first: RunStarted, rest: list[Event]) -> None:
    events = [first, *rest]
    for count in range(1, len(events) + 1):
        record = fold(events[:count])
        assert record.events == count
        assert render_record(record) == render_record(fold(events[:count]))


@quick
@given(st.lists(anything, max_size=12))
def test_writing_and_reading_is_exact(events: list[Event]) -> None:
    data = MemoryJournal(events).data
    ledger = parse_ledger(data)
    assert ledger.data == data
    assert not ledger.torn
    assert len(ledger.events) == len(events)
    assert all(same_event(one, other) for one, other in zip(ledger.events, events, strict=True))
    assert MemoryJournal(ledger.events).data == data


@quick
@given(paid, st.data())
def test_resume_after_any_cut_gives_the_same_bytes(events: list[Event], draw: st.DataObject) -> None:
    data = MemoryJournal(events).data
    cut = draw.draw(st.integers(0, len(data)))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / LEDGER_NAME).write_bytes(data[:cut])
        with FileJournal.resume(Path(folder), clock=fixed_clock) as journal:
            drive(journal, events)
        assert (Path(folder) / LEDGER_NAME).read_bytes() == data
        aside = [file.read_bytes() for file in Path(folder).glob("*.torn-*")]
        assert aside == ([data[:cut].rpartition(b"\n")[2]] if data[:cut].rpartition(b"\n")[2] else [])


@quick
@given(paid, failed, paid, st.integers(1, 3))
def test_failed_calls_never_block_a_resumed_run(
    before: list[Event], failure: ModelCalled, after: list[Event], times: int
) -> None:
    success = failure.model_copy(update={"error": "", "response": "{}"})
    journal = MemoryJournal([*before, failure])
    for _ in range(times - 1):  # the server is still down
        drive(journal, before)
        journal.effect(ModelCalled, failure.key, lambda: failure)
        journal = MemoryJournal(journal.events)
    for _ in range(2):  # the second time everything is replayed
        drive(journal, [*before, success, *after])
        assert not journal.replaying
        journal = MemoryJournal(journal.events)
    assert len(journal.events) == len(before) + len(after) + 2 * times + 1


@quick
@given(paid, st.data())
def test_changed_bytes_are_an_error_or_a_shorter_ledger(events: list[Event], draw: st.DataObject) -> None:
    data = MemoryJournal(events).data
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, min(len(data), start + 40)))
    changed = data[:start] + draw.draw(st.binary(max_size=5) | st.just(data[start : end + 1])) + data[end:]
    try:
        ledger = parse_ledger(changed)
    except (LedgerCorruptError, RecordError):
        return
    assert data.startswith(ledger.data)
    assert changed == ledger.data + ledger.tail


@quick
@given(st.binary(max_size=200) | st.lists(st.sampled_from([b"{", b'{"at":"', b"}", b"\n", b"0"])).map(b"".join))
def test_garbage_is_an_error_or_torn(data: bytes) -> None:
    try:
        ledger = parse_ledger(data)
    except (LedgerCorruptError, RecordError):
        return
    assert (ledger.entries, ledger.tail) == ((), data)


@quick
@given(
    started, paid, opened, st.lists(running, max_size=10), closed.filter(lambda e: e.transaction.decision != "accepted")
)
def test_a_repair_that_is_not_accepted_leaves_the_active_state(
    first: RunStarted, before: list[Event], begin: RepairStarted, inside: list[Event], end: RepairEnded
) -> None:
    old = replay([first, *before])
    new = replay([first, *before, begin, *inside, end])
    assert new.active == old.active
    assert new.workspaces == old.workspaces
    assert new.versions == old.versions
    assert {number: new.candidates[number] for number in old.candidates} == old.candidates
    assert new.repair is None


@quick
@given(paid)
def test_a_file_and_memory_hold_the_same_bytes(events: list[Event]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with FileJournal.create(Path(folder) / "run", clock=fixed_clock) as journal:
            drive(journal, events)
        assert read_ledger(Path(folder) / "run").data == MemoryJournal(events).data
