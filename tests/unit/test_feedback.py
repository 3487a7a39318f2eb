"""What a repair shows to the model: the decision as a table, and runs whose records verify and replay."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.verify import verify_ledger
from auditcoder.core.feedback import (
    MOST_SHOWN,
    Annotated,
    Situation,
    annotation,
    choose,
    scope_code,
    scope_plan,
    situation,
    wanted_traces,
)
from auditcoder.core.spending import CALLS_SPENT
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.feedback import Feedback
from auditcoder.programs.investigation import NO_EVIDENCE, Evidence, Failure
from auditcoder.programs.replaying import replay_run
from auditcoder.programs.session import Session
from auditcoder.records.config import RunConfig
from auditcoder.records.events import EVENT, FeedbackChosen, TraceRecorded
from auditcoder.records.execution import CheckResult
from auditcoder.records.graph import ROOT
from auditcoder.records.localization import Localization, Scope
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionInput,
    FunctionSignature,
    Parameter,
    Task,
    UnittestInput,
)
from auditcoder.records.trace import Trace, TracedLine, TracePlan

Solve = Callable[..., Any]
Facts = list[dict[str, Any]]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")


def example(number: int, items: list[int], expected: int) -> Check:
    given = FunctionInput(args=(list(items),))
    return Check(id=f"E{number}", input=given, expected=Expected(value=expected, has_value=True))


TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(example(1, [1, 2], 3), example(2, [1, -2], 1), example(3, [-5], 0)),
)
RIGHT = "def total(items):\n    return sum(i for i in items if i > 0)"
WRONG = "def total(items):\n    return sum(items)"
KEEP = "def keep_positive(items):\n    return [i for i in items if i > 0]"
CRASH = "def keep_positive(items):\n    return [i for i in items if 60 // (i + 5) and i > 0]"
ADD = "def add_up(kept):\n    return sum(kept)"


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def steps(prompt: str) -> str:
    last = prompt[prompt.rindex(TOTAL.statement) :]
    if "keep_positive: " in last:
        return json.dumps({"takes": ["items"], "gives": "kept", "type": "list[int]", "requires": "", "ensures": ""})
    if "add_up: " in last:
        return json.dumps({"takes": ["kept"], "gives": "answer", "type": "int", "requires": "", "ensures": ""})
    names = ("keep_positive", "add_up")
    return json.dumps({"steps": [{"name": n, "goal": f"does {n} on it", "kind": "greedy"} for n in names]})


def drawing(first: str, *later: str) -> Callable[[str, str], str]:
    """Return a script of a generator whose code of the step `keep_positive`, or of the whole, changes by the call."""
    left = [first, *later]

    def answer(role: str, prompt: str) -> str:
        assert role in ("planner", "generator"), "a fresh sample asks the generator"
        if role == "planner":
            return steps(prompt)
        if "def add_up(" in prompt[prompt.rindex(TOTAL.statement) :]:
            return fenced(ADD)
        return fenced(left.pop(0) if len(left) > 1 else left[0])

    return answer


def solved(solve: Solve, script: Callable[[str, str], str], **config: Any) -> Any:
    journal = MemoryJournal()
    run = solve(TOTAL, script, journal=journal, feedback="resample", **config)
    ledger = journal.ledger
    assert [str(difference) for difference in verify_ledger(ledger).differences] == []
    assert [str(difference) for difference in replay_run(ledger).differences] == []
    assert replay_run(ledger).compared == len(ledger.events)
    for count in range(1, len(ledger.entries)):
        assert verify_ledger(Ledger(ledger.entries[:count])).status == "unfinished", count
    return run


def chosen(run: Any) -> list[FeedbackChosen]:
    return [event for event in run.events if isinstance(event, FeedbackChosen)]


def drawn(run: Any) -> list[dict[str, str]]:
    return [dict(event.sampling) for event in run.events if event.kind == "model.called" and event.role == "generator"]


def test_a_fresh_sample_is_bounded_to_the_scope_and_shown_nothing(solve: Solve) -> None:
    run = solved(solve, drawing(CRASH, KEEP), granularity="coarse")
    [transaction] = run.record.transactions
    assert (transaction.scope.nodes, transaction.decision) == (("S1",), "accepted")
    [event] = chosen(run)
    assert (event.index, event.policy, event.shown) == (0, "resample", "resample")
    kinds = [each.kind for each in run.events]
    assert kinds[kinds.index("repair.started") + 1] == "feedback.chosen"
    first, _, again = (prompt for role, prompt in run.calls if role == "generator")
    assert first == again
    assert "Failing check" not in again
    samplings = drawn(run)
    assert float(samplings[0]["temperature"]) == 0.0
    assert float(samplings[2]["temperature"]) == 0.8
    assert samplings[2]["seed"] != samplings[0]["seed"]


def test_every_round_draws_with_a_seed_of_its_own(solve: Solve) -> None:
    run = solved(solve, drawing(WRONG, RIGHT.replace("> 0", "> 1"), RIGHT.replace("> 0", "> 2")), granularity="single",
                 k=3, seed=7)  # fmt: skip
    seeds = [sampling["seed"] for sampling in drawn(run)]
    assert len(seeds) == len(set(seeds)) == 4


def test_a_sample_that_repeats_the_code_is_drawn_once_more(solve: Solve) -> None:
    run = solved(solve, drawing(WRONG), granularity="single")
    assert len(drawn(run)) == 3
    [transaction] = run.record.transactions
    assert transaction.reason == "the same code came back"


@pytest.mark.parametrize("later", [RIGHT, WRONG, "no code"])
def test_a_whole_program_is_sampled_afresh(solve: Solve, later: str) -> None:
    run = solved(solve, drawing(WRONG, later), granularity="single", repair="whole", k=2)
    assert {event.shown for event in chosen(run)} == {"resample"}
    assert run.candidate.rank.full_pass == (later == RIGHT)


def test_a_budget_ends_a_fresh_sample_like_any_repair(solve: Solve) -> None:
    run = solved(solve, drawing(WRONG), granularity="single", max_calls=2)
    assert run.record.reason == CALLS_SPENT


FORGED: list[tuple[str, str, Callable[[Facts, int], object]]] = [
    ("V2", "another number", lambda facts, at: facts[at].update(index=3)),
    ("V2", "chosen twice", lambda facts, at: facts.insert(at, dict(facts[at]))),
    ("V2", "chosen outside", lambda facts, at: facts.insert(at - 2, facts.pop(at))),
    ("V16", "nothing chosen", lambda facts, at: facts.pop(at)),
    ("V16", "another policy", lambda facts, at: facts[at].update(policy="auto")),
    ("V16", "something else shown", lambda facts, at: facts[at].update(shown="trace")),
    ("V16", "another reason", lambda facts, at: facts[at].update(reason="a whim")),
]


@pytest.mark.parametrize(("check", "what", "forge"), FORGED, ids=[row[1] for row in FORGED])
@pytest.mark.parametrize("repair", ["bounded", "whole"])
def test_a_forged_choice_is_found(
    solve: Solve, repair: str, check: str, what: str, forge: Callable[[Facts, int], object]
) -> None:
    journal = MemoryJournal()
    solve(TOTAL, drawing(WRONG, RIGHT), journal=journal, granularity="single", repair=repair, feedback="resample")
    facts = [json.loads(entry.raw)["event"] for entry in journal.ledger.entries]
    forge(facts, next(at for at, fact in enumerate(facts) if fact["kind"] == "feedback.chosen"))
    ledger = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    assert check in {str(difference.check) for difference in verify_ledger(ledger).differences}, what


def test_feedback_that_no_policy_asked_for_is_found(solve: Solve) -> None:
    journal = MemoryJournal()
    solve(TOTAL, drawing(WRONG, RIGHT), journal=journal, granularity="single", feedback="resample")
    facts = [json.loads(entry.raw)["event"] for entry in journal.ledger.entries]
    facts[0]["config"] |= {"feedback": "error", "max_calls": 99}
    ledger = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    assert any("chooses nothing" in difference.what for difference in verify_ledger(ledger).differences)


# The decision, and the traces that other policies show.

WA = CheckResult(check="E2", outcome="wrong-answer", observed=-1, has_observed=True, message="-1 is not 1")
CASE = Situation(failures=((TOTAL.examples[1], WA),), commitment=False, algorithmic=False, length=1000)
SEEN = {"E2": Annotated(text="x = 1  # 1")}


def failing(**changes: Any) -> Situation:
    return CASE._replace(failures=((TOTAL.examples[1], WA.model_copy(update=changes)),))


UNITTEST = Check(id="E2", input=UnittestInput(source="class T: ..."), expected=Expected(passes=True))
TABLE: list[tuple[str, Any, Situation, Any, str, str]] = [
    ("error", "error", CASE, SEEN, "error", "asked for"),
    ("resample", "resample", CASE, SEEN, "resample", "asked for"),
    ("a trace", "trace", CASE, SEEN, "trace", "values on E2"),
    ("no usable trace", "trace", CASE, {"E2": Annotated(reason="too long")}, "error", "no trace: too long"),
    ("a crash is traced", "trace", failing(outcome="runtime-error"), SEEN, "trace", "values on E2"),
    ("never ran", "trace", failing(outcome="policy-reject"), {}, "error", "no trace: the outcome is policy-reject"),
    ("all", "all-traces", CASE, {**SEEN, "E3": Annotated(text="y")}, "all-traces", "values on E2, E3"),
    ("all usable", "all-traces", CASE, {**SEEN, "E3": Annotated(reason="no")}, "all-traces", "values on E2"),
    ("auto, wrong answer", "auto", CASE, SEEN, "trace", "values on E2"),
    ("auto, crash", "auto", failing(outcome="runtime-error"), SEEN, "error",
     "the outcome is runtime-error: values are for wrong answers"),
    ("auto, time", "auto", failing(outcome="timeout", has_observed=False, message=""), {}, "error",
     "the outcome is timeout: values are for wrong answers"),
    ("auto, verdict", "auto", failing(has_observed=False, observed=None, message=""), {}, "resample",
     "only a verdict is known of E2"),
    ("auto, commitment", "auto", CASE._replace(commitment=True, algorithmic=True), SEEN, "resample",
     "a planning decision of an algorithmic task is implicated"),
    ("auto, commitment elsewhere", "auto", CASE._replace(commitment=True), SEEN, "trace", "values on E2"),
    ("auto, algorithmic", "auto", CASE._replace(algorithmic=True), SEEN, "trace", "values on E2"),
    ("auto, no input", "auto", CASE._replace(failures=((UNITTEST, WA),)), SEEN, "error",
     "the input of E2 cannot be shown"),
    ("auto, at break-even", "auto", CASE, {"E2": Annotated(text="x" * 500)}, "trace", "values on E2"),
    ("auto, beyond it", "auto", CASE, {"E2": Annotated(text="x" * 501)}, "error",
     "no trace: it makes the call 1.50 times as long, 1.5 is the limit"),
    ("asked for, beyond it", "trace", CASE, {"E2": Annotated(text="x" * 9000)}, "trace", "values on E2"),
    ("nothing fails", "auto", CASE._replace(failures=()), {}, "error", "asked for"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "policy", "case", "traced", "shown", "reason"), TABLE, ids=[row[0] for row in TABLE])
def test_the_decision(what: str, policy: Any, case: Situation, traced: Any, shown: str, reason: str) -> None:
    assert choose(policy, case, traced) == (shown, reason)


def test_which_checks_are_traced() -> None:
    third = (TOTAL.examples[2], WA.model_copy(update={"check": "E3", "outcome": "timeout"}))
    fourth = (example(4, [], 0), WA.model_copy(update={"check": "E4", "outcome": "runtime-error"}))
    case = CASE._replace(failures=(*CASE.failures, third, fourth))
    assert wanted_traces("error", case) == wanted_traces("resample", case) == ()
    assert wanted_traces("trace", case) == wanted_traces("auto", case) == ("E2",)
    assert wanted_traces("all-traces", case) == ("E2", "E4")
    assert wanted_traces("trace", case._replace(failures=(third, fourth))) == ()
    assert wanted_traces("auto", case._replace(failures=(fourth,))) == ()


def candidate_of(solve: Solve) -> Any:
    """Return a failing candidate of two steps under a root."""

    def answer(role: str, prompt: str) -> str:
        return steps(prompt) if role == "planner" else fenced(CRASH if "def keep_positive(" in prompt else ADD)

    return solve(TOTAL, answer, granularity="coarse", k=0).candidate


def test_the_lines_of_the_scope_are_traced_and_shown_alone(solve: Solve) -> None:
    assembly = candidate_of(solve).state.assembly
    plan = scope_plan(assembly, Scope(nodes=("S2",)))
    assert scope_code(assembly, plan) == ADD + "\n"
    first = plan.lines[0][0]
    assert first > 1
    lines = (
        TracedLine(line=1, kind="call", name="items", values=("[3]",), count=1),
        TracedLine(line=first + 1, kind="return", values=("3",), count=1),
    )
    shown = annotation(assembly, plan, Trace(check="E1", lines=lines)).text
    assert shown == ADD + "  # returns 3\n"
    both = scope_plan(assembly, Scope(nodes=("S1", "S2")))
    assert all(text in scope_code(assembly, both) for text in (CRASH, ADD))
    assert (scope_plan(assembly, None), scope_code(assembly, TracePlan())) == (TracePlan(), assembly.program)


def test_a_situation_reads_failures_class_and_length(solve: Solve) -> None:
    state = candidate_of(solve).state
    case = situation(state, TOTAL.examples, TOTAL.statement, Scope(nodes=("S2",), defect="Cmt"))
    assert ([check.id for check, _ in case.failures], case.commitment, case.algorithmic) == (["E3"], True, True)
    assert case.length == len(TOTAL.statement) + 2 * (len(ADD) + 1) + 1100
    assert not situation(state, TOTAL.examples, TOTAL.statement, None).commitment


class TracingExecutor:
    """An executor that gives one traced line on every check, and no trace on `E3`."""

    def trace(
        self, program: str, entry: EntryPoint, check: Check, limits: object, plan: TracePlan, before: Any = None
    ) -> Trace:
        if check.id == "E3":
            return Trace(check=check.id, reason="more line events than 20000")
        line = plan.lines[0][0] if plan.lines else 1
        return Trace(check=check.id, lines=(TracedLine(line=line, kind="call", name="items", values=(check.id,)),))


def shown(solve: Solve, policy: str, scope: Scope | None, failing: tuple[str, ...]) -> tuple[Evidence, Any]:
    """Return the evidence under a policy, and the journal, where these checks fail with a wrong answer."""
    candidate = candidate_of(solve)
    results = tuple(
        WA.model_copy(update={"check": check.id, "outcome": "wrong-answer" if check.id in failing else "pass"})
        for check in TOTAL.examples
    )
    report = candidate.state.report.model_copy(update={"results": results})
    journal = MemoryJournal()
    session: Any = Session(TOTAL, RunConfig().model_copy(update={"feedback": policy}), journal, TracingExecutor(),  # type: ignore[arg-type]
                           None, True, checks=TOTAL.examples)  # type: ignore[arg-type]  # fmt: skip
    active: Any = type(candidate)(0, 0, candidate.state.model_copy(update={"report": report}), candidate.rank)
    known = {result.check: result for result in results}
    failures = tuple(Failure(check, known[check.id]) for check in TOTAL.examples if check.id in failing)
    evidence = Evidence(Localization(policy="executed-first", anchor=failing[0]), failures)
    made = Feedback()(session, active, 2, evidence, scope)
    text = made.text(session, active, active.state.graph.node(ROOT))
    return made._replace(values=text), journal.events


def test_a_trace_shows_the_annotated_scope_beside_the_error(solve: Solve) -> None:
    made, events = shown(solve, "trace", Scope(nodes=("S2",)), ("E1", "E2"))
    assert [event.kind for event in events] == ["trace.recorded", "feedback.chosen"]
    assert (events[-1].index, events[-1].shown, events[-1].reason) == (2, "trace", "values on E1")
    assert "Failing check 1" in made.values
    assert made.values.endswith(
        "in failing check 1, as comments:\ndef add_up(kept):  # items = E1\n    return sum(kept)\n"
    )


def test_all_traces_show_every_usable_one(solve: Solve) -> None:
    made, events = shown(solve, "all-traces", None, ("E1", "E2", "E3"))
    traced = [event.trace.check for event in events if isinstance(event, TraceRecorded)]
    assert (traced, events[-1].shown, events[-1].reason) == (["E1", "E2", "E3"], "all-traces", "values on E1, E2")
    assert made.values.count("as comments:") == 2
    assert "more line events" not in made.values


def test_without_a_usable_trace_the_error_is_shown_and_the_reason_recorded(solve: Solve) -> None:
    made, events = shown(solve, "trace", None, ("E3",))
    assert (events[-1].shown, events[-1].reason) == ("error", "no trace: more line events than 20000")
    assert "as comments" not in made.values


def test_a_fresh_sample_is_told_nothing(solve: Solve) -> None:
    made, events = shown(solve, "resample", None, ("E1",))
    assert [event.kind for event in events] == ["feedback.chosen"]
    assert made.values == NO_EVIDENCE


def test_several_traces_divide_the_places_in_the_prompt(solve: Solve) -> None:
    assembly = candidate_of(solve).state.assembly
    rows = [TracedLine(line=1, kind="assign", name=f"v{n:03}", values=("1" * 40,) * 6, count=6) for n in range(30)]
    trace = Trace(check="E1", lines=tuple(rows))
    for share in (1, 4):
        text = annotation(assembly, TracePlan(), trace, share).text
        assert len(text) <= MOST_SHOWN // share
    assert annotation(assembly, TracePlan(), Trace(check="E1")).reason == "no value of this code can be shown"
