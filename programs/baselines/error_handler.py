"""The error handler of the structured-error loop: a failing result in condensed form, by rules (PyCapsule, section 2).

The check and the exception come from the structured result, never from parsing text (its sections 7.2 and 7.3).
"""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.programs.baselines.reports import failing_report
from auditcoder.programs.render import expected_text, input_text, observed_text, safe
from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check, Task

Failing = Sequence[tuple[Check, CheckResult]]
RECURSION = "A call chain was too deep. Write a recursion whose base case is always reached, or use a loop."
_FRAMES = 4


def structured_feedback(
    task: Task, failing: Failing, total: int, *, native: bool = False, recursion_trace: bool = False
) -> str:
    """Return what the programmer is told about a failing program.

    Args:
        task: The task.
        failing: The failing checks with their results, in order.
        total: How many checks there are.
        native: Use the handler's own blocks; else the report that every method shows follows the counts.
        recursion_trace: Show the call pattern of a recursion that is too deep.
    """
    counts = f"{total - len(failing)} of {total} checks pass, {len(failing)} fail."
    if not native:
        hints = dict.fromkeys(_hint(task, result) for _, result in failing[:3])
        return "\n\n".join([counts, failing_report(task, failing), "\n".join(hint for hint in hints if hint)]).strip()
    blocks = [_block(task, check, result, recursion_trace) for check, result in failing]
    return "\n\n".join([counts, *dict.fromkeys(blocks)])


def _hint(task: Task, result: CheckResult) -> str:
    """Return the advice of the handler for one kind of failure."""
    if result.outcome == "wrong-answer":
        return "The logic must change so that every check holds."
    if result.detail == "NameError":
        return "Use only names that the program defines or that the task gives."
    if result.detail == "RecursionError":
        return RECURSION
    if result.outcome == "timeout":
        return f"The time limit is {task.limits.cpu_seconds:g} s: the program must end, and do less work."
    if result.outcome == "memory":
        return f"The memory limit is {task.limits.memory_mb} MB: keep less at once."
    return ""


def _block(task: Task, check: Check, result: CheckResult, recursion_trace: bool) -> str:
    """Return the handler's own block for one failing check."""
    hint = _hint(task, result)
    if result.outcome == "wrong-answer":
        return (
            f"A check fails: {input_text(task, check)}\nexpected: {expected_text(check)}\n"
            f"observed: {observed_text(result)}\n{hint}"
        )
    if result.detail == "RecursionError":
        return f"{hint}\n{_trace(result)}".strip() if recursion_trace else hint
    if result.detail == "NameError":
        return f"NameError: {safe(result.message, 200)}\n{hint}"
    if result.outcome in ("timeout", "memory"):
        return hint
    return f"{result.detail or result.outcome}: {safe(result.message, 300)}\n{_trace(result)}".strip()


def _trace(result: CheckResult) -> str:
    frames = result.frames[-_FRAMES:]
    return "in " + " > ".join(f"{frame.function} line {frame.line}" for frame in frames) if frames else ""
