"""Repairs of interfaces and commitments on scripted answers: what may change, what runs, what a rollback restores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from auditcoder.audit.verify import verify_ledger
from auditcoder.core.graph import integrity
from auditcoder.core.replan import ids_of
from auditcoder.ledger.fold import core_state
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.state import FoldState
from auditcoder.programs.replaying import replay_run
from auditcoder.records.config import Role
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task

Solve = Callable[..., Any]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [], 0)),
)
KEEP = "def keep_positive(items):\n    return [i for i in items if i > 0]"
KEEP_ALL = "def keep_positive(items):\n    return items"
ADD = "def add_up(kept):\n    return sum(kept)"
ADD_POSITIVE = "def add_up(kept):\n    return sum(i for i in kept if i > 0)"
ROOT_CODE = "def total(items):\n    return add_up(keep_positive(items))"
FILTER = "def only_positive(items):\n    return [i for i in items if i > 0]"
SIGNS = "def signs(items):\n    return [1 if i > 0 else 0 for i in items]"
WEIGH = "def weigh(signs_result, items):\n    return [i for s, i in zip(signs_result, items) if s]"


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def steps(*names: str) -> str:
    return json.dumps({"steps": [{"name": n, "goal": f"does {n} on it", "kind": "simulation"} for n in names]})


def detail(takes: Sequence[str], gives: str, kind: str = "list[int]", requires: str = "") -> str:
    return json.dumps({"takes": list(takes), "gives": gives, "type": kind, "requires": requires, "ensures": ""})


def verdict(obligation: str = "goal", *, rejects: bool = True) -> str:
    found = "reject" if rejects else "accept"
    return json.dumps({"reason": "told", "verdict": found, "obligation": obligation, "condition": ""})


def settled(choice: str, kind: str = "") -> str:
    return json.dumps({"reason": "only positive numbers", "choice": choice, "type": kind})


@dataclass
class Script:
    """Answers by role and by the name of the function or step that is asked for; lists are answered in order."""

    first: Mapping[str, str]
    """Code of the generator and the orchestrator, by function."""
    again: Mapping[str, str] = field(default_factory=dict)
    """Code of the regenerator, by function."""
    requires: str = ""
    """Precondition of `add_up`."""
    verdicts: Mapping[str, str] = field(default_factory=dict)
    """By function of the judged node; the others are accepted."""
    outlines: Sequence[str] = ()
    """Of the replanner: branch outlines and settlements."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Of the replanner, by step."""

    def __post_init__(self) -> None:
        self._outlines: Iterator[str] = iter(self.outlines)

    def __call__(self, role: Role, prompt: str) -> str:
        last = prompt[prompt.rindex("\n### task\n") :] if "\n### task\n" in prompt else prompt
        step = re.search(r"### step\n(\w+): ", last)
        match role:
            case "planner":
                return self._plan(step.group(1) if step else "")
            case "generator":
                return fenced(self.first[function_of(last, "function")])
            case "orchestrator":
                return fenced(self.first["total"])
            case "regenerator":
                return fenced(self.again[function_of(last, "contract")])
            case "verifier":
                code = prompt[prompt.rindex("\n### code\n") :]
                return self.verdicts.get(function_of(code, "code"), verdict(rejects=False))
            case "replanner":
                return self.details[step.group(1)] if step else next(self._outlines)
            case _:
                raise AssertionError(role)

    def _plan(self, step: str) -> str:
        if step == "keep_positive":
            return detail(["items"], "kept")
        return (
            detail(["kept"], "answer", "int", self.requires) if step == "add_up" else steps("keep_positive", "add_up")
        )


def function_of(text: str, section: str) -> str:
    found = re.search(rf"### {section}\n(?:.*\n)*?.*?def (\w+)\(", text)
    assert found is not None, text
    return found.group(1)


def kinds(run: Any) -> list[str]:
    return [event.kind for event in run.events]


def declared(run: Any) -> list[Any]:
    return [event for event in run.events if event.kind == "scope.declared"]


