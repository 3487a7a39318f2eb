"""Every audit metric on small runs whose numbers are computed by hand: a whole one, a broken one, and none at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from auditcoder.audit.metrics.loading import LoadedRun, load
from auditcoder.audit.metrics.metric import Measured, Tally
from auditcoder.audit.metrics.table import METRICS
from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.outcomes import HiddenVerdicts, RunOutcome
from auditcoder.audit.verification import Difference, Verification
from auditcoder.core.assembly import assemble
from auditcoder.core.state import RunState
from auditcoder.core.units import parse_units
from auditcoder.errors import RecordError
from auditcoder.ledger.fold import core_state, replay
from auditcoder.records import events as ev
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.config import RunConfig
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import Contract, LocalCheck, Node, Provider, Slot, TaskGraph
from auditcoder.records.localization import Expansion, Localization, Scope
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionSignature, Parameter, ProgramInput, Task
from auditcoder.records.transaction import BorderViolation, Decision, Rank, Transaction

CHECKS = (Check(id="E1", input=ProgramInput(stdin="1"), expected=Expected(stdout="3")),)
TASK = Task(id="t", statement="s", entry=EntryPoint(kind="program"), examples=CHECKS)
FAILS = Rank(full_pass=False, external=0, internal=0, clean=1)
PASSES = Rank(full_pass=True, external=1, internal=0, clean=1)
ONE = "def one(n):\n    return n\n"
ONE_AGAIN = "def one(n):\n    half = n\n\n    return half + 1\n"
TWO = "def two(n):\n    return n + 1\n"
MAIN = "def main():\n    print(two(one(int(input()))))\n\n\nif __name__ == '__main__':\n    main()\n"
SOURCES = {"S0": MAIN, "S1": ONE, "S2": TWO}


def leaf(node: str, name: str, provider: str, slot: str, **fields: Any) -> Node:
    signature = FunctionSignature(name=name, parameters=(Parameter(name="n"),))
    made = {
        "id": node, "parent": "S0", "goal": "g", "executor": "simulation", "kind": "leaf",
        "contract": Contract(signatures=(signature,)), "inputs": (Slot(name="n"),), "outputs": (Slot(name=name),),
        "provenance": (Provider(slot="n", node=provider, output=slot),),
        "local_checks": (LocalCheck(id="L1", text="keeps its promise"),),
    }  # fmt: skip
    return Node(**{**made, **fields})


ROOT = Node(
    id="S0", goal="g", executor="orchestration", kind="orchestrator", inputs=(Slot(name="stdin"),),
    outputs=(Slot(name="stdout"),), provenance=(Provider(slot="stdin", node="task", output="stdin"),),
)  # fmt: skip
FIRST = leaf("S1", "one", "S0", "stdin")
SECOND = leaf("S2", "two", "S1", "one", depends_on=("S1",))
GRAPH = TaskGraph(nodes=(ROOT, FIRST, SECOND), order=("S1", "S2"))


def with_leaf(**fields: Any) -> TaskGraph:
    return TaskGraph(nodes=(ROOT, FIRST, SECOND.model_copy(update=fields)), order=("S1", "S2"))


def code(node: str, source: str) -> NodeCode:
    return NodeCode(node=node, source=source, digest=sha256_text(source))


def assembled(graph: TaskGraph, sources: Mapping[str, str]) -> Assembly:
    return assemble(graph, {node: code(node, source) for node, source in sources.items()}, TASK)


@dataclass
class Story:
    """The events of a run, made one after the other."""

    graph: TaskGraph = GRAPH
    sources: dict[str, str] = field(default_factory=lambda: dict(SOURCES))
    rank: Rank = FAILS
    config: RunConfig = field(default_factory=lambda: RunConfig(k=3))
    fallback: str = ""
    events: list[ev.Event] = field(default_factory=list)
    candidates: int = 0
    repairs: int = 0

    def __post_init__(self) -> None:
        self.events += [
            ev.RunStarted(format="1.1", version="0", task=TASK, config=self.config, config_hash="", models=(),
                          isolation=IsolationReport(level=4, rung="full")),
            ev.ChecksFrozen(checks=CHECKS, hash="h", admission="none"),
            ev.AttemptStarted(index=0, granularity="coarse", reason=""),
            ev.PlanAccepted(attempt=0, granularity="coarse", graph=self.graph),
        ]  # fmt: skip
        for node, source in self.sources.items():
            self.write(node, source, "fallback" if node == self.fallback else "generated")
        self.run(self.rank)
        self.events.append(ev.CandidateRanked(candidate=0, rank=self.rank, active=True))

    def write(self, node: str, source: str, how: str = "regenerated") -> None:
        self.events.append(ev.CodeWritten.model_validate({"attempt": 0, "code": code(node, source), "how": how}))

    def run(self, rank: Rank, assembly: Assembly | None = None) -> None:
        made = assembly or assembled(self.graph, self.sources)
        results = (CheckResult(check="E1", outcome="pass" if rank.full_pass else "wrong-answer"),)
        self.events += [
            ev.ProgramAssembled(candidate=self.candidates, attempt=0, assembly=made),
            ev.ChecksRun(
                key="k", candidate=self.candidates, report=ExecutionReport(program=made.digest, results=results)
            ),
        ]
        self.candidates += 1

    def state(self) -> RunState:
        found = core_state(replay(self.events))
        assert found is not None
        return found

    def repair(
        self,
        decision: Decision,
        source: str = ONE_AGAIN,
        *,
        after: Rank | None = PASSES,
        scope: Scope = Scope(defect="Impl", action="regenerate", nodes=("S1",)),  # noqa: B008 - frozen
        selected: Scope | None = None,
        **fields: Any,
    ) -> Story:
        """Add one repair of S1; `fields` go into the transaction."""
        found = Localization(policy="paper", anchor="E1", abstained="nobody" if decision == "abstained" else "")
        snapshot = self.state().state_hash()
        started = ev.RepairStarted(
            index=self.repairs, localization=found, scope=selected or scope, snapshot=snapshot
        )  # fmt: skip
        self.events.append(started)
        if decision != "abstained":
            self.write("S1", source)
            self.run(after or FAILS, assembled(self.graph, {**self.sources, "S1": source}))
        made: dict[str, Any] = {
            "index": self.repairs, "localization": found, "scope": scope, "snapshot": snapshot, "before": FAILS,
            "after": after, "decision": decision, "restored": "" if decision == "accepted" else snapshot, "reason": "r",
        }  # fmt: skip
        self.events.append(ev.RepairEnded(transaction=Transaction(**{**made, **fields})))
        self.repairs += 1
        if decision == "accepted":
            self.sources["S1"] = source
        return self

    def reverified(self, *findings: str, rejected: tuple[str, ...] = ()) -> Story:
        event = ev.NodesReverified(index=self.repairs - 1, nodes=("S2",), findings=findings, rejected=rejected)
        self.events.append(event)
        return self

    def found(self, owner: str) -> Story:
        """Insert a finding before the run's first repair or end."""
        obligation = Obligation(kind="semantic", predicate="contract")
        finding = Finding(
            id="F1", owners=(owner,), verdict="accept", obligation=obligation, evidence="judg", versions=()
        )  # fmt: skip
        self.events.append(ev.FindingsAdded(findings=(finding,)))
        return self

    def loaded(self, **given: Any) -> LoadedRun:
        end = ev.RunFinished(candidate=0, program="", rank=self.rank, reason="done")
        return load(**{"run": "r", "events": [*self.events, end], **given})


