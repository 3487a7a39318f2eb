"""Records as the text that prompts show: data only; every instruction stands in a signature.

Text that came from a program or a model is cut and its control characters are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from auditcoder.records.execution import CheckResult, RecordedCall
from auditcoder.records.graph import Node, PlanningDecision, TaskGraph
from auditcoder.records.task import (
    CallsInput,
    Check,
    FilesInput,
    FunctionInput,
    ProgramInput,
    Task,
    UnittestInput,
)
from auditcoder.records.values import Value, render

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
EXAMPLES_SHOWN = 3


def safe(text: str, limit: int = 600) -> str:
    """Return untrusted text cut in the middle, with control and bidi characters and lone surrogates escaped."""
    clean = _CONTROL.sub(lambda m: f"\\x{ord(m.group()):02x}", text)
    if len(clean) <= limit:
        return clean
    return f"{clean[: limit * 2 // 3]} …[{len(clean) - limit} characters left out]… {clean[-(limit // 3) :]}"


def task_text(task: Task) -> str:
    """Return the statement, followed by the examples that it does not quote itself."""
    flat = re.sub(r"\s+", "", task.statement)
    missing = [check for check in task.examples if not _quoted(check, flat)][:EXAMPLES_SHOWN]
    parts = [task.statement.strip()]
    if missing:
        parts.append(f"Examples:\n{examples_text(task, missing)}")
    if task.files:
        parts.append("Input files, beginning:\n" + "\n".join(f"{f.name}:\n{safe(f.text, 400)}" for f in task.files))
    return "\n\n".join(parts)


def _quoted(check: Check, flat: str) -> bool:
    """Return whether the statement shows this example already (compared without blanks)."""
    if isinstance(check.input, ProgramInput):
        return bool(check.input.stdin.strip()) and re.sub(r"\s+", "", check.input.stdin) in flat
    if isinstance(check.input, FunctionInput):
        args = ",".join(re.sub(r"\s+", "", render(arg, 2000)) for arg in check.input.args)
        return f"({args})" in flat or f"({args})".replace("'", '"') in flat
    return False


def examples_text(task: Task, checks: Sequence[Check]) -> str:
    """Return one block an example: input and expected output."""
    return "\n".join(f"- {input_text(task, check)}\n  gives {expected_text(check)}" for check in checks)


def input_text(task: Task, check: Check) -> str:
    """Return the input of a check as the model should read it."""
    given = check.input
    if isinstance(given, ProgramInput):
        return f"standard input:\n{safe(given.stdin.rstrip())}\n"
    if isinstance(given, FunctionInput):
        return f"{task.entry.name}({_args(given.args)})"
    if isinstance(given, CallsInput):
        calls = "; ".join(f"{call.method}({_args(call.args)})" for call in given.calls)
        return f"obj = {task.entry.name}({_args(given.init)}); {calls}"
    if isinstance(given, UnittestInput):
        return f"unit test:\n{safe(given.source, 1200)}\n"
    return _files_text(given)


def _files_text(given: FilesInput) -> str:
    names = ", ".join(file.name for file in given.files)
    shown = "\n".join(f"{file.name}:\n{safe(file.text, 400)}" for file in given.files)
    return f"files {names}" + (f", arguments {' '.join(given.argv)}" if given.argv else "") + f"\n{shown}\n"


def expected_text(check: Check) -> str:
    """Return the expected result of a check."""
    expected = check.expected
    if expected.stdout is not None:
        return f"standard output:\n{safe(expected.stdout.rstrip())}"
    if expected.has_value:
        return render(expected.value)
    if expected.files:
        return "\n".join(f"{file.name}:\n{safe(file.text, 400)}" for file in expected.files)
    return "all tests pass" if expected.passes else "a clean exit"


def _args(args: Sequence[Value]) -> str:
    return ", ".join(render(arg) for arg in args)


def entry_text(task: Task) -> str:
    """Return what the program must define, or how its input and output work."""
    entry = task.entry
    given = f"\nThis code stands before it already; do not repeat it:\n{task.prelude.strip()}" if task.prelude else ""
    if entry.kind == "function":
        head = entry.signature.render() if entry.signature else f"{entry.name}(...)"
        return f"Define the function `def {head}:`. It returns the answer and prints nothing.{given}"
    if entry.kind == "class":
        methods = "\n".join(f"    def {_method(m.render())}" for m in entry.methods)
        return f"Define the class `{entry.name}` with these methods:\n{methods}{given}"
    if entry.kind == "script":
        names = ", ".join(entry.outputs) or "the output files that the task names"
        return f"A script: reads its input files from the working directory and writes {names} there.{given}"
    return f"A complete program: reads standard input, prints the answer to standard output.{given}"


def _method(rendered: str) -> str:
    name, rest = rendered.split("(", 1)
    return f"{name}(self{'' if rest.startswith(')') else ', '}{rest}"


def plan_text(graph: TaskGraph) -> str:
    """Return the leaves with their interfaces, in order."""
    return "\n".join(function_line(graph.node(node_id)) for node_id in graph.order)


def function_line(node: Node) -> str:
    """Return one line for a node: signature, result slot, goal."""
    head = "; ".join(s.render() for s in node.contract.signatures) or node.id
    return f"- {head}: {node.goal}"


def contract_text(node: Node, decisions: Sequence[PlanningDecision] = ()) -> str:
    """Return the obligations of a node with their ids; planning decisions made at it are named as its approach."""
    before = [f"- {p.id} (before): {p.text}" for p in node.contract.preconditions]
    after = [f"- {p.id} (after): {p.text}" for p in (*node.contract.postconditions, *node.contract.invariants)]
    return "\n".join((*before, *after, *decision_lines(decisions))) or "- none beyond the goal"


def decision_lines(decisions: Sequence[PlanningDecision]) -> tuple[str, ...]:
    """Return one line a planning decision."""
    return tuple(f"- {decision.id} (approach): {decision.statement}" for decision in decisions)


def interface_text(node: Node) -> str:
    """Return signature, goal and obligations of a node's function."""
    heads = "\n".join(f"def {signature.render()}:" for signature in node.contract.signatures) or node.id
    return f"{heads}\nGoal: {node.goal}\n{contract_text(node)}"


def failure_text(task: Task, check: Check, result: CheckResult) -> str:
    """Return one failing check: input, expected, observed, error; fenced as data by the caller's section."""
    lines = [f"Input: {input_text(task, check)}", f"Expected: {expected_text(check)}"]
    if result.outcome == "wrong-answer":
        lines.append(f"Observed: {observed_text(result)}")
    else:
        lines.append(f"Outcome: {result.outcome} {result.detail}".rstrip())
    if result.message:
        lines.append(f"Message: {safe(result.message, 300)}")
    if result.frames:
        lines.append("Traceback: " + " > ".join(f"{f.function} line {f.line}" for f in result.frames[-4:]))
    return "\n".join(lines)


def observed_text(result: CheckResult) -> str:
    """Return what the program gave on a check."""
    if isinstance(result.observed, str):
        return safe(result.observed) or "(nothing)"
    return safe(render(result.observed)) if result.has_observed else "(nothing)"


def calls_text(calls: Sequence[RecordedCall], limit: int = 6) -> str:
    """Return recorded calls, one a line, first ones kept."""
    lines = [
        f"- {call.unit}({_args(call.args)}) -> "
        + (f"raised {call.exception}" if call.exception else render(call.result, 200))
        for call in calls[:limit]
    ]
    more = len(calls) - limit
    return safe("\n".join(lines), 1200) + (f"\n- and {more} more" if more > 0 else "") if lines else "- none recorded"
