"""What the live view shows, as plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from auditcoder.records.code import Assembly
from auditcoder.records.config import Role

State = Literal[
    "planned", "writing", "written", "checking", "passed", "failing", "repairing", "repaired", "rolled back"
]
OPEN_STATES: tuple[State, ...] = ("planned", "writing", "repairing")
"""States in which a node still waits for code, so for a model call."""


@dataclass(frozen=True)
class NodeView:
    """One node of the plan."""

    id: str
    parent: str
    goal: str
    owns_code: bool
    state: State = "planned"
    lines: int = 0
    """Lines of its source; 0 before there is one."""
    note: str = ""
    """Why the source is not an ordinary answer."""


@dataclass(frozen=True)
class CallView:
    """The model call that is being made."""

    role: str
    node: str = ""
    agent: str = ""
    """The agent of a rival method that asks."""
    tokens: int = 0
    seconds: float = 0.0
    """Since the request was sent."""

    @property
    def rate(self) -> float:
        """Return answer tokens a second since the request was sent, its prompt's reading included."""
        return self.tokens / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class Spent:
    """What the run's model calls came to."""

    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    timed: int = 0
    """Calls that reached a backbone, so whose seconds say how long the next one takes."""
    seconds: float = 0.0
    shortest: float = 0.0
    """Seconds of the shortest of them."""
    longest: float = 0.0


@dataclass(frozen=True)
class Standing:
    """The nodes and the result of one candidate, to return to."""

    nodes: tuple[NodeView, ...]
    passed: int | None
    assembly: Assembly | None = None
    candidate: int | None = None


@dataclass(frozen=True)
class RunView:
    """The whole run as it stands."""

    title: str = ""
    """Which task of how many it is, and which run is gone on with; empty for the new run of one task."""
    task: str = ""
    isolation: str = ""
    level: int | None = None
    """Isolation level; None before it was probed."""
    local: tuple[Role, ...] = ()
    """Roles whose model runs in this process, which tells of every token."""
    stage: str = "starting"
    prices: tuple[tuple[Role, float, float], ...] = ()
    """(role, USD per million prompt tokens, per million answer tokens)."""
    nodes: tuple[NodeView, ...] = ()
    checks: int = 0
    examples: int = 0
    """Of the task, whether they are among the checks or not."""
    passed: int | None = None
    """Checks that the last candidate passed; None before one ran."""
    again: bool = False
    """The checks were run on this candidate before: the last run of them is its confirmation."""
    spent: Spent = Spent()
    call: CallView | None = None
    assembly: Assembly | None = None
    candidate: int | None = None
    repair: tuple[str, ...] = ()
    """Nodes of the open repair; empty when none is open."""
    before: Standing | None = None
    """Where the open repair started."""
    active: int | None = None
    """The candidate that is the program so far; another one may be under way."""
    standings: tuple[Standing, ...] = ()
    repairs: tuple[str, ...] = ()
    """Decisions of the closed repairs."""
    replayed: int = 0
    """Recorded steps that a resumed run went through again, without paying."""
    finished: bool = False
    reason: str = ""

    def node(self, node_id: str) -> NodeView | None:
        """Return the node with this id, or None."""
        return next((node for node in self.nodes if node.id == node_id), None)

    def open_calls(self) -> int | None:
        """Return how many planned calls are left, as far as the plan says; None before there is a plan."""
        if self.finished:
            return 0
        if not self.nodes:
            return None
        return sum(node.owns_code and node.state in OPEN_STATES for node in self.nodes)

    def seconds_left(self) -> tuple[float, float] | None:
        """Return the least and most seconds of the planned calls, less what the current call took; None: not known.

        Each call is taken to last as long as the shortest, or the longest, of at least two calls before it.
        """
        calls = self.open_calls()
        if not calls or self.spent.timed < 2:
            return None
        running = self.call.seconds if self.call else 0.0
        least, most = (max(0.0, calls * one - running) for one in (self.spent.shortest, self.spent.longest))
        return (least, most) if most else None


def with_state(nodes: tuple[NodeView, ...], state: State, ids: tuple[str, ...] | None = None) -> tuple[NodeView, ...]:
    """Return the nodes, those that are named (all when None) and own code in another state."""
    return tuple(
        replace(node, state=state) if node.owns_code and (ids is None or node.id in ids) else node for node in nodes
    )
