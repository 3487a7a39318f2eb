"""The view as a Rich renderable: the node tree, and below it the numbers."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from auditcoder.cli.live.view import NodeView, RunView, State
from auditcoder.cli.text import counted, one_line

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


def render(view: RunView, elapsed: float) -> RenderableType:
    """Return the live view; `elapsed` is the time since the run was started, in seconds."""
    return Group(tree(view), numbers(view, elapsed))


def tree(view: RunView) -> Tree:
    """Return the node tree with states."""
    root = Tree(Text.assemble((view.task or "task", "bold"), f"  {view.stage}"))
    branches: dict[str, Tree] = {}
    for node in sorted(view.nodes, key=lambda node: (node.id.count("_"), natural(node.id))):
        branches[node.id] = branches.get(node.parent, root).add(label(node))
    return root


def natural(node_id: str) -> tuple[int, ...]:
    """Return the numbers of a node id, so that S10 comes after S9."""
    return tuple(int(part[1:]) for part in node_id.split("_"))


def label(node: NodeView) -> Text:
    """Return one node as a line."""
    mark, style = STYLES[node.state] if node.owns_code else ("", "dim")
    goal = one_line(node.goal, GOAL_WIDTH)
    size = f", {counted(node.lines, 'line')}" if node.lines else ""
    state = f"{node.state}{size}{f', {node.note}' if node.note else ''}" if node.owns_code else ""
    return Text.assemble((f"{mark} {node.id}".strip(), style), f"  {goal}  ", (state, style))


def numbers(view: RunView, elapsed: float) -> Text:
    """Return the lines below the tree: current call, checks, spending, time, isolation."""
    spent = view.spent
    checks = f"{view.passed}/{view.checks}" if view.passed is not None else f"-/{view.checks}"
    cost = f", ${spent.usd:.4f}" if spent.usd else ""
    left = view.seconds_left()
    remaining = f", about {duration(left)} left" if left and not view.finished else ""
    parts = [
        call_text(view),
        f"checks {checks}   calls {spent.calls} ({spent.cached} cached, {spent.failed} failed)   "
        f"tokens {spent.prompt_tokens} in, {spent.completion_tokens} out{cost}",
        f"{duration(elapsed)} elapsed{remaining}   isolation {view.isolation or 'not probed yet'}",
    ]
    return Text("\n".join(part for part in parts if part), style="dim")


def call_text(view: RunView) -> str:
    """Return the line on the call that is being made; empty when there is none."""
    if view.call is None:
        return ""
    rate = f", {view.call.rate:.1f} tokens/s" if view.call.tokens else ""
    who = f"{view.call.role} {view.call.node}".strip()
    return f"call   {who}: {view.call.tokens} tokens, {view.call.seconds:.0f} s{rate}"


def duration(seconds: float) -> str:
    """Return a duration for people: `7 s`, `2 min 05 s`, `1 h 02 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