def assert_sound(run: Any) -> None:
    """The fold and the pipeline hash one state; every scope is declared before code; every plan has integrity."""
    state, opened, known = FoldState(), False, 0
    for event in run.events:
        state.apply(event)
        active = core_state(state)
        match event.kind:
            case "repair.started":
                assert active is not None
                assert active.state_hash() == event.snapshot
                opened, known = False, len(active.findings)
            case "scope.declared":
                opened = True
                assert event.graph is None or integrity(event.graph) == ()
            case "code.written":
                assert state.repair is None or opened
            case "repair.ended" if event.transaction.restored:
                assert active is not None
                back = active.model_copy(update={"findings": active.findings[:known]})
                assert back.state_hash() == event.transaction.restored == event.transaction.snapshot
    final = core_state(state)
    assert final is not None
    assert final.graph == run.candidate.state.graph == run.record.graph
    assert final.assembly == run.candidate.state.assembly
    assert final.codes == run.candidate.state.codes


def assert_resumes(solve: Solve, script: Callable[[], Script], whole: Any, **config: Any) -> None:
    """A run that was stopped anywhere in a repair goes on to the same events and asks for nothing twice."""
    start = kinds(whole).index("repair.started")
    for cut in range(start, len(whole.events), 2):
        recorded = [event for event in whole.events[:cut] if event.kind == "model.called"]
        answers = script()
        for _ in [e for e in recorded if e.role == "replanner" and "### step" not in last_message(e.request)]:
            next(answers._outlines)
        again = solve(TOTAL, answers, journal=MemoryJournal(whole.events[:cut]), **config)
        assert len(again.calls) == len(whole.calls) - len(recorded)
        assert again.record.assembly == whole.record.assembly
        assert kinds(again) == kinds(whole)
        assert [e.transaction.decision for e in again.events if e.kind == "repair.ended"] == [
            e.transaction.decision for e in whole.events if e.kind == "repair.ended"
        ]


def last_message(request: str) -> str:
    return request[request.rindex("### task") :]


# --- interfaces -----------------------------------------------------------------------------------------------------

POSITIVE = "all(k > 0 for k in kept)"


def pair(choice: str, kind: str = "", *, again: Mapping[str, str], first: Mapping[str, str] | None = None) -> Script:
    code = {"keep_positive": KEEP_ALL, "add_up": ADD, "total": ROOT_CODE, **(first or {})}
    return Script(code, again, POSITIVE, outlines=[settled(choice, kind)])


def ensures() -> Script:
    return pair("provider-ensures", again={"keep_positive": KEEP, "add_up": ADD})


def test_a_provider_ensures_what_its_consumer_requires(solve: Solve) -> None:
    run = solve(TOTAL, ensures(), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.localization.defect, transaction.scope.nodes) == ("Ifc", ("S1", "S2"))
    assert transaction.decision == "accepted"
    [event] = declared(run)
    assert [slot.output for slot in event.scope.open_slots] == ["kept"]
    assert event.scope.expansions == ()
    added = event.graph.node("S1").contract.postconditions[-1]
    assert (added.id, added.slots, added.expression) == ("post1", ("kept",), "all((k > 0 for k in result))")
    assert event.graph.node("S2").contract.preconditions[0].expression == POSITIVE
    assert [name for name, _ in event.frozen] == ["total"]
    written = [e.code.node for e in run.events if e.kind == "code.written"]
    assert written == ["S1", "S2", "S0", "S1"]  # the consumer gave the same code again
    shown = [prompt for role, prompt in run.calls if role == "regenerator"]
    assert added.text in shown[0]
    assert run.candidate.rank.full_pass
    assert_sound(run)
    assert_resumes(solve, ensures, run, granularity="coarse")


def accepts() -> Script:
    return pair("consumer-accepts", again={"keep_positive": KEEP_ALL, "add_up": ADD_POSITIVE})


def test_a_consumer_accepts_what_its_provider_gives(solve: Solve) -> None:
    run = solve(TOTAL, accepts(), granularity="coarse")
    [transaction] = run.record.transactions
    assert transaction.decision == "accepted"
    [event] = declared(run)
    assert event.graph.node("S2").contract.preconditions == ()
    assert event.graph.node("S1") == run.candidate.state.graph.node("S1")
    assert [e.code.node for e in run.events if e.kind == "code.written"] == ["S1", "S2", "S0", "S2"]
    assert_sound(run)