def measured(key: str, *runs: LoadedRun) -> Measured:
    tally = Tally(next(metric for metric in METRICS if metric.key == key))
    for run in runs:
        tally.add(run)
    return tally.measured()


def verdicts(tests: int, *passed: str) -> HiddenVerdicts:
    return HiddenVerdicts(tests=tests, passed=passed)


def outcome(**fields: Any) -> dict[str, RunOutcome]:
    return {"outcome": RunOutcome(run="r", **fields)}


def verification(*differences: Difference, finished: bool = True) -> dict[str, Verification]:
    return {"verification": Verification(format="1.1", events=9, finished=finished, differences=differences)}


def repaired(decision: Decision = "accepted", **fields: Any) -> LoadedRun:
    return Story().repair(decision, **fields).loaded()


def abstained() -> LoadedRun:
    return Story().repair("abstained", after=None).loaded()


def other_checks_behind_a_rollback() -> LoadedRun:
    """A repair during which Q was frozen anew: the fold cannot restore that, so the state behind it is another one."""
    story = Story().repair("rolled-back", after=FAILS)
    story.events.insert(-1, ev.ChecksFrozen(checks=CHECKS, hash="other", admission="none"))
    return story.loaded()


BRANCH = Scope(defect="Cmt", action="replan", nodes=("S0",), branch="S0")
EXPANDED = Scope(
    defect="Ifc", action="regenerate", nodes=("S1",), expansions=(Expansion(unit="two", owner="S2", reason="r"),)
)  # fmt: skip
CROSSED = {"after": None, "violations": (BorderViolation(unit="two", owner="S2", change="changed"),)}
DIFFERENT = Difference(7, AuditCheck.LOCALIZATION, "anchor", "E1", "E2")
WHOLE: list[tuple[str, Callable[[], LoadedRun], int, int]] = [
    ("dctc_assembly", lambda: Story().loaded(), 2, 2),
    ("dctc_repair", lambda: repaired(), 2, 2),
    ("graph_integrity", lambda: Story().loaded(), 1, 1),
    ("signature_consistency", lambda: Story().loaded(), 3, 3),
    ("localization_coverage", lambda: repaired("rolled-back", after=FAILS), 1, 1),
    ("lrs", lambda: Story().repair("accepted").loaded(**outcome(after=verdicts(2, "a", "b"))), 1, 1),
    ("rrs", lambda: repaired(scope=BRANCH), 3, 3),
    ("decision_compliance", lambda: Story().repair("rolled-back", after=FAILS).repair("accepted").loaded(), 2, 2),
    ("rollback_integrity", lambda: Story().repair("rolled-back", after=FAILS).repair("accepted").loaded(), 1, 1),
    ("containment_scopes", lambda: Story().repair("accepted").loaded(**outcome(injected_owner="S1")), 1, 1),
    ("containment_faults", lambda: Story().repair("accepted").loaded(**outcome(injected_owner="S1")), 1, 1),
    ("replay", lambda: Story().loaded(**verification()), 1, 1),
    ("frozen_reverification", lambda: Story().repair("accepted").reverified("F1", "F2").loaded(), 1, 1),
]
BROKEN: list[tuple[str, Callable[[], LoadedRun], int, int, str]] = [
    ("dctc_assembly", lambda: Story(fallback="S2").loaded(), 1, 2, "S2: no code"),
    ("dctc_repair", lambda: Story(graph=with_leaf(contract=Contract())).loaded(), 1, 2, "S2: no contract"),
    ("dctc_repair", lambda: Story(graph=with_leaf(provenance=())).loaded(), 1, 2, "S2: no provenance"),
    ("dctc_repair", lambda: Story(graph=with_leaf(local_checks=())).loaded(), 1, 2, "S2: no validation"),
    ("dctc_repair", lambda: Story(graph=with_leaf(local_checks=(), provenance=())).loaded(), 1, 2,
     "S2: no provenance, no validation"),
    ("graph_integrity", lambda: Story(graph=GRAPH.model_copy(update={"order": ("S1",)})).loaded(), 0, 1,
     "the order lists leaf S2 0 times, not once"),
    ("localization_coverage", abstained, 0, 1, "abstained: r"),
    ("lrs", lambda: Story().repair("accepted").loaded(**outcome(after=verdicts(3, "a"))), 0, 1,
     "1 of 3 hidden tests pass"),
    ("lrs", lambda: Story().repair("accepted").loaded(**outcome(after=verdicts(0))), 0, 1, "0 of 0 hidden tests pass"),
    ("decision_compliance", lambda: repaired("accepted", after=FAILS), 0, 1,
     "repair 1 was accepted, its ranks say rolled-back"),
    ("decision_compliance", lambda: repaired("rolled-back", after=PASSES), 0, 1,
     "repair 1 was rolled-back, its ranks say accepted"),
    ("decision_compliance", lambda: repaired("rolled-back", **CROSSED), 0, 1,
     "repair 1 was rolled-back, its ranks say rejected-at-border"),
    ("decision_compliance", lambda: repaired("accepted", after=None), 0, 1,
     "repair 1 was accepted, its ranks say rolled-back"),
    ("rollback_integrity", lambda: repaired("rolled-back", after=FAILS, restored="other"), 0, 1,
     "repair 1: the recorded hashes differ"),
    ("rollback_integrity", lambda: repaired("rolled-back", after=FAILS, snapshot="x", restored="x"), 0, 1,
     "repair 1: the state has another hash than the recorded one"),
    ("containment_scopes", lambda: Story().repair("accepted").loaded(**outcome(injected_owner="S2")), 0, 1,
     "the fault of S2 is not in S1"),
    ("containment_faults", lambda: Story().repair("abstained", after=None).loaded(**outcome(injected_owner="S2")), 0, 1,
     "no scope for the fault of S2"),
    ("replay", lambda: Story().loaded(**verification(DIFFERENT, DIFFERENT)), 0, 1, "event 7, V11: anchor (and 1 more)"),
    ("replay", lambda: Story().loaded(**verification(finished=False)), 0, 1, "unfinished"),
    ("frozen_reverification", lambda: Story().repair("accepted").reverified("F1", rejected=("F2",)).loaded(), 0, 1,
     "repair 1: F2 rejects"),
    ("test_regression", lambda: Story().repair("accepted").loaded(
        **outcome(before=verdicts(4, "a", "b", "c"), after=verdicts(4, "b", "d"))), 2, 3, "passes no more: a, c"),
]  # fmt: skip
NOT_MEASURED: list[tuple[str, Callable[[], LoadedRun], int]] = [
    ("localization_coverage", lambda: Story(rank=PASSES).loaded(), 0),
    ("localization_coverage", lambda: Story(config=RunConfig(k=0)).loaded(), 0),
    ("lrs", lambda: repaired(), 1),
    ("lrs", abstained, 0),
    ("rrs", abstained, 0),
    ("ccr", abstained, 0),
    ("ccr_accepted", lambda: repaired("rolled-back", after=FAILS), 0),
    ("test_regression", lambda: Story().repair("accepted").loaded(**outcome(after=verdicts(1, "a"))), 1),
    ("test_regression", lambda: Story().loaded(**outcome(before=verdicts(1, "a"), after=verdicts(1))), 0),
    ("decision_compliance", abstained, 0),
    ("rollback_integrity", abstained, 0),
    ("containment_scopes", lambda: repaired(), 1),
    ("containment_scopes", lambda: Story().repair("abstained", after=None).loaded(**outcome(injected_owner="S1")), 0),
    ("containment_faults", lambda: repaired(), 1),
    ("replay", lambda: Story().loaded(), 1),
    ("frozen_reverification", lambda: Story().repair("accepted").loaded(), 0),
    ("frozen_reverification", lambda: Story().repair("accepted").reverified().loaded(), 0),
]


