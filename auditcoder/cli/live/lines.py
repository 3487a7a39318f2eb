"""Progress as plain lines, for output that is no terminal."""

from __future__ import annotations

from auditcoder.cli.live.view import RunView
from auditcoder.cli.showing.words import abstention, diagnosis
from auditcoder.cli.text import caller, counted, unchecked
from auditcoder.records import events as ev
from auditcoder.records.execution import CheckResult


def lines(event: ev.Event, view: RunView) -> tuple[str, ...]:
    """Return what is said about an event, given the view after it; most events are worth one line or none."""
    match event:
        case ev.RunStarted():
            return (f"task    {view.task}, {counted(view.checks, 'check')}, isolation {view.isolation}",)
        case ev.ModelCalled():
            return (call_line(event),)
        case ev.AttemptStarted():
            return (f"plan    {event.granularity}" + (f": {event.reason}" if event.reason else ""),)
        case ev.PlanReviewed() if event.complaints:
            return tuple(f"review  {complaint}" for complaint in event.complaints)
        case ev.PlanAccepted():
            return (
                f"plan    {counted(len(event.graph.nodes), 'node')}"
                + (f" ({event.fallback})" if event.fallback else ""),
            )
        case ev.CodeWritten():
            return (f"code    {event.code.node}: {counted(len(event.code.source.splitlines()), 'line')}, {event.how}",)
        case ev.CodeRejected():
            return (f"code    {event.node}: unusable answer: {event.reason}",)
        case ev.ProgramAssembled():
            return tuple(f"policy  {finding}" for finding in event.gate)
        case ev.ChecksRun() if event.report.results:
            return (checks_line(event.report.results, again=view.again),)
        case ev.RoundStarted():
            return (f"round   {event.index + 1}: {event.how} on candidate {event.candidate}",)
        case ev.FeedbackChosen():
            return (f"shows   {event.shown}: {event.reason}",)
        case ev.RepairStarted():
            return (repair_line(event),)
        case ev.ScopeDeclared():
            return scope_lines(event)
        case ev.RepairEnded():
            reason = event.transaction.reason
            return (f"repair  {event.transaction.decision}" + (f": {reason}" if reason else ""),)
        case ev.NodesReverified() if event.rejected:
            return (
                f"recheck {counted(len(event.rejected), 'finding')} against nodes that the repair left as they were",
            )
        case ev.RunFinished() if not view.checks:
            return (f"done    {unchecked(view.examples)}",)
        case ev.RunFinished():
            return (f"done    {view.passed or 0}/{view.checks} checks: {event.reason}",)
        case _:
            return ()


def call_line(event: ev.ModelCalled) -> str:
    """Return one line on a model call."""
    who = caller(event.role, event.node, event.agent)
    if event.error:
        return f"call    {who}: {event.error}"
    source = "from the cache" if event.cached else f"in {event.seconds:.1f} s"
    return f"call    {who}: {event.prompt_tokens} + {event.completion_tokens} tokens {source}"


def checks_line(results: tuple[CheckResult, ...], *, again: bool = False) -> str:
    """Return one line on a run of the checks: how many passed, and the first that did not.

    Args:
        results: One an executed check.
        again: It is the confirmation run: the same program once more, one process a check, in another order.
    """
    passed = sum(result.outcome == "pass" for result in results)
    failing = next((result for result in results if result.outcome != "pass"), None)
    first = f"; first failure: {failing.check} {failing.outcome} {failing.detail}".rstrip() if failing else ""
    word = ("passed again" if failing else "confirmed") if again else "passed"
    return f"checks  {passed}/{len(results)} {word}{first}"


def repair_line(event: ev.RepairStarted) -> str:
    """Return one line on the start of a repair: where, and on what evidence."""
    reason = event.localization.abstained or event.scope.abstained
    if reason:
        return f"repair  {event.index + 1}: abstains: {abstention(reason)}"
    where = event.scope.branch or ", ".join(event.scope.nodes)
    return f"repair  {event.index + 1}: {event.scope.action} {where} ({diagnosis(event.localization)})"


def scope_lines(event: ev.ScopeDeclared) -> tuple[str, ...]:
    """Return the lines on a final scope that goes beyond new code for one node: steps, slots, call sites."""
    scope = event.scope
    lines = [f"scope   settles {slot.provider}.{slot.output} for {slot.consumer}.{slot.slot}"
             for slot in scope.open_slots]  # fmt: skip
    if scope.action == "replan" and event.graph is not None:
        steps = [node.id for node in event.graph.nodes if node.parent == scope.branch]
        lines.append(f"scope   plans {scope.branch} again: {', '.join(steps)}")
    lines += [f"scope   also {each.unit} of {each.owner}: {each.reason}" for each in scope.expansions]
    return (*lines, f"scope   {counted(len(event.frozen), 'unit')} frozen") if lines else ()
