"""Leaves out of planned steps: interfaces, names, contracts and decisions are computed, never proposed (paper 3.1).

Used for a whole plan (`core.plan`) and for the steps of a replanned branch (`core.replan`).
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditcoder.records.graph import (
    TASK,
    Budget,
    Contract,
    ExecutorCategory,
    LocalCheck,
    Node,
    PlanningDecision,
    Predicate,
    Provider,
    Slot,
)
from auditcoder.records.task import FunctionSignature, Parameter

Vet = Callable[[str, Sequence[str]], str]
"""Returns why an expression over these names is refused, or an empty text."""

MAIN = "main"
_RESERVED = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | {"result", MAIN}


class PlannedStep(NamedTuple):
    """One step as the planner proposed it."""

    name: str
    goal: str
    kind: ExecutorCategory
    takes: tuple[str, ...] = ()
    gives: str = ""
    type: str = "Any"
    requires: str = ""
    ensures: str = ""


@dataclass
class Bench:
    """Where steps become leaves, one after the other: what exists, which names are taken, whose children they are."""

    parent: str
    ids: Iterator[str]
    """Fresh node ids, in order."""
    available: dict[str, tuple[str, Slot]]
    """By name: (providing node, slot) of every value that exists; grows with each leaf."""
    used: set[str]
    """Names that no function and no value may have; grows with each leaf."""
    vet: Vet
    budget: Budget
    ancestors: frozenset[str] = frozenset({TASK})
    """Providers that hand values down: they are no dependency, and their values are no results of steps."""


def leaves_of(steps: Sequence[PlannedStep], bench: Bench, last: Slot | None = None) -> tuple[Node, ...]:
    """Return one leaf a step, with computed interfaces.

    A value that a step takes and that does not exist is left out; a step that then takes nothing takes the result
    before it, or everything that was handed down. Expressions that the vet refuses stay as prose.

    Args:
        steps: As proposed.
        bench: What exists so far.
        last: The output of the last leaf, when it is given and not the step's own.
    """
    leaves: list[Node] = []
    renamed: dict[str, str] = {}
    for number, step in enumerate(steps, start=1):
        takes = tuple(renamed.get(name, name) for name in step.takes)
        leaf = _leaf(next(bench.ids), step._replace(takes=takes), bench, last if number == len(steps) else None)
        leaves.append(leaf)
        output = leaf.outputs[0]
        bench.available[output.name] = (leaf.id, output)
        renamed[step.gives] = output.name
    return tuple(leaves)


def decisions_of(branch: str, leaves: Sequence[Node], ids: Iterator[str]) -> tuple[PlanningDecision, ...]:
    """Return the decisions that a split makes: the steps at the root of the branch, an executor category at each leaf.

    A finding that names one says that the approach itself is wrong: the branch at its node is planned again.
    """
    names = [leaf.contract.signatures[0].name for leaf in leaves]
    return (
        PlanningDecision(id=next(ids), node=branch, statement="Split into " + ", then ".join(names)),
        *(
            PlanningDecision(id=next(ids), node=leaf.id, statement=f"{leaf.id} `{name}` is computed by {leaf.executor}")
            for leaf, name in zip(leaves, names, strict=True)
        ),
    )


def numbered(prefix: str, taken: Iterable[str] = ()) -> Iterator[str]:
    """Yield `prefix1`, `prefix2`, ... without the ids that were ever taken."""
    known = frozenset(taken)
    number = 0
    while True:
        number += 1
        if f"{prefix}{number}" not in known:
            yield f"{prefix}{number}"


def consumed(leaves: Iterable[Node]) -> set[tuple[str, str]]:
    """Return the (node, slot) pairs that the nodes take."""
    return {(provider.node, provider.output) for leaf in leaves for provider in leaf.provenance}


def _leaf(node_id: str, step: PlannedStep, bench: Bench, given: Slot | None) -> Node:
    available, used = bench.available, bench.used
    name = _fresh(step.name, used | _RESERVED, prefix="step_")
    used.add(name)
    takes = [slot for slot in dict.fromkeys(step.takes) if slot in available] or _default_inputs(bench)
    inputs = tuple(available[slot][1] for slot in takes)
    output = given or Slot(
        name=_fresh(step.gives or f"{name}_result", used | _RESERVED, prefix="new_"), type=known_type(step.type)
    )
    used.add(output.name)
    signature = FunctionSignature(
        name=name, parameters=tuple(Parameter(name=s.name, type=s.type) for s in inputs), returns=output.type
    )
    contract = Contract(
        signatures=(signature,),
        preconditions=_predicate("pre1", step.requires, takes, (), bench.vet),
        postconditions=(
            Predicate(id="goal", text=step.goal, slots=(output.name,)),
            *_predicate("post1", step.ensures, takes, (output.name,), bench.vet),
        ),
    )
    return Node(
        id=node_id,
        parent=bench.parent,
        goal=step.goal,
        executor=step.kind,
        kind="leaf",
        contract=contract,
        inputs=inputs,
        outputs=(output,),
        provenance=tuple(Provider(slot=s, node=available[s][0], output=s) for s in takes),
        depends_on=tuple(sorted({available[s][0] for s in takes} - bench.ancestors)),
        budget=bench.budget,
        local_checks=(LocalCheck(id="L1", text="keeps its postconditions on every recorded call"),),
    )


def _default_inputs(bench: Bench) -> list[str]:
    results = [name for name, (node, _) in bench.available.items() if node not in bench.ancestors]
    return results[-1:] or list(bench.available)


def _predicate(
    predicate_id: str, expression: str, takes: Sequence[str], result: tuple[str, ...], vet: Vet
) -> tuple[Predicate, ...]:
    text = expression.strip()
    if not text or text.lower() in ("true", "none", "empty"):
        return ()
    refused = vet(text, [*takes, "result"] if result else takes)
    slots = result or tuple(takes)
    return (Predicate(id=predicate_id, text=text, slots=slots, expression="" if refused else text),)


def _fresh(name: str, taken: set[str] | frozenset[str], *, prefix: str) -> str:
    slug = re.sub(r"\W", "_", name, flags=re.ASCII) or "x"
    candidate = slug if slug.isidentifier() else f"{prefix}{slug}"
    if candidate in taken:
        candidate = f"{prefix}{candidate}"
    number = 2
    while candidate in taken:
        candidate, number = f"{prefix}{slug}_{number}", number + 1
    return candidate


_TYPES = {"int", "float", "str", "bool", "list", "tuple", "dict", "set", "bytes", "object", "complex", "frozenset"}


def known_type(text: str) -> str:
    """Return the annotation when it parses and names built-in types only, else `Any`."""
    clean = re.sub(r"\b(?:typing\.)?(List|Tuple|Dict|Set)\b", lambda m: m.group(1).lower(), text.strip())
    try:
        tree = ast.parse(clean, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "Any"
    nodes = list(ast.walk(tree.body))
    allowed = (ast.Name, ast.Subscript, ast.Tuple, ast.Constant, ast.BinOp, ast.BitOr, ast.Load, ast.List)
    if len(nodes) > 30 or not all(isinstance(n, allowed) for n in nodes):
        return "Any"
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    constants = [n.value for n in nodes if isinstance(n, ast.Constant)]
    return clean if names and names <= _TYPES and all(c in (None, ...) for c in constants) else "Any"
