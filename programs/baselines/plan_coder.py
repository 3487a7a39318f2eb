"""What MapCoder and CodeSim share: plans tried one after the other, each with debugging, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import dspy

from auditcoder.core.method_ends import LIMIT
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import Sampling
from auditcoder.programs.baselines.reports import failing_report
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.render import expected_text, input_text, observed_text, safe
from auditcoder.records.task import Check, FunctionInput, ProgramInput

AdaptiveScope = Literal["global", "per_plan"]
REPLY_TOKENS = 1400
PLAN_SHOWN, PROGRAM_SHOWN = 3000, 6000
_NATIVE_SHOWN = 500
"""Characters of an input or output in the methods' own reports."""

Debug = Callable[[], None]
"""Makes one corrected program of the plan that is tried, inside a round that has begun."""


class Order(NamedTuple):
    """How far a method goes with a plan, and how many plans it tries; None where nothing but the budget ends it."""

    debugs: int | None
    plans: int | None
    free: bool = False
    """After the single intervention, code the other plans too, without debugging and outside of rounds."""


def native_order(run: MethodRun, debugs: int, plans: int, scope: AdaptiveScope, *, endless: bool = False) -> Order:
    """Return the order of a method in a run.

    A run with a budget K reads both limits. An adaptive one caps no round: with one counter for the run, `debugs` only
    says when the next plan comes, and the last plan is debugged as long as the counter lets it; with a counter for each
    plan, that takes the place of `debugs`.

    Args:
        run: The run.
        debugs: The method's own limit of debug rounds for a plan.
        plans: The method's own limit of plans.
        scope: Of the adaptive counter.
        endless: Whether the method can make further plans, so that only the budget ends an adaptive run with one
            counter.
    """
    if not run.config.adaptive:
        return Order(debugs, plans)
    return Order(None, plans) if scope == "per_plan" else Order(debugs, None if endless else plans)


def try_plans(run: MethodRun, start: Callable[[int], Debug | None], order: Order) -> str:
    """Try plans until every check passes or a budget ends; return a reason of the method's own, or none.

    Args:
        run: The run.
        start: Makes the first program of plan 0, 1, ... and returns its debugger; None when no program came of it.
        order: How far to go. A plan behind the first is a retry, a debug a feedback round.
    """
    number, ended = 0, ""
    while True:
        debug = start(number)
        is_last = order.plans is not None and number + 1 >= order.plans
        _debug_plan(run, debug, None if is_last and run.config.adaptive else order.debugs)
        number += 1
        if run.solved:
            return ""
        if is_last:
            return LIMIT if run.may_react() else ""
        if run.strict:  # a new plan is a second intervention (both methods, section 5)
            ended = LIMIT if run.may_react() else ""
            break
        if not run.may_react("retry"):
            return ""
        run.start_round("retry")
    while order.free and order.plans is not None and number < order.plans and not run.solved:
        run.note("plan-free", f"plan {number + 1}", kept=True, detail="coded outside of the single intervention")
        start(number)
        number += 1
    return "" if run.solved else ended


def _debug_plan(run: MethodRun, debug: Debug | None, most: int | None) -> None:
    made = 0
    while debug is not None and not run.solved and (most is None or made < most) and run.may_react():
        run.start_round("feedback")
        debug()
        made += 1


def asked_twice(
    run: MethodRun,
    what: str,
    item: str,
    ask: Callable[[Sampling | None], dspy.Prediction],
    first: Sampling | None = None,
) -> dspy.Prediction | None:
    """Return an answer that later steps stand on, asked for once more when it cannot be used; None when both cannot.

    The second request is a fresh draw: at temperature 0 the same prompt has the same answer. Each failure is noted.
    """
    try:
        return ask(first)
    except UnusableAnswerError as error:
        run.note("parse-retry", f"{what} of {item}", kept=True, detail=error.message)
    try:
        return ask(run.fresh(0.7))
    except UnusableAnswerError as error:
        run.note("unusable", f"{what} of {item}", kept=False, detail=error.message)
    return None


def report_text(run: MethodRun, *, native: bool, passing: bool) -> str:
    """Return what is told about the failing program: the report of all methods, or the two methods' own form.

    The own form shows a program's input, expected and observed output, and of a function only the assertions that
    failed, without what was observed (MapCoder, section 3; CodeSim, section 7.4).

    Args:
        run: The run.
        native: Use the own form.
        passing: Name the checks that pass as well, in the own form.
    """
    failing = run.failing()
    if not native:
        return failing_report(run.task, failing)
    results = {check.id: observed_text(result) for check, result in failing}
    passed = [_native(run, check, "") for check in run.checks if check.id not in results] if passing else []
    failed = [_native(run, check, results[check.id]) for check in run.checks if check.id in results]
    parts = ["Passed:\n" + "\n".join(passed)] if passed else []
    return "\n\n".join([*parts, "Failed:\n" + "\n".join(failed)])


def _native(run: MethodRun, check: Check, observed: str) -> str:
    given = input_text(run.task, check)
    if isinstance(check.input, FunctionInput):
        return f"assert {given} == {expected_text(check)}"
    if not isinstance(check.input, ProgramInput):
        return safe(f"{given} gives {expected_text(check)}", _NATIVE_SHOWN)
    shown = f"Input: {safe(given, _NATIVE_SHOWN)}\nExpected: {safe(expected_text(check), _NATIVE_SHOWN)}"
    return f"{shown}\nObserved: {safe(observed, _NATIVE_SHOWN)}" if observed else shown


def plan_shown(plan: str) -> str:
    """Return a plan as prompts show it."""
    return safe(plan.strip(), PLAN_SHOWN) or "none"
