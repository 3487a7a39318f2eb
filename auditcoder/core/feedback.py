"""What a repair is shown besides its evidence: the policy's decision, a pure function of the record (core.md 9).

The rules of `auto` are those that the Breakpoint Debugging paper derives from its measurements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from auditcoder.core.annotate import annotated
from auditcoder.core.state import RunState
from auditcoder.core.wanted import wanted_evidence
from auditcoder.records.code import Assembly
from auditcoder.records.config import Feedback
from auditcoder.records.execution import CheckResult
from auditcoder.records.graph import ExecutorCategory
from auditcoder.records.localization import Scope
from auditcoder.records.task import Check, UnittestInput
from auditcoder.records.trace import Trace, TracePlan

Shown = Literal["error", "trace", "all-traces", "resample"]
MOST_SHOWN = 6000
"""Characters of annotated code in one prompt (Breakpoint Debugging, section 2)."""
MOST_LONGER = 1.5
"""How many times as long a trace may make a call [R]. From there on the published traces cost more tokens than they
saved on every benchmark: the calls that break-even asks for, a share of 1 - 1/rho, were not saved (section 6)."""
_AROUND = 1100
"""Characters of a repair prompt besides statement and code: instructions, contract, failing checks. Measured on a task
with three small examples."""
ALGORITHMIC: frozenset[ExecutorCategory] = frozenset({
    "greedy", "dynamic-programming", "graph", "tree", "number-theory", "geometry", "binary-search",
})  # fmt: skip
"""Categories of steps that make a task contest-like [R]."""


class Choice(NamedTuple):
    """What is shown, and why."""

    shown: Shown
    reason: str


class Situation(NamedTuple):
    """What the decision about a repair reads."""

    failures: tuple[tuple[Check, CheckResult], ...]
    """Checks that did not pass, with results, in the order of Q."""
    commitment: bool
    """Whether a planning decision is implicated."""
    algorithmic: bool
    length: int
    """Characters of a call in any case: the statement, the code as it is shown and rewritten, what else is said."""


class Annotated(NamedTuple):
    """The annotated code of one failing check; without it, why there is none."""

    text: str = ""
    reason: str = ""


def situation(state: RunState, checks: Sequence[Check], statement: str, scope: Scope | None) -> Situation:
    """Return what a decision reads; without a scope the whole program is rewritten, and no class is implicated."""
    results = {result.check: result for result in state.report.results}
    named = [(check, results[check.id]) for check in checks if check.id in results]
    code = scope_code(state.assembly, scope_plan(state.assembly, scope))
    return Situation(
        failures=tuple((check, result) for check, result in named if result.outcome != "pass"),
        commitment=scope is not None and scope.defect == "Cmt",
        algorithmic=any(node.executor in ALGORITHMIC for node in state.graph.owners),
        length=len(statement) + 2 * len(code) + _AROUND,
    )


def scope_plan(assembly: Assembly, scope: Scope | None) -> TracePlan:
    """Return what a traced run watches: the lines of the nodes in scope, neighbours as one part; all without one."""
    if scope is None:
        return TracePlan()
    parts: list[tuple[int, int]] = []
    for line in assembly.lines:
        if line.owner not in scope.nodes:
            continue
        if parts and not assembly.program.splitlines()[parts[-1][1] : line.first - 1]:
            parts[-1] = (parts[-1][0], line.last)
        else:
            parts.append((line.first, line.last))
    return TracePlan(lines=tuple(parts))


def scope_code(assembly: Assembly, plan: TracePlan) -> str:
    """Return the watched lines of a program as a text of their own."""
    lines = assembly.program.splitlines()
    kept = [lines[first - 1 : last] for first, last in plan.lines] if plan.lines else [lines]
    return "\n".join(text for part in kept for text in part) + "\n"


def annotation(assembly: Assembly, plan: TracePlan, trace: Trace, share: int = 1) -> Annotated:
    """Return the watched code with the values of a trace; `share` traces divide the places in the prompt."""
    if trace.reason:
        return Annotated(reason=trace.reason)
    text = annotated(assembly.program, trace, MOST_SHOWN // max(share, 1), plan.lines)
    return Annotated(text=text) if text else Annotated(reason="no value of this code can be shown")


def wanted_traces(policy: Feedback, case: Situation) -> tuple[str, ...]:
    """Return the checks that are traced for a policy, in the order of Q."""
    if policy in ("error", "resample") or not case.failures:
        return ()
    if policy == "auto" and _without_trace(case):
        return ()
    able = [check.id for check, result in case.failures if wanted_evidence(result.outcome) == "calls"]
    first = case.failures[0][0].id
    return tuple(able) if policy == "all-traces" else tuple(check for check in able if check == first)


def choose(policy: Feedback, case: Situation, traced: Mapping[str, Annotated]) -> Choice:
    """Return what a repair shows under a policy.

    Args:
        policy: The configured policy.
        case: What is known before the decision.
        traced: By check of `wanted_traces`: its annotated code.
    """
    if policy == "error" or not case.failures:
        return Choice("error", "asked for")
    if policy == "resample":
        return Choice("resample", "asked for")
    if policy == "auto" and (other := _without_trace(case)):
        return other
    first, result = case.failures[0]
    usable = [name for name, each in traced.items() if each.text]
    if not usable:
        unseen = traced.get(first.id) or next(iter(traced.values()), None)
        return Choice("error", f"no trace: {unseen.reason if unseen else f'the outcome is {result.outcome}'}")
    if policy == "all-traces":
        return Choice("all-traces", f"values on {', '.join(usable)}")
    longer = (case.length + len(traced[first.id].text)) / max(case.length, 1)
    if policy == "auto" and longer > MOST_LONGER:
        return Choice("error", f"no trace: it makes the call {longer:.2f} times as long, {MOST_LONGER} is the limit")
    return Choice("trace", f"values on {first.id}")


def _without_trace(case: Situation) -> Choice | None:
    """Return what `auto` shows where no trace is of use; None where one may be."""
    check, result = case.failures[0]
    if _verdict_only(result):
        return Choice("resample", f"only a verdict is known of {check.id}")
    if case.commitment and case.algorithmic:
        return Choice("resample", "a planning decision of an algorithmic task is implicated")
    if result.outcome != "wrong-answer":
        return Choice("error", f"the outcome is {result.outcome}: values are for wrong answers")
    if isinstance(check.input, UnittestInput):
        return Choice("error", f"the input of {check.id} cannot be shown")
    return None


def _verdict_only(result: CheckResult) -> bool:
    """Return whether a failure says nothing but that it is one; an exceeded limit says what is wrong."""
    told = result.has_observed or result.message or result.frames or result.stderr or result.detail
    return not told and wanted_evidence(result.outcome) == "calls"
