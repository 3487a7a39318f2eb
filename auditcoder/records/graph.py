"""The contract-annotated task graph `G` (paper 3.1, core.md section 2)."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from auditcoder.records.base import GrownRecord, Record
from auditcoder.records.task import FunctionSignature
from auditcoder.records.values import Value

ExecutorCategory = Literal[
    "greedy",
    "dynamic-programming",
    "graph",
    "tree",
    "number-theory",
    "geometry",
    "string",
    "simulation",
    "brute-force",
    "binary-search",
    "data-structure",
    "orchestration",
    "input-output",
    "numerical",
    "class-state",
]
NodeKind = Literal["leaf", "orchestrator", "structural"]
Granularity = Literal["auto", "single", "coarse", "fine"]
TASK = "task"
"""The pseudo-node that provides the task's own inputs."""
ROOT = "S0"


class Predicate(Record):
    """One precondition, postcondition or invariant: prose, and where it can be written as one, an expression."""

    id: str
    text: str
    slots: tuple[str, ...] = ()
    """Slots of the node that it constrains."""
    expression: str = ""
    """Side-effect-free Python over the parameter names and `result`; empty when prose only."""


class Contract(Record):
    """What a node promises."""

    signatures: tuple[FunctionSignature, ...] = ()
    preconditions: tuple[Predicate, ...] = ()
    postconditions: tuple[Predicate, ...] = ()
    invariants: tuple[Predicate, ...] = ()

    def predicates(self) -> tuple[Predicate, ...]:
        """Return all predicates: preconditions, postconditions, invariants."""
        return self.preconditions + self.postconditions + self.invariants


class Slot(Record):
    """A named input or output of a node."""

    name: str
    type: str = "Any"


class Provider(Record):
    """Where an input slot of a node comes from: `(node, slot)`; node `task` gives the task's own inputs."""

    slot: str
    """The input slot that is provided."""
    node: str
    output: str
    """The provider's output slot."""


class Budget(Record):
    """Complexity budget of a node."""

    time: str = ""
    """Prose, for example O(n log n)."""


class LocalCheck(GrownRecord):
    """A check requirement of one node; executable when it carries arguments and an expected value."""

    later: ClassVar[frozenset[str]] = frozenset({"args", "expected", "has_expected", "derivation"})

    id: str
    text: str
    args: tuple[Value, ...] = ()
    """Arguments of one call of the node's function; since 1.1."""
    expected: Value = None
    """What that call must return; since 1.1."""
    has_expected: bool = False
    """Whether the check is executable; since 1.1."""
    derivation: str = ""
    """How the expected value was confirmed; since 1.1."""


class Node(Record):
    """A responsibility unit with a stable id, allocated before code exists and never reused."""

    id: str = Field(pattern=r"^S\d+(_S\d+)*$")
    parent: str = ""
    """Empty for the root."""
    goal: str
    executor: ExecutorCategory
    kind: NodeKind
    contract: Contract = Contract()
    inputs: tuple[Slot, ...] = ()
    outputs: tuple[Slot, ...] = ()
    provenance: tuple[Provider, ...] = ()
    depends_on: tuple[str, ...] = ()
    budget: Budget = Budget()
    local_checks: tuple[LocalCheck, ...] = ()

    @property
    def owns_code(self) -> bool:
        """Return whether the node is a code owner."""
        return self.kind != "structural"


class PlanningDecision(Record):
    """A recorded decision of the plan, made at the root of a branch."""

    id: str
    node: str
    statement: str


class TaskGraph(Record):
    """Nodes, leaf order, planning decisions. Integrity is checked by `core.graph`."""

    nodes: tuple[Node, ...]
    order: tuple[str, ...]
    """Every leaf exactly once, providers first."""
    decisions: tuple[PlanningDecision, ...] = ()

    def node(self, node_id: str) -> Node:
        """Return the node with this id.

        Raises:
            KeyError: there is none.
        """
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise KeyError(node_id)

    @property
    def owners(self) -> tuple[Node, ...]:
        """Return the code owners, in node order."""
        return tuple(node for node in self.nodes if node.owns_code)