@pytest.mark.parametrize(("key", "run", "numerator", "denominator"), WHOLE, ids=[row[0] for row in WHOLE])
def test_a_whole_run(key: str, run: Callable[[], LoadedRun], numerator: int, denominator: int) -> None:
    found = measured(key, run())
    assert (found.numerator, found.denominator, found.value, found.against) == (numerator, denominator, 1.0, ())
    assert not found.broken


@pytest.mark.parametrize(
    ("key", "run", "numerator", "denominator", "why"), BROKEN, ids=[f"{row[0]}: {row[4]}" for row in BROKEN]
)
def test_what_counts_against_it_is_named(
    key: str, run: Callable[[], LoadedRun], numerator: int, denominator: int, why: str
) -> None:
    found = measured(key, run())
    assert (found.numerator, found.denominator) == (numerator, denominator)
    assert [(one.run, one.what) for one in found.against] == [("r", why)]
    assert found.value == numerator / denominator
    assert found.broken == (found.metric.key in MUST_BE_ONE)


MUST_BE_ONE = {"graph_integrity", "decision_compliance", "rollback_integrity", "replay"}


def test_the_metrics_that_are_one_by_construction() -> None:
    assert {metric.key for metric in METRICS if metric.by_construction} == MUST_BE_ONE


@pytest.mark.parametrize(
    ("key", "run", "missing"), NOT_MEASURED, ids=[f"{row[0]}-{i}" for i, row in enumerate(NOT_MEASURED)]
)
def test_what_was_not_measured_has_no_value(key: str, run: Callable[[], LoadedRun], missing: int) -> None:
    found = measured(key, run())
    assert (found.numerator, found.denominator, found.value, found.mean) == (0, 0, None, None)
    assert (found.missing, found.broken) == (missing, False)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_without_runs_nothing_has_a_value(metric: Any) -> None:
    found = measured(metric.key)
    assert (found.value, found.mean, found.against, found.broken) == (None, None, (), False)


