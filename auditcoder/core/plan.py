"""From a planner's proposal to a task graph: everything that is known or can be computed is filled in by code.

A planner proposes names, goals and which values a step takes. Ids, signatures, provenance, order and the root's
contract are computed, so that a plan cannot cite itself, invent an input, or lose the entry point (paper 3.1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from auditcoder.core.steps import Bench, PlannedStep, Vet, consumed, decisions_of, leaves_of, numbered
from auditcoder.records.graph import (
    ROOT,
    TASK,
    Budget,
    Contract,
    LocalCheck,
    Node,
    Predicate,
    Provider,
    Slot,
    TaskGraph,
)
from auditcoder.records.task import FunctionSignature, Task

__all__ = [
    "PlannedStep",
    "Vet",
    "build_graph",
    "entry_signatures",
    "file_slot",
    "observable",
    "returned",
    "single_owner_graph",
    "task_slots",
]


def task_slots(task: Task) -> tuple[Slot, ...]:
    """Return the values that the task itself provides: parameters, `stdin`, or one text a file."""
    entry = task.entry
    if entry.kind == "function" and entry.signature is not None:
        return tuple(Slot(name=p.name, type=p.type) for p in entry.signature.parameters)
    if entry.kind == "program":
        return (Slot(name="stdin", type="str"),)
    if entry.kind == "script":
        return tuple(Slot(name=file_slot(file.name), type="str") for file in task.files)
    return ()


def file_slot(name: str) -> str:
    """Return the slot name of an input file: `data/prices.csv` becomes `prices_csv`."""
    slug = re.sub(r"\W+", "_", name.rsplit("/", 1)[-1].lower()).strip("_")
    return f"file_{slug}" if not slug or slug[0].isdigit() else slug


def observable(task: Task) -> Slot:
    """Return the root's output slot, which is what a check observes (core.md section 4)."""
    if task.entry.kind == "function":
        return Slot(name="result", type=task.entry.signature.returns if task.entry.signature else "Any")
    return Slot(name={"program": "stdout", "class": "state", "script": "files"}[task.entry.kind])


def entry_signatures(task: Task) -> tuple[FunctionSignature, ...]:
    """Return the signatures that the root's code must define."""
    if task.entry.kind == "function":
        return (task.entry.signature,) if task.entry.signature else (FunctionSignature(name=task.entry.name),)
    if task.entry.kind == "class":
        return task.entry.methods
    return ()


def single_owner_graph(task: Task) -> TaskGraph:
    """Return the graph in which the root owns the whole program."""
    slots = task_slots(task)
    root = Node(
        id=ROOT,
        goal="Solve the task.",
        executor="class-state" if task.entry.kind == "class" else "orchestration",
        kind="leaf",
        contract=_root_contract(task),
        inputs=slots,
        outputs=(observable(task),),
        provenance=tuple(Provider(slot=s.name, node=TASK, output=s.name) for s in slots),
        budget=_budget(task),
        local_checks=(LocalCheck(id="L1", text="every example passes"),),
    )
    return TaskGraph(nodes=(root,), order=(ROOT,))


def build_graph(task: Task, steps: Sequence[PlannedStep], vet: Vet) -> TaskGraph:
    """Return the graph of an orchestrating root and one leaf a step, with computed interfaces.

    See `core.steps` for how interfaces are computed. The split is a planning decision at the root, the executor
    category of every leaf one at the leaf: what a commitment finding can name.
    """
    slots = task_slots(task)
    bench = Bench(
        parent=ROOT,
        ids=numbered("S"),
        available={slot.name: (TASK, slot) for slot in slots},
        used={task.entry.name, *(slot.name for slot in slots)},
        vet=vet,
        budget=_budget(task),
    )
    leaves = leaves_of(steps, bench)
    return TaskGraph(
        nodes=(_root(task, leaves), *leaves),
        order=tuple(leaf.id for leaf in leaves),
        decisions=decisions_of(ROOT, leaves, numbered("D")),
    )


def returned(leaves: Sequence[Node]) -> tuple[tuple[str, Slot], ...]:
    """Return (node, slot) of every result of the steps that no later step takes: the root takes them back."""
    taken = consumed(leaves)
    return tuple((leaf.id, leaf.outputs[0]) for leaf in leaves if (leaf.id, leaf.outputs[0].name) not in taken)


def _root(task: Task, leaves: Sequence[Node]) -> Node:
    own, last = task_slots(task), returned(leaves)
    return Node(
        id=ROOT,
        goal="Connect the steps and give the final answer in the required form.",
        executor="orchestration",
        kind="orchestrator",
        contract=_root_contract(task),
        inputs=(*own, *(slot for _, slot in last)),
        outputs=(observable(task),),
        provenance=(
            *(Provider(slot=s.name, node=TASK, output=s.name) for s in own),
            *(Provider(slot=slot.name, node=node, output=slot.name) for node, slot in last),
        ),
        depends_on=tuple(leaf.id for leaf in leaves),
        budget=_budget(task),
    )


def _budget(task: Task) -> Budget:
    return Budget(time=f"at most {task.limits.cpu_seconds:g} s of CPU on every check, for the whole program")


def _root_contract(task: Task) -> Contract:
    out = observable(task).name
    return Contract(
        signatures=entry_signatures(task),
        postconditions=(Predicate(id="goal", text="The result is what the task asks for.", slots=(out,)),),
    )
