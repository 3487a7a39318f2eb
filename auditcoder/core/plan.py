"""From a planner's proposal to a task graph: everything that is known or can be computed is filled in by code.

A planner proposes names, goals and which values a step takes. Ids, signatures, provenance, order and the root's
contract are computed, so that a plan cannot cite itself, invent an input, or lose the entry point (paper 3.1).
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from auditcoder.records.graph import (
    ROOT,
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
    TaskGraph,
)
from auditcoder.records.task import FunctionSignature, Parameter, Task

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

    A value that a step takes and that does not exist is left out; a step that then takes nothing takes the results
    before it, or the task's inputs. Expressions that `vet` refuses stay as prose.
    """
    available: dict[str, tuple[str, Slot]] = {slot.name: (TASK, slot) for slot in task_slots(task)}
    used = {task.entry.name, *available}
    leaves: list[Node] = []
    renamed: dict[str, str] = {}
    for index, step in enumerate(steps, start=1):
        takes = tuple(renamed.get(name, name) for name in step.takes)
        leaf = _leaf(f"S{index}", step._replace(takes=takes), available, used, vet, _budget(task))
        leaves.append(leaf)
        output = leaf.outputs[0]
        available[output.name] = (leaf.id, output)
        renamed[step.gives] = output.name
    decision = PlanningDecision(
        id="D1",
        node=ROOT,
        statement="Split into " + ", then ".join(leaf.contract.signatures[0].name for leaf in leaves),
    )
    return TaskGraph(
        nodes=(_root(task, leaves), *leaves), order=tuple(leaf.id for leaf in leaves), decisions=(decision,)
    )


def _leaf(
    node_id: str,
    step: PlannedStep,
    available: dict[str, tuple[str, Slot]],
    used: set[str],
    vet: Vet,
    budget: Budget,
) -> Node:
    name = _fresh(step.name, used | _RESERVED, prefix="step_")
    used.add(name)
    takes = [slot for slot in dict.fromkeys(step.takes) if slot in available] or _default_inputs(available)
    inputs = tuple(available[slot][1] for slot in takes)
    output = Slot(name=_fresh(step.gives or f"{name}_result", used | _RESERVED, prefix="new_"), type=_type(step.type))
    used.add(output.name)
    signature = FunctionSignature(
        name=name, parameters=tuple(Parameter(name=s.name, type=s.type) for s in inputs), returns=output.type
    )
    contract = Contract(
        signatures=(signature,),
        preconditions=_predicate("pre1", step.requires, takes, (), vet),
        postconditions=(
            Predicate(id="goal", text=step.goal, slots=(output.name,)),
            *_predicate("post1", step.ensures, takes, (output.name,), vet),
        ),
    )
    return Node(
        id=node_id,
        parent=ROOT,
        goal=step.goal,
        executor=step.kind,
        kind="leaf",
        contract=contract,
        inputs=inputs,
        outputs=(output,),
        provenance=tuple(Provider(slot=s, node=available[s][0], output=s) for s in takes),
        depends_on=tuple(sorted({available[s][0] for s in takes} - {TASK})),
        budget=budget,
        local_checks=(LocalCheck(id="L1", text="keeps its postconditions on every recorded call"),),
    )


def _root(task: Task, leaves: Sequence[Node]) -> Node:
    consumed = {(p.node, p.output) for leaf in leaves for p in leaf.provenance}
    own = task_slots(task)
    last = [(leaf.id, leaf.outputs[0]) for leaf in leaves if (leaf.id, leaf.outputs[0].name) not in consumed]
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


def _default_inputs(available: dict[str, tuple[str, Slot]]) -> list[str]:
    results = [name for name, (node, _) in available.items() if node != TASK]
    return results[-1:] or list(available)


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
    slug = re.sub(r"\W", "_", name) or "x"
    candidate = slug if slug.isidentifier() else f"{prefix}{slug}"
    if candidate in taken:
        candidate = f"{prefix}{candidate}"
    number = 2
    while candidate in taken:
        candidate, number = f"{prefix}{slug}_{number}", number + 1
    return candidate


_TYPES = {"int", "float", "str", "bool", "list", "tuple", "dict", "set", "bytes", "object", "complex", "frozenset"}


def _type(text: str) -> str:
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