def test_every_metric_is_in_a_table_above() -> None:
    keys = {metric.key for metric in METRICS}
    assert len(keys) == len(METRICS)
    assert keys - {row[0] for row in WHOLE} == {
        "ccr",
        "ccr_accepted",
        "test_regression",
    }  # they have tests of their own
    assert keys - {row[0] for row in BROKEN} == {"rrs", "ccr", "ccr_accepted", "signature_consistency"}


def test_means_are_over_parts_and_values_over_sums() -> None:
    two_of_two = Story().loaded()
    one_leaf = TaskGraph(nodes=(ROOT, leaf("S1", "one", "S0", "stdin", local_checks=())), order=("S1",))
    sources = {"S0": MAIN.replace("two(one(int(input())))", "one(int(input()))"), "S1": ONE}
    none_of_one = Story(graph=one_leaf, sources=sources).loaded(run="other")
    found = measured("dctc_repair", two_of_two, none_of_one)
    assert (found.numerator, found.denominator, found.value) == (2, 3, 2 / 3)
    assert found.mean == 0.5
    assert [one.run for one in found.against] == ["other"]


def test_a_finding_or_the_checks_of_a_sole_owner_are_validation() -> None:
    story = Story(graph=with_leaf(local_checks=())).found("S2")
    run = story.loaded()
    assert measured("dctc_repair", run).value == 1.0
    assert measured("dctc_assembly", run).value == 0.5  # the finding came later
    sole = Node(id="S0", goal="g", executor="orchestration", kind="leaf", contract=FIRST.contract)
    alone = Story(graph=TaskGraph(nodes=(sole,), order=("S0",)), sources={"S0": f"{ONE}\n\nprint(one(1))\n"})
    assert measured("dctc_repair", alone.loaded()).value == 1.0  # it takes nothing, and Q speaks about it alone