def test_a_renegotiation_without_improvement_restores_contracts_and_code(solve: Solve) -> None:
    worse = {"keep_positive": "def keep_positive(items):\n    return [9]", "add_up": ADD}
    run = solve(TOTAL, pair("provider-ensures", again=worse), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.decision, transaction.restored) == ("rolled-back", transaction.snapshot)
    assert [p.id for p in run.record.graph.node("S1").contract.postconditions] == ["goal"]
    assert "return items" in run.record.assembly.program
    assert_sound(run)


def test_an_unusable_settlement_declares_nothing_and_is_rolled_back(solve: Solve) -> None:
    script = pair("", again={})
    script._outlines = iter(["no idea", "still none"])
    run = solve(TOTAL, script, granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.decision, transaction.reason) == ("rolled-back", "no usable settlement of the interface")
    assert declared(run) == []
    assert "regenerator" not in {role for role, _ in run.calls}
    assert_sound(run)


def test_both_ends_unchanged_is_rolled_back_without_a_run(solve: Solve) -> None:
    run = solve(TOTAL, pair("provider-ensures", again={"keep_positive": KEEP_ALL, "add_up": ADD}), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.decision, transaction.reason) == ("rolled-back", "the same code came back")
    assert kinds(run).count("checks.run") == 1
    assert_sound(run)


# --- expansions -----------------------------------------------------------------------------------------------------

LISTED = "def total(items):\n    return add_up(list(keep_positive(items)))"
COUNTS = "def keep_positive(items):\n    return {n: i for n, i in enumerate(items) if i > 0}"
ADD_COUNTS = "def add_up(kept):\n    return sum(kept.values())"


def counted(root: str) -> Script:
    again = {"keep_positive": COUNTS, "add_up": ADD_COUNTS, "total": root}
    return pair("provider-ensures", "dict[int, int]", again=again, first={"total": LISTED})


def followed() -> Script:
    return counted(ROOT_CODE)


def test_a_call_site_follows_a_changed_interface_as_a_declared_expansion(solve: Solve) -> None:
    run = solve(TOTAL, followed(), granularity="coarse", weak=False)
    [transaction] = run.record.transactions
    assert transaction.decision == "accepted"
    [event] = declared(run)
    [expansion] = event.scope.expansions
    assert (expansion.unit, expansion.owner) == ("total", "S0")
    assert transaction.scope == event.scope
    assert (transaction.frozen, event.frozen) == ((), ())
    assert event.graph.node("S1").contract.signatures[0].returns == "dict[int, int]"
    assert event.graph.node("S2").contract.signatures[0].parameters[0].type == "dict[int, int]"
    shown = next(prompt for role, prompt in run.calls if role == "regenerator" and "Only these may change" in prompt)
    assert "def keep_positive(items: list[int]) -> dict[int, int]:" in shown
    assert run.candidate.rank.full_pass
    assert_sound(run)
    assert_resumes(solve, followed, run, granularity="coarse", weak=False)


def meddled() -> Script:
    return counted(f"def spare(items):\n    return items\n\n\n{ROOT_CODE.replace('(items))', '(spare(items)))')}")


def test_a_candidate_that_goes_beyond_its_expansion_never_runs(solve: Solve) -> None:
    run = solve(TOTAL, meddled(), granularity="coarse", weak=False)
    [transaction] = run.record.transactions
    assert transaction.decision == "rejected-at-border"
    assert [(v.unit, v.owner, v.change) for v in transaction.violations] == [("spare", "S0", "added")]
    ended = kinds(run)[kinds(run).index("repair.started") :]
    assert ended.count("program.assembled") == 1
    assert "checks.run" not in ended
    assert LISTED in run.record.assembly.program
    assert_sound(run)
    assert_resumes(solve, meddled, run, granularity="coarse", weak=False)


def test_a_linked_root_follows_without_a_model(solve: Solve) -> None:
    again = {"keep_positive": "def keep_positive(items):\n    return tuple(i for i in items if i > 0)", "add_up": ADD}
    run = solve(TOTAL, pair("provider-ensures", "tuple[int, ...]", again=again), granularity="coarse")
    [transaction] = run.record.transactions
    assert [expansion.unit for expansion in transaction.scope.expansions] == ["total"]
    assert transaction.decision == "accepted"
    assert sum(role == "regenerator" for role, _ in run.calls) == 2
    assert_sound(run)


# --- commitments ----------------------------------------------------------------------------------------------------


