"""The live view: a sequence of events gives a view, and the view gives text."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from typing import Any, Literal

import pytest
from rich.console import Console

from auditcoder.cli.live.advance import advance, call_progressed, call_started
from auditcoder.cli.live.lines import lines
from auditcoder.cli.live.render import call_text, duration, numbers, render
from auditcoder.cli.live.view import NodeView, RunView
from auditcoder.cli.live.watch import Watcher
from auditcoder.records import events as ev
from auditcoder.records.code import Assembly, LineOwner, NodeCode
from auditcoder.records.config import ModelFacts, RunConfig
from auditcoder.records.execution import CheckResult, ExecutionReport, Frame, IsolationReport, Outcome
from auditcoder.records.graph import Node, TaskGraph
from auditcoder.records.localization import Expansion, Localization, OpenSlot, Scope
from auditcoder.records.task import Check, EntryPoint, Expected, ProgramInput, Task
from auditcoder.records.transaction import Decision, Rank, Transaction

CHECKS = tuple(Check(id=f"example-{n}", input=ProgramInput(stdin=""), expected=Expected(stdout="")) for n in (1, 2))
TASK = Task(id="demo", statement="Do it.", entry=EntryPoint(kind="program"), examples=CHECKS)
RANK = Rank(full_pass=False, external=1, internal=0, clean=2)
STARTED = ev.RunStarted(
    format="1.0", version="0", task=TASK, config=RunConfig(), config_hash="",
    isolation=IsolationReport(level=4, rung="full"),
    models=(("generator", ModelFacts(profile="p", model="m", price_in=1.0, price_out=2.0)),),
)  # fmt: skip


def graph(*ids: str) -> TaskGraph:
    leaves = [i for i in ids if i != "S0"]
    nodes = [
        Node(id=i, parent="" if i == "S0" else "S0", goal=f"goal {i}", executor="greedy",
             kind="orchestrator" if i == "S0" else "leaf")
        for i in ids
    ]  # fmt: skip
    return TaskGraph(nodes=tuple(nodes), order=tuple(leaves))


def call(node: str, *, cached: bool = False, seconds: float = 4.0) -> ev.ModelCalled:
    return ev.ModelCalled(
        key="k", role="generator", node=node, model="m", prompt_hash="", request="{}", prompt_tokens=1_000_000,
        completion_tokens=500_000, seconds=seconds, cached=cached,
    )  # fmt: skip


def code(node: str, how: Literal["generated", "regenerated", "fallback"] = "generated") -> ev.CodeWritten:
    return ev.CodeWritten(attempt=0, code=NodeCode(node=node, source="a\nb\n", digest=""), how=how)


def program(candidate: int) -> ev.ProgramAssembled:
    owners = (LineOwner(first=1, last=2, unit="f", owner="S1"), LineOwner(first=3, last=9, unit="main", owner="S0"))
    return ev.ProgramAssembled(
        candidate=candidate, attempt=0, assembly=Assembly(program="", digest="", units=(), lines=owners)
    )


def ran(candidate: int, *outcomes: Outcome, line: int = 0) -> ev.ChecksRun:
    frames = (Frame(line=3, function="main"), Frame(line=line, function="f")) if line else ()
    results = tuple(
        CheckResult(check=f"example-{n}", outcome=outcome, frames=frames if outcome != "pass" else ())
        for n, outcome in enumerate(outcomes, 1)
    )
    return ev.ChecksRun(key="", candidate=candidate, report=ExecutionReport(program="", results=results))


LOCALIZED = Localization(policy="paper", anchor="example-2", rule="Trace", defect="Impl", grade="high")
SCOPE = Scope(defect="Impl", action="regenerate", nodes=("S1",))


def repair_start(scope: Scope = SCOPE) -> ev.RepairStarted:
    return ev.RepairStarted(index=0, localization=LOCALIZED, scope=scope, snapshot="")


def repair_end(decision: Decision) -> ev.RepairEnded:
    transaction = Transaction(index=0, localization=LOCALIZED, scope=SCOPE, snapshot="", decision=decision, reason="r")
    return ev.RepairEnded(transaction=transaction)


def view_of(*events: ev.Event, view: RunView | None = None) -> RunView:
    view = view or RunView()
    for event in events:
        view = advance(view, event)
    return view


def states(view: RunView) -> dict[str, str]:
    return {node.id: node.state for node in view.nodes}


PLAN = (
    STARTED,
    ev.AttemptStarted(index=0, granularity="coarse", reason="asked for"),
    ev.PlanAccepted(attempt=0, granularity="coarse", graph=graph("S0", "S1", "S2")),
)
WRITTEN = (*PLAN, call("S1"), code("S1"), call("S2"), code("S2"), call("S0"), code("S0"), program(0))
FAILED = (*WRITTEN, ran(0, "pass", "runtime-error", line=2))

STATE_CASES: dict[str, tuple[tuple[ev.Event, ...], dict[str, str]]] = {
    "planned": (PLAN, {"S0": "planned", "S1": "planned", "S2": "planned"}),
    "one written": ((*PLAN, code("S1")), {"S0": "planned", "S1": "written", "S2": "planned"}),
    "checking": (WRITTEN, {"S0": "checking", "S1": "checking", "S2": "checking"}),
    "passed": ((*WRITTEN, ran(0, "pass", "pass")), {"S0": "passed", "S1": "passed", "S2": "passed"}),
    "a frame names the node": (FAILED, {"S0": "written", "S1": "failing", "S2": "written"}),
    "no frame: the root": (
        (*WRITTEN, ran(0, "pass", "wrong-answer")), {"S0": "failing", "S1": "written", "S2": "written"},
    ),
    "repairing": ((*FAILED, repair_start()), {"S0": "written", "S1": "repairing", "S2": "written"}),
    "candidate of a repair": (
        (*FAILED, repair_start(), code("S1", "regenerated"), program(1)),
        {"S0": "written", "S1": "checking", "S2": "written"},
    ),
    "repaired": (
        (*FAILED, repair_start(), code("S1", "regenerated"), program(1), ran(1, "pass", "pass"),
         repair_end("accepted")),
        {"S0": "passed", "S1": "repaired", "S2": "passed"},
    ),
    "rolled back": (
        (*FAILED, repair_start(), code("S1", "regenerated"), program(1), ran(1, "timeout", "pass"),
         repair_end("rolled-back")),
        {"S0": "written", "S1": "rolled back", "S2": "written"},
    ),
    "abstained changes nothing": (
        (*FAILED, repair_start(), repair_end("abstained")), {"S0": "written", "S1": "failing", "S2": "written"},
    ),
    "a new plan": (
        (*FAILED, ev.AttemptStarted(index=1, granularity="single", reason="auto"),
         ev.PlanAccepted(attempt=1, granularity="single", graph=graph("S0"))),
        {"S0": "planned"},
    ),
}  # fmt: skip


BRANCH = Scope(defect="Cmt", action="replan", nodes=("S1",), branch="S1")
PARTS = tuple(Node(id=i, parent="S1", goal=f"goal {i}", executor="greedy", kind="leaf") for i in ("S1_S1", "S1_S2"))
THREE = graph("S0", "S1", "S2")
BRANCH_ROOT = THREE.node("S1").model_copy(update={"kind": "orchestrator"})
REPLANNED = TaskGraph(nodes=(THREE.node("S0"), BRANCH_ROOT, THREE.node("S2"), *PARTS), order=("S1_S1", "S1_S2", "S2"))
OPEN = OpenSlot(provider="S1", output="kept", consumer="S2", slot="kept")
CALLER = Expansion(unit="main", owner="S0", reason="calls `f`, whose interface changes")
PAIR = Scope(defect="Ifc", action="regenerate", nodes=("S1", "S2"), open_slots=(OPEN,), expansions=(CALLER,))


def declare(scope: Scope, plan: TaskGraph | None = None) -> ev.ScopeDeclared:
    return ev.ScopeDeclared(index=0, scope=scope, frozen=(("main", "x"),), graph=plan)


REPLANNING = (*FAILED, repair_start(BRANCH), declare(BRANCH, REPLANNED))
STATE_CASES |= {
    "a branch is planned again": (
        REPLANNING, {"S0": "written", "S1": "repairing", "S2": "written", "S1_S1": "planned", "S1_S2": "planned"},
    ),
    "a branch is repaired": (
        (*REPLANNING, code("S1_S1"), code("S1_S2"), code("S1"), program(1), ran(1, "pass", "pass"),
         repair_end("accepted")),
        {"S0": "passed", "S1": "repaired", "S2": "passed", "S1_S1": "repaired", "S1_S2": "repaired"},
    ),
    "a branch is rolled back": (
        (*REPLANNING, code("S1_S1"), repair_end("rolled-back")),
        {"S0": "written", "S1": "rolled back", "S2": "written"},
    ),
    "an interface is settled": (
        (*FAILED, repair_start(PAIR), declare(PAIR, graph("S0", "S1", "S2"))),
        {"S0": "repairing", "S1": "repairing", "S2": "repairing"},
    ),
    "a plain scope is declared": (
        (*FAILED, repair_start(), declare(SCOPE)), {"S0": "written", "S1": "repairing", "S2": "written"},
    ),
}  # fmt: skip

SCOPE_LINES: dict[str, tuple[ev.Event, tuple[str, ...]]] = {
    "plain": (declare(SCOPE), ()),
    "branch": (declare(BRANCH, REPLANNED), ("scope   plans S1 again: S1_S1, S1_S2", "scope   1 unit frozen")),
    "pair": (
        declare(PAIR, graph("S0", "S1", "S2")),
        ("scope   settles S1.kept for S2.kept", "scope   also main of S0: calls `f`, whose interface changes",
         "scope   1 unit frozen"),
    ),
    "nothing verified again": (ev.NodesReverified(index=0, nodes=()), ()),
    "replan starts": (repair_start(BRANCH), ("repair  1: replan S1 (Trace, Impl, high)",)),
}  # fmt: skip


@pytest.mark.parametrize(("event", "expected"), SCOPE_LINES.values(), ids=SCOPE_LINES.keys())
def test_lines_on_scopes(event: ev.Event, expected: tuple[str, ...]) -> None:
    assert lines(event, view_of(*FAILED)) == expected


def test_the_stage_names_the_kind_of_repair() -> None:
    assert view_of(*REPLANNING).stage == "repair 1: S1 planned again"
    assert view_of(*FAILED, repair_start(PAIR), declare(PAIR)).stage == "repair 1: interface settled"
    assert view_of(ev.NodesReverified(index=0, nodes=("S2",)), view=view_of(*FAILED)).stage.startswith("frozen nodes")


@pytest.mark.parametrize(("events", "expected"), STATE_CASES.values(), ids=STATE_CASES.keys())
def test_states(events: tuple[ev.Event, ...], expected: dict[str, str]) -> None:
    assert states(view_of(*events)) == expected


def test_a_rollback_restores_the_count_of_passed_checks() -> None:
    view = view_of(*FAILED, repair_start(), program(1), ran(1, "timeout", "timeout"))
    assert (view.passed, view.candidate) == (0, 1)
    view = view_of(repair_end("rolled-back"), view=view)
    assert (view.passed, view.candidate, view.repairs) == (1, 0, ("rolled-back",))


def test_the_end_shows_the_candidate_that_is_the_program() -> None:
    first = ev.CandidateRanked(candidate=0, rank=RANK, active=True)
    second = (
        ev.AttemptStarted(index=1, granularity="single", reason=""),
        ev.PlanAccepted(attempt=1, granularity="single", graph=graph("S0")),
        code("S0"), program(1), ran(1, "timeout", "timeout"), ev.CandidateRanked(candidate=1, rank=RANK, active=False),
    )  # fmt: skip
    end = ev.RunFinished(candidate=0, program="", rank=RANK, reason="the repair budget is used up")
    view = view_of(*FAILED, first, *second, end)
    assert (set(states(view)), view.passed, view.finished, view.open_calls()) == ({"S0", "S1", "S2"}, 1, True, 0)


def test_calls_are_counted_priced_and_timed() -> None:
    spent = view_of(*PLAN, call("S1", seconds=4), call("S2", seconds=2), call("S0", cached=True, seconds=0)).spent
    assert (spent.calls, spent.cached, spent.prompt_tokens) == (3, 1, 3_000_000)
    assert spent.usd == pytest.approx(4.0)  # two paid calls: 1 USD for the prompt, 1 USD for the answer each
    assert (spent.shortest, spent.longest, spent.timed) == (2, 4, 2)


def test_time_left_is_planned_calls_times_the_shortest_and_longest_less_the_running_one() -> None:
    assert view_of(STARTED, call(""), call("")).seconds_left() is None
    assert view_of(*PLAN, call("S1", seconds=4), code("S1")).seconds_left() is None  # one call tells no range
    view = view_of(*PLAN, call("", seconds=2), call("S1", seconds=4), code("S1"))
    assert view.open_calls() == 2
    assert view.seconds_left() == pytest.approx((4.0, 8.0))
    view = call_progressed(call_started(view, "generator", "S2"), 30, 3.0)
    assert view.seconds_left() == pytest.approx((1.0, 5.0))
    assert states(view)["S2"] == "writing"
    assert view.call is not None
    assert view.call.rate == pytest.approx(10.0)


def test_replayed_steps_are_counted() -> None:
    view = RunView()
    for event in PLAN:
        view = advance(view, event, replayed=True)
    assert view.replayed == 3


LINE_CASES: dict[str, tuple[ev.Event, str]] = {
    "started": (STARTED, "task    demo, 2 checks, isolation full (level 4)"),
    "call": (call("S1"), "call    generator S1: 1000000 + 500000 tokens in 4.0 s"),
    "cached": (call("S1", cached=True), "call    generator S1: 1000000 + 500000 tokens from the cache"),
    "agent": (
        call("S0").model_copy(update={"agent": "coder"}), "call    coder (generator): 1000000 + 500000 tokens in 4.0 s",
    ),
    "round": (ev.RoundStarted(index=1, how="retry", candidate=0), "round   2: retry on candidate 0"),
    "feedback": (
        ev.FeedbackChosen(index=0, policy="auto", shown="error", reason="the outcome is timeout"),
        "shows   error: the outcome is timeout",
    ),
    "code": (code("S1"), "code    S1: 2 lines, generated"),
    "checks": (
        ran(0, "pass", "runtime-error"), "checks  1/2 passed; first failure: example-2 runtime-error",
    ),
    "all pass": (ran(0, "pass", "pass"), "checks  2/2 passed"),
    "repair": (repair_start(), "repair  1: regenerate S1 (Trace, Impl, high)"),
    "decision": (repair_end("rolled-back"), "repair  rolled-back: r"),
    "recheck": (
        ev.NodesReverified(index=0, nodes=("S0", "S1"), findings=("F3", "F4"), rejected=("F4",)),
        "recheck 1 finding against nodes that the repair left as they were",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("event", "line"), LINE_CASES.values(), ids=LINE_CASES.keys())
def test_lines(event: ev.Event, line: str) -> None:
    assert lines(event, view_of(STARTED, event)) == (line,)


def test_the_tree_shows_nodes_states_call_and_numbers() -> None:
    view = call_progressed(call_started(view_of(*FAILED, repair_start()), "regenerator", "S1"), 12, 2.0)
    console = Console(file=StringIO(), width=140, color_system=None)
    console.print(render(view, 65.0))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "✗" not in text
    assert "↻ S1  goal S1  repairing, 2 lines" in text
    assert "call   regenerator S1: 12 tokens, 2 s, 6.0 tokens/s" in text
    assert "checks 1/2   calls 3 (0 cached, 0 failed)" in text
    assert "1 min 05 s elapsed, about 2 s left   isolation level 4" in text


def test_at_80_columns_goals_are_cut_and_states_are_not() -> None:
    nodes = tuple(
        NodeView(i, i.rpartition("_")[0], "long goal " * 9, True, "written", 12) for i in ("S0", "S1", "S1_S2")
    )
    view = replace(view_of(STARTED), title="[2/8]  going on with runs/r", nodes=nodes)
    console = Console(file=StringIO(), width=80, color_system=None)
    console.print(render(call_started(view, "generator", "S1"), 5.0, 80))
    shown = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert shown[0] == "[2/8]  going on with runs/r"
    rows = [line for line in shown if "S0" in line or "S1  " in line or "S1_S2" in line][:3]
    assert all(row.rstrip().endswith("…  written, 12 lines") for row in rows), rows
    assert "call   generator S1: waiting for the answer, 0 s" in "\n".join(shown)


def test_no_examples_means_no_count_of_checks() -> None:
    blind = view_of(STARTED.model_copy(update={"task": TASK.model_copy(update={"examples": ()})}))
    assert "checks none (no examples)   calls 0" in numbers(blind, 1.0).plain
    end = ev.RunFinished(candidate=0, program="", rank=RANK, reason="every check passes")
    assert lines(end, advance(blind, end)) == ("done    not checked: the task has no examples",)


LATER = ev.AttemptStarted(index=1, granularity="single", reason="auto")
SECOND = ev.PlanAccepted(attempt=1, granularity="single", graph=graph("S0"))
LATER_ATTEMPTS: dict[str, tuple[ev.Event, ...]] = {
    "without a program": (LATER, SECOND),
    "with a worse program": (
        *(LATER, SECOND, code("S0"), program(1), ran(1, "wrong-answer", "wrong-answer")),
        ev.CandidateRanked(candidate=1, rank=RANK, active=False),
    ),
}


@pytest.mark.parametrize("later", LATER_ATTEMPTS.values(), ids=LATER_ATTEMPTS.keys())
@pytest.mark.parametrize("decision", ["rolled-back", "abstained", "accepted", None])
def test_repair_and_end_are_those_of_the_program_so_far(later: tuple[ev.Event, ...], decision: Decision | None) -> None:
    view = view_of(*FAILED, ev.CandidateRanked(candidate=0, rank=RANK, active=True), *later)
    last = 0
    if decision is not None:
        view = view_of(repair_start(), view=view)
        assert states(view) == {"S0": "written", "S1": "repairing", "S2": "written"}
        if decision == "accepted":
            last = 2
            view = view_of(program(2), ran(2, "pass", "pass"), view=view)
        view = view_of(repair_end(decision), view=view)
    end = ev.RunFinished(candidate=last, program="", rank=RANK, reason="r")
    view = view_of(end, view=view)
    assert set(states(view)) == {"S0", "S1", "S2"}
    assert lines(end, view) == (f"done    {2 if last else 1}/2 checks: r",)


def test_no_check_that_ran_is_a_count_of_none() -> None:
    end = ev.RunFinished(candidate=0, program="", rank=RANK, reason="there is no program")
    assert lines(end, view_of(STARTED, end)) == ("done    0/2 checks: there is no program",)


def test_a_local_model_reads_the_prompt_before_its_first_token() -> None:
    facts = ModelFacts(profile="embedded", model="m", sha256="ab")
    started = STARTED.model_copy(update={"models": (("generator", facts),)})
    text = call_text(call_started(view_of(started), "generator", "S1"))
    assert text == "call   generator S1: reading the prompt, 0 s"


def test_the_call_of_a_rival_is_named_by_its_agent_and_the_round_is_the_stage() -> None:
    begun = view_of(STARTED, ev.RoundStarted(index=0, how="feedback", candidate=0))
    view = call_started(begun, "regenerator", "S0", "fixer")
    assert call_text(view) == "call   fixer (regenerator): waiting for the answer, 0 s"
    assert view.stage == "round 1 (feedback)"


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.9, "59 s"), (60, "1 min 00 s"), (3720, "1 h 02 min")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def watched(events: tuple[tuple[ev.Event, bool], ...], **options: Any) -> str:
    console = Console(file=StringIO(), force_terminal=options.pop("terminal", False), width=120)
    with Watcher(console, **options) as watcher:
        for seq, (event, replayed) in enumerate(events):
            watcher.on_event(seq, event, replayed)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_plain_lines_tell_of_a_resume_once_and_repeat_nothing() -> None:
    text = watched(((STARTED, True), (call("S1"), True), (code("S1"), False), (code("S2"), False)))
    assert text == (
        "resumed 2 recorded steps, 1 model call not repeated\ncode    S1: 2 lines, generated\n"
        "code    S2: 2 lines, generated\n"
    )


def test_quiet_says_nothing() -> None:
    assert watched(((STARTED, False), (code("S1"), False)), quiet=True) == ""


def test_a_terminal_gets_the_tree() -> None:
    text = watched(tuple((event, False) for event in FAILED), terminal=True)
    assert "S1" in text
    assert "checks 1/2" in text


def test_the_second_run_of_the_checks_on_one_candidate_is_its_confirmation() -> None:
    run = next(event for event in FAILED if isinstance(event, ev.ChecksRun))
    before = view_of(*FAILED)
    assert not before.again
    after = view_of(run, view=before)
    assert after.again
    failing = "checks  1/2 passed again; first failure:"
    assert lines(run, after)[0].startswith(failing)
    passing = run.model_copy(update={"report": run.report.model_copy(update={"results": run.report.results[:1]})})
    assert lines(passing, after) == ("checks  1/1 confirmed",)