def test_rrs_counts_expansions_and_rolled_back_repairs_too() -> None:
    run = Story().repair("rolled-back", after=FAILS, scope=EXPANDED).repair("accepted").loaded()
    found = measured("rrs", run)
    assert (found.numerator, found.denominator) == (2 + 1, 3 + 3)
    assert found.mean == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_containment_is_judged_on_the_selected_scope_of_the_first_repair() -> None:
    given = outcome(injected_owner="S2")
    selected = EXPANDED.model_copy(update={"expansions": ()})
    expanded = Story().repair("accepted", scope=EXPANDED, selected=selected).loaded(**given)
    later = Story().repair("rolled-back", after=FAILS).repair("accepted", scope=BRANCH).loaded(**given)
    whole = Story().repair("accepted", scope=BRANCH).loaded(**given)
    silent = Story().repair("abstained", after=None).loaded(**given)
    runs = (expanded, later, whole, silent)
    assert [measured("containment_scopes", run).numerator for run in runs] == [0, 0, 1, 0]
    assert measured("containment_scopes", *runs).denominator == 3
    assert measured("containment_faults", *runs).denominator == 4


def test_ccr_is_what_a_repair_left_in_the_final_program() -> None:
    # ONE_AGAIN has four lines; `def one` is not new and one line is blank, so two changed ones are left. The program
    # has 3 + 2 + 4 = 9 lines of code: one, two, and the entry.
    run = Story().repair("rolled-back", after=FAILS).repair("accepted").loaded()
    found = measured("ccr", run)
    assert (found.numerator, found.denominator) == (2, 18)
    assert found.mean == pytest.approx((0 + 2 / 9) / 2)
    alone = measured("ccr_accepted", run)
    assert (alone.numerator, alone.denominator) == (2, 9)
    assert found.against == alone.against == ()


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def two(m):\n    return m\n", "S2: `two(n)` has other parameters"),
        ("def two():\n    return 1\n", "S2: `two(n)` has other parameters"),
        ("def two(n, m):\n    return n\n", "S2: `two(n)` has other parameters"),
        ("def two(n, m=1):\n    return n\n", ""),
        ("def two(n):\n    return n\n\n\ndef two(n):\n    return n\n", "S2: `two` is defined 2 times by it, 2 times"),
        (
            "if True:\n    def two(n):\n        return n\nelse:\n    def two(n):\n        return 1\n",
            "S2: `two` is defined 2",
        ),
        ("def other(n):\n    def two(n):\n        return n\n    return two(n)\n", "S2: `two` is defined 0 times by it"),
        ("def two(n:\n", "S2: its code does not parse"),
    ],
    ids=["name", "too few", "too many", "default", "twice", "in both branches", "nested", "no Python"],
)
def test_signature_consistency(source: str, why: str) -> None:
    run = signed({**SOURCES, "S2": source})
    found = measured("signature_consistency", run)
    assert (found.numerator, found.denominator) == (2 if why else 3, 3)
    assert [one.what.startswith(why) for one in found.against] == ([True] if why else [])