def wrong_approach(**changes: Any) -> Script:
    given: dict[str, Any] = {
        "first": {"keep_positive": KEEP_ALL, "add_up": ADD, "signs": SIGNS, "weigh": WEIGH},
        "verdicts": {"keep_positive": verdict("D2")},
        "outlines": [steps("signs", "weigh")],
        "details": {"signs": detail(["items"], "signs_result"), "weigh": detail(["signs_result", "items"], "kept")},
    }
    return Script(**{**given, **changes})


def test_a_leaf_whose_approach_is_wrong_is_planned_again(solve: Solve) -> None:
    run = solve(TOTAL, wrong_approach(), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.localization.defect, transaction.scope.branch) == ("Cmt", "S1")
    assert transaction.decision == "accepted"
    graph = run.record.graph
    assert [node.id for node in graph.nodes] == ["S0", "S1", "S1_S1", "S1_S2", "S2"]
    assert graph.order == ("S1_S1", "S1_S2", "S2")
    assert (graph.node("S1").kind, graph.node("S1").contract) == ("orchestrator", transaction_contract(run))
    assert {d.id: d.node for d in graph.decisions} == {
        "D1": "S0", "D3": "S2", "D4": "S1", "D5": "S1_S1", "D6": "S1_S2",
    }  # fmt: skip
    how = {e.code.node: e.how for e in run.events if e.kind == "code.written"}
    assert (how["S1"], how["S1_S1"], how["S1_S2"]) == ("computed", "generated", "generated")
    assert {name for name, _ in transaction.frozen} == {"total", "add_up"}
    assert run.candidate.rank.full_pass
    assert_sound(run)
    assert_resumes(solve, wrong_approach, run, granularity="coarse")


def transaction_contract(run: Any) -> Any:
    return next(e.graph for e in run.events if e.kind == "plan.accepted").node("S1").contract


def worse_branch() -> Script:
    useless = {"keep_positive": KEEP_ALL, "add_up": ADD, "signs": SIGNS, "weigh": WEIGH.replace("if s", "if not s")}
    return wrong_approach(first=useless)


def test_a_worse_branch_is_rolled_back_with_graph_and_order(solve: Solve) -> None:
    run = solve(TOTAL, worse_branch(), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.decision, transaction.restored) == ("rolled-back", transaction.snapshot)
    assert [node.id for node in run.record.graph.nodes] == ["S0", "S1", "S2"]
    assert {line.owner for line in run.record.assembly.lines} == {"S0", "S1", "S2"}
    assert_sound(run)
    assert_resumes(solve, worse_branch, run, granularity="coarse")


def test_ids_of_rolled_back_branches_are_never_given_out_again(solve: Solve) -> None:
    script = worse_branch()
    script._outlines = iter([steps("signs", "weigh")] * 3)
    run = solve(TOTAL, script, granularity="coarse", k=3)
    assert [t.decision for t in run.record.transactions] == ["rolled-back"] * 3
    known = ids_of(next(e.graph for e in run.events if e.kind == "plan.accepted"))
    old, seen = known, set[str](known)
    for event in declared(run):
        fresh = ids_of(event.graph) - old
        assert len(fresh) == 5  # two leaves, three decisions
        assert not fresh & seen
        seen |= fresh
    assert_sound(run)


def test_a_branch_is_outlined_once_more_with_the_complaints(solve: Solve) -> None:
    same_goal = json.dumps({"steps": [{"name": "signs", "goal": "does keep_positive on it", "kind": "greedy"}]})
    run = solve(TOTAL, wrong_approach(outlines=[same_goal, steps("signs", "weigh")]), granularity="coarse")
    [transaction] = run.record.transactions
    assert transaction.decision == "accepted"
    second = [
        prompt for role, prompt in run.calls if role == "replanner" and "An earlier outline was refused" in prompt
    ]
    assert "has the same goal as" in second[0]
    assert run.record.graph.node("S1").kind == "orchestrator"


@pytest.mark.parametrize(
    "answers", [["no plan", "none at all"], ["{}", json.dumps({"steps": []})]], ids=["prose", "empty"]
)
def test_an_unusable_outline_changes_nothing(solve: Solve, answers: list[str]) -> None:
    run = solve(TOTAL, wrong_approach(outlines=answers), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.decision, transaction.reason) == ("rolled-back", "no usable plan of S1 came back")
    assert transaction.restored == transaction.snapshot
    assert declared(run) == []
    assert_sound(run)


