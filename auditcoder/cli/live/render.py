"""The view as a Rich renderable: the node tree, and below it the numbers."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from auditcoder.cli.live.view import NodeView, RunView, State
from auditcoder.cli.text import caller, counted, one_line

STYLES: dict[State, tuple[str, str]] = {
    "planned": ("·", "dim"),
    "writing": ("✎", "cyan"),
    "written": ("•", "default"),
    "checking": ("?", "yellow"),
    "passed": ("✓", "green"),
    "failing": ("✗", "red"),
    "repairing": ("↻", "yellow"),
    "repaired": ("✓", "bold green"),
    "rolled back": ("↩", "magenta"),
}
GOAL_WIDTH = 60
GOAL_LEAST = 8
"""Where less room is left for a goal, it is left out."""
GUIDE = 4
"""Columns of the tree's lines, per level."""


def render(view: RunView, elapsed: float, width: int = 80) -> RenderableType:
    """Return the live view; `elapsed` is the time since the run was started, in seconds; no line is cut at `width`."""
    head = [Text(view.title, style="bold")] if view.title else []
    return Group(*head, tree(view, width), numbers(view, elapsed))


def tree(view: RunView, width: int) -> Tree:
    """Return the node tree with states."""
    root = Tree(Text.assemble((view.task or "task", "bold"), f"  {view.stage}"))
    branches: dict[str, Tree] = {}
    for node in sorted(view.nodes, key=lambda node: (node.id.count("_"), natural(node.id))):
        branches[node.id] = branches.get(node.parent, root).add(label(node, width - indent(view, node)))
    return root


def indent(view: RunView, node: NodeView) -> int:
    """Return how far to the right the tree puts a node."""
    parent = view.node(node.parent)
    return GUIDE + (indent(view, parent) if parent else 0)


def natural(node_id: str) -> tuple[int, ...]:
    """Return the numbers of a node id, so that S10 comes after S9."""
    return tuple(int(part[1:]) for part in node_id.split("_"))


def label(node: NodeView, width: int) -> Text:
    """Return one node as a line of this width: the goal is cut, id and state are not."""
    mark, style = STYLES[node.state] if node.owns_code else ("", "dim")
    name = f"{mark} {node.id}".strip()
    size = f", {counted(node.lines, 'line')}" if node.lines else ""
    state = f"{node.state}{size}{f', {node.note}' if node.note else ''}" if node.owns_code else ""
    room = min(GOAL_WIDTH, width - len(name) - len(state) - 4)
    goal = f"  {one_line(node.goal, room)}" if room >= GOAL_LEAST else ""
    return Text.assemble((name, style), f"{goal}  ", (state, style))


def numbers(view: RunView, elapsed: float) -> Text:
    """Return the lines below the tree: current call, checks, spending, time, isolation."""
    spent = view.spent
    checks = (
        f"{'-' if view.passed is None else view.passed}/{view.checks}"
        if view.checks
        else f"none (no {'own checks' if view.examples else 'examples'})"
    )
    cost = f", ${spent.usd:.4f}" if spent.usd else ""
    level = "not probed yet" if view.level is None else f"level {view.level}"
    parts = [
        call_text(view),
        f"checks {checks}   calls {spent.calls} ({spent.cached} cached, {spent.failed} failed)   "
        f"tokens {spent.prompt_tokens} in, {spent.completion_tokens} out{cost}",
        f"{duration(elapsed)} elapsed{left_text(view)}   isolation {level}",
    ]
    return Text("\n".join(part for part in parts if part), style="dim")


def left_text(view: RunView) -> str:
    """Return how long the planned calls may still take, as a range; empty when that is not known."""
    left = view.seconds_left()
    if left is None or view.finished:
        return ""
    least, most = duration(left[0]), duration(left[1])
    return f", about {most} left" if least == most else f", {least} to {most} left"


def call_text(view: RunView) -> str:
    """Return the line on the call that is being made; empty when there is none."""
    if view.call is None:
        return ""
    call = view.call
    who = caller(call.role, call.node, call.agent)
    if not call.tokens:
        waits = "reading the prompt" if call.role in view.local else "waiting for the answer"
        return f"call   {who}: {waits}, {call.seconds:.0f} s"
    return f"call   {who}: {call.tokens} tokens, {call.seconds:.0f} s, {call.rate:.1f} tokens/s"


def duration(seconds: float) -> str:
    """Return a duration for people: `7 s`, `2 min 05 s`, `1 h 02 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
