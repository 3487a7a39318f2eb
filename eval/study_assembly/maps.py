"""The ownership maps under which a program is assembled, by the route of the pipeline: accept each answer, then link.

single: the root owns the program, as in a plan of one node. split: every top-level function or class a node. joined:
programs of several tasks in one, each a node with all its private names, so that these collide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditcoder.core.answers import Written, accept_answer
from auditcoder.core.assembly import assemble
from auditcoder.core.graph import in_writing_order, integrity
from auditcoder.core.parsing import Refusal
from auditcoder.core.plan import single_owner_graph
from auditcoder.errors import AssemblyError
from auditcoder.eval.study_assembly.rows import Row
from auditcoder.eval.study_assembly.splitting import Divided, definition_signature, divide, read_module
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.graph import ROOT, Contract, Node, TaskGraph
from auditcoder.records.task import Task


class Rejected(NamedTuple):
    """Why a program was not assembled."""

    reason: str
    node: str = ""


class Assembled(NamedTuple):
    """A program that was linked out of its nodes."""

    task: Task
    graph: TaskGraph
    codes: Mapping[str, NodeCode]
    assembly: Assembly
    notes: Mapping[str, tuple[str, ...]]
    """What acceptance took out of each node's answer, or added to it."""


def task_of(row: Row) -> Task:
    """Return the task that a row's program was written for, as far as assembly reads it."""
    return Task(id=row.id, statement="A recorded program.", entry=row.entry, prelude=row.header)


def assemble_single(row: Row) -> Assembled | Rejected:
    """Return the program under one owner."""
    task = task_of(row)
    return link(task, single_owner_graph(task), {ROOT: row.code})


def divided(row: Row) -> Divided | Rejected:
    """Return the program as nodes, or why it cannot be taken apart."""
    module = read_module(row.code)
    if isinstance(module, Refusal):
        return Rejected(module.reason)
    try:
        return divide(task_of(row), module)
    except ValueError as error:  # a name that no contract can hold
        return Rejected(f"no contract can be computed: {str(error).splitlines()[0]}")


def link(task: Task, graph: TaskGraph, answers: Mapping[str, str]) -> Assembled | Rejected:
    """Return the assembly of all nodes' answers, or the first reason against it."""
    for violation in integrity(graph):
        return Rejected(f"the graph is not sound: {violation.rule}", violation.node)
    codes: dict[str, NodeCode] = {}
    notes: dict[str, tuple[str, ...]] = {}
    for node in in_writing_order(graph):
        outcome = accept_answer(task, graph, node, answers[node.id])
        if not isinstance(outcome, Written):
            return Rejected(outcome.reason, node.id)
        codes[node.id], notes[node.id] = outcome.code, outcome.notes
    try:
        return Assembled(task, graph, codes, assemble(graph, codes, task), notes)
    except AssemblyError as error:
        nodes = error.fields.get("nodes")
        return Rejected(error.message, nodes[0] if isinstance(nodes, tuple) and nodes else "")


class Joined(NamedTuple):
    """Programs of several tasks in one, by row id."""

    assembled: Assembled
    owners: Mapping[str, str]
    """The node of each row."""


def join_rows(rows: Sequence[Row]) -> tuple[Joined | None, dict[str, Rejected]]:
    """Return the programs of several rows as one, and those that were refused; the first one accepted is the root's.

    A refused program is left out and the others are tried again, so every refusal is that of one row.
    """
    left, refused = list(rows), dict[str, Rejected]()
    while left:
        outcome = link(task_of(left[0]), _joined_graph(left), {_node(i): row.code for i, row in enumerate(left)})
        owners = {row.id: _node(i) for i, row in enumerate(left)}
        if isinstance(outcome, Assembled):
            return Joined(outcome, owners), refused
        guilty = next((row for row in left if owners[row.id] == outcome.node), left[-1])
        refused[guilty.id] = outcome
        left.remove(guilty)
    return None, refused


def groups_of(rows: Sequence[Row], size: int = 6) -> list[list[Row]]:
    """Return the rows in groups of different tasks, in none of which a program contains another one's entry name.

    Such a name is public there: a helper that has it would be taken out as another node's function. Programs with
    many private names come together, so that these collide.
    """
    waiting, groups = sorted(rows, key=lambda row: -_private_names(row)), list[list[Row]]()
    while waiting:
        group = [waiting.pop(0)]
        later: list[Row] = []
        for row in waiting:
            fits = len(group) < size and not any(_clash(row, other) for other in group)
            (group if fits else later).append(row)
        groups.append(group)
        waiting = later
    return groups


def _private_names(row: Row) -> int:
    module = read_module(row.code)
    return 0 if isinstance(module, Refusal) else len(module.names.bound - {row.entry.name})


def _clash(one: Row, other: Row) -> bool:
    return one.task == other.task or _contains(one, other.entry.name) or _contains(other, one.entry.name)


def _contains(row: Row, name: str) -> bool:
    return re.search(rf"\b{name}\b", row.code) is not None


def _node(index: int) -> str:
    return f"S{index}"


def _joined_graph(rows: Sequence[Row]) -> TaskGraph:
    root = single_owner_graph(task_of(rows[0])).nodes[0]
    leaves = [_joined_leaf(_node(index), row) for index, row in enumerate(rows) if index]
    ids = tuple(leaf.id for leaf in leaves)
    root = root.model_copy(update={"kind": "orchestrator" if leaves else "leaf", "depends_on": ids})
    return TaskGraph(nodes=(root, *leaves), order=ids or (ROOT,))


def _joined_leaf(node: str, row: Row) -> Node:
    """The contract is the definition of the entry as written; the task's own one where nothing defines it."""
    signatures = single_owner_graph(task_of(row)).nodes[0].contract.signatures
    module = read_module(row.code)
    if not isinstance(module, Refusal):
        found = [module.statement(p) for p in module.pieces if p.name and p.name == row.entry.name]
        signatures = tuple(definition_signature(statement) for statement in found[-1:]) or signatures
    if row.entry.kind == "class" and not any(each.name == row.entry.name for each in signatures):
        signatures = ()
    return Node(
        id=node,
        parent=ROOT,
        goal=f"Define {row.entry.name}.",
        executor="simulation",
        kind="leaf",
        contract=Contract(signatures=signatures),
    )