def test_an_unusable_step_of_a_new_branch_is_rolled_back(solve: Solve) -> None:
    broken = {"keep_positive": KEEP_ALL, "add_up": ADD, "signs": SIGNS, "weigh": "I cannot"}
    run = solve(TOTAL, wrong_approach(first=broken), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.decision, transaction.reason) == ("rolled-back", "no usable code came back for S1_S2")
    assert len(declared(run)) == 1
    assert [node.id for node in run.record.graph.nodes] == ["S0", "S1", "S2"]
    assert_sound(run)


SUM_UP = "def sum_up(chosen):\n    return sum(chosen)"


def wrong_split() -> Script:
    return wrong_approach(
        first={"keep_positive": KEEP_ALL, "add_up": ADD, "only_positive": FILTER, "sum_up": SUM_UP},
        verdicts={"total": verdict("D1")},
        outlines=[steps("only_positive", "sum_up")],
        details={"only_positive": detail(["items"], "chosen"), "sum_up": detail(["chosen"], "sum_of_all", "int")},
    )


def test_a_wrong_split_of_the_whole_function_is_planned_again_from_the_root(solve: Solve) -> None:
    run = solve(TOTAL, wrong_split(), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.scope.branch, transaction.scope.nodes) == ("S0", ("S0", "S1", "S2"))
    assert transaction.decision == "accepted"
    graph = run.record.graph
    assert [node.id for node in graph.nodes] == ["S0", "S3", "S4"]
    assert graph.order == ("S3", "S4")
    assert graph.node("S0").contract.signatures == (SIGNATURE,)
    assert "keep_positive" not in run.record.assembly.program
    assert run.candidate.rank.full_pass
    assert_sound(run)
    assert_resumes(solve, wrong_split, run, granularity="coarse")


def test_a_branch_inside_a_branch_links_at_both_levels(solve: Solve) -> None:
    """Two replans one below the other: the first one helps a little, the second one goes below a new leaf."""
    script = wrong_approach(
        first={
            "keep_positive": KEEP_ALL, "add_up": ADD,
            "cleaned": "def cleaned(items):\n    return [i for i in items if i != -2]",
            "only_positive": FILTER,
        },
        verdicts={"keep_positive": verdict("D2"), "cleaned": verdict("D5")},
        outlines=[steps("cleaned"), steps("only_positive")],
        details={"cleaned": detail(["items"], "kept"), "only_positive": detail(["items"], "kept")},
    )  # fmt: skip
    task = TOTAL.model_copy(update={"examples": (*TOTAL.examples, example(4, [4, -3], 4))})
    run = solve(task, script, granularity="coarse", k=2)
    assert [t.decision for t in run.record.transactions] == ["accepted", "accepted"]
    assert [node.id for node in run.record.graph.nodes] == ["S0", "S1", "S1_S1", "S1_S1_S1", "S2"]
    assert run.candidate.rank.full_pass
    assert_sound(run)


SCRIPTS: dict[str, tuple[Callable[[], Script], dict[str, Any]]] = {
    "an interface": (ensures, {}),
    "a call site": (followed, {"weak": False}),
    "a leaf": (wrong_approach, {}),
    "a split": (wrong_split, {}),
}


@pytest.mark.parametrize(("script", "config"), SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize("feedback", ["error", "resample"])
def test_every_budget_and_feedback_gives_a_record_that_verifies_and_replays(
    solve: Solve, script: Callable[[], Script], config: dict[str, Any], feedback: str
) -> None:
    calls, most, run = 0, 1, None
    while calls < most:
        calls, journal = calls + 1, MemoryJournal()
        run = solve(TOTAL, script(), journal=journal, granularity="coarse", feedback=feedback, max_calls=calls,
                    **config)  # fmt: skip
        most = calls + 1 if len(run.calls) == calls else calls
        assert verify_ledger(journal.ledger).differences == (), calls
        assert replay_run(journal.ledger).differences == (), calls
        assert calls < 60
    assert run is not None
    assert "budget is used up" not in run.record.reason or run.record.reason == "the repair budget is used up"