def signed(sources: Mapping[str, str]) -> LoadedRun:
    """Return a run whose program is these sources one after the other, as they are: what no pipeline would link."""
    program = "\n\n".join(sources.values())
    units = [unit for node, source in SOURCES.items() for unit in found_units(source, node)]
    assembly = Assembly(program=program, digest=sha256_text(program), units=tuple(units), lines=())
    story = Story()
    story.events = [event for event in story.events if not isinstance(event, ev.CodeWritten | ev.ProgramAssembled)]
    place = next(i for i, event in enumerate(story.events) if isinstance(event, ev.ChecksRun))
    written = [ev.CodeWritten(attempt=0, code=code(n, s), how="generated") for n, s in sources.items()]
    story.events[place:place] = [*written, ev.ProgramAssembled(candidate=0, attempt=0, assembly=assembly)]
    return story.loaded()


def found_units(source: str, node: str) -> Sequence[Any]:
    units = parse_units(source, node, starts=node == "S0")
    assert isinstance(units, tuple)
    return units


def test_the_methods_of_a_class_are_its_signatures() -> None:
    task = TASK.model_copy(update={"entry": EntryPoint(kind="class", name="Box")})
    methods = (FunctionSignature(name="put", parameters=(Parameter(name="x"),)), FunctionSignature(name="size"))
    root = Node(id="S0", goal="g", executor="class-state", kind="leaf", contract=Contract(signatures=methods))
    graph = TaskGraph(nodes=(root,), order=("S0",))
    good = "class Box:\n    def put(self, x):\n        pass\n\n    @staticmethod\n    def size():\n        return 0\n"
    for source, kept in ((good, 1), (good.replace("put", "push"), 0), (good.replace("Box:", "Box(Base):"), 1)):
        assembly = assemble(graph, {"S0": code("S0", source)}, task)
        story = Story()
        start = story.events[0]
        assert isinstance(start, ev.RunStarted)
        report = ExecutionReport(program=assembly.digest, results=())
        story.events = [
            start.model_copy(update={"task": task}),
            ev.ChecksFrozen(checks=(), hash="", admission=""),
            ev.AttemptStarted(index=0, granularity="single", reason=""),
            ev.PlanAccepted(attempt=0, granularity="single", graph=graph),
            ev.CodeWritten(attempt=0, code=code("S0", source), how="generated"),
            ev.ProgramAssembled(candidate=0, attempt=0, assembly=assembly),
            ev.ChecksRun(key="k", candidate=0, report=report),
            ev.CandidateRanked(candidate=0, rank=PASSES, active=True),
        ]
        found = measured("signature_consistency", story.loaded())
        assert (found.numerator, found.denominator) == (kept, 1)


def test_a_rollback_that_left_something_behind_is_found() -> None:
    found = measured("rollback_integrity", other_checks_behind_a_rollback())
    assert (found.numerator, found.denominator, found.broken) == (0, 1, True)
    assert [one.what for one in found.against] == [
        "repair 1: not restored: checks_hash", "repair 1: the state has another hash than the recorded one",
    ]  # fmt: skip


def test_a_rejection_at_the_border_is_a_rollback_and_complies() -> None:
    run = repaired("rejected-at-border", **CROSSED)
    assert measured("decision_compliance", run).value == 1.0
    assert measured("rollback_integrity", run).value == 1.0


def test_events_of_an_unfinished_run_are_no_run() -> None:
    with pytest.raises(RecordError, match="finished run"):
        load("r", Story().events)
