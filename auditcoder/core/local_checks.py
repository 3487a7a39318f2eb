"""Executable local checks of one node: what runs, and what the results say (core.md section 3).

A local check calls the node's own function on given arguments. It runs in an *excerpt* of the candidate: the same
program text with every line blanked that the node does not need, so that line numbers and the line map stay valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditcoder.core.evidence import finding_from_result
from auditcoder.core.naming import id_key
from auditcoder.core.parsing import MAX_SOURCE, Refusal, parse_source
from auditcoder.core.scopes import module_names
from auditcoder.core.units import ENTRY
from auditcoder.core.versions import Active, is_current
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, LineOwner
from auditcoder.records.execution import CheckResult, ExecutionReport
from auditcoder.records.finding import Finding
from auditcoder.records.graph import ROOT, LocalCheck, Node, TaskGraph
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature


class Excerpt(NamedTuple):
    """The part of a program that one node needs, at the line numbers of the program."""

    program: str
    digest: str
    """SHA-256 of the text."""
    owners: tuple[str, ...]
    """The nodes whose code is in it, in id order; import block and prelude aside."""


def function_of(node: Node, assembly: Assembly) -> FunctionSignature | None:
    """Return the one function that a node's contract names and its code defines at top level, or None.

    A node of several functions, or of methods, has no single call that a local check could mean [R].
    """
    if len(node.contract.signatures) != 1:
        return None
    signature = node.contract.signatures[0]
    functions = {unit.name for unit in assembly.units if unit.owner == node.id and unit.kind == "function"}
    return signature if signature.name in functions else None


def local_entry(node: Node, assembly: Assembly) -> EntryPoint | None:
    """Return how the node's own function is entered, or None when it has no single one."""
    signature = function_of(node, assembly)
    return EntryPoint(kind="function", name=signature.name, signature=signature) if signature else None


def executable_checks(node: Node, assembly: Assembly) -> tuple[Check, ...]:
    """Return the node's local checks that can be run, with ids like `S2:L2`, in the order of the plan."""
    signature = function_of(node, assembly)
    if signature is None:
        return ()
    arity = len(signature.parameters)
    return tuple(
        _check(node.id, local) for local in node.local_checks if local.has_expected and len(local.args) == arity
    )


def checked_nodes(active: Active) -> tuple[Node, ...]:
    """Return the nodes that have a local check that can be run, in id order."""
    found = [node for node in active.graph.owners if executable_checks(node, active.assembly)]
    return tuple(sorted(found, key=lambda node: id_key(node.id)))


def unchecked_nodes(active: Active, findings: Sequence[Finding]) -> tuple[Node, ...]:
    """Return the nodes with a local check that can be run and has no current executed finding yet, in id order.

    A finding of an earlier program stays current while code and contracts are the same: that check is not run again.
    """
    done = {f.check for f in findings if f.evidence == "exec" and is_current(f, active.graph, active.codes)}
    return tuple(
        node
        for node in checked_nodes(active)
        if any(check.id not in done for check in executable_checks(node, active.assembly))
    )


def excerpt(assembly: Assembly, graph: TaskGraph, node_id: str) -> Excerpt:
    """Return the program with every line blanked that a node does not need.

    Kept: the node's code, that of its transitive providers (provenance and `depends_on`), that of the owners of every
    function or class that those name (on the syntax tree), the import block and the task's prelude. What starts the
    program (`<entry>`) is never kept: the node's function is called, the program is not run.

    Raises:
        KeyError: the graph has no such node.
    """
    graph.node(node_id)
    lines = assembly.program.split("\n")
    shared = _shared(assembly)
    wanted = _needed(assembly, graph, node_id, lines)
    kept = [entry for entry in assembly.lines if entry in shared or (entry.owner in wanted and entry.unit != ENTRY)]
    text = _only(lines, kept)
    return Excerpt(text, sha256_text(text), tuple(sorted(wanted, key=id_key)))


def findings_from_local_checks(
    active: Active, node_id: str, report: ExecutionReport, *, start: int
) -> tuple[Finding, ...]:
    """Return the executed findings of a node's local checks, in the order of the plan.

    A passing check is an accept and a wrong result a rejection of the contract on the node's output; a time or memory
    limit breaks the resource obligation. Nothing is said [R] where another node's code is at fault or may be: the
    innermost frame of the error is not the node's own, or an error shows no frame and the excerpt holds others' code;
    nor where the function never ran (gate, sandbox failure).

    Raises:
        KeyError: the graph has no such node.
    """
    node = active.graph.node(node_id)
    results = {result.check: result for result in report.results}
    known = [results[check.id] for check in executable_checks(node, active.assembly) if check.id in results]
    alone = len(excerpt(active.assembly, active.graph, node_id).owners) == 1 if known else False
    telling = [result for result in known if _tells(result, node_id, active.assembly, alone=alone)]
    slot = node.outputs[0].name if len(node.outputs) == 1 else ""
    return tuple(finding_from_result(start + i, node_id, result, active, slot=slot) for i, result in enumerate(telling))


def _check(node_id: str, local: LocalCheck) -> Check:
    return Check(
        id=f"{node_id}:{local.id}",
        origin="internal",
        input=FunctionInput(args=local.args),
        expected=Expected(value=local.expected, has_value=True),
        note=local.derivation,
    )


def _shared(assembly: Assembly) -> frozenset[LineOwner]:
    """Return the import block and the prelude: what stands before the first owner's own code.

    The root owns both on paper, and its own code comes last. Where the root is the only owner all of it is kept anyway.
    """
    shared: list[LineOwner] = []
    for entry in assembly.lines:
        if entry.owner != ROOT:
            return frozenset(shared)
        shared.append(entry)
    return frozenset()


def _needed(assembly: Assembly, graph: TaskGraph, node_id: str, lines: list[str]) -> set[str]:
    owners = {node.id: node for node in graph.owners}
    given = {entry.unit for entry in _shared(assembly)}
    definitions = [unit for unit in assembly.units if unit.kind in ("function", "class") and unit.name not in given]
    defined = {unit.name: unit.owner for unit in definitions}
    wanted, waiting = set[str](), [node_id]
    while waiting:
        current = waiting.pop()
        if current in wanted or current not in owners:
            continue
        wanted.add(current)
        node = owners[current]
        waiting += [*(provider.node for provider in node.provenance), *node.depends_on]
        waiting += _named(assembly, current, defined, lines)
    return wanted


def _named(assembly: Assembly, owner: str, defined: Mapping[str, str], lines: list[str]) -> list[str]:
    """Return the owners of the functions and classes that an owner's code names and does not define itself."""
    shared = _shared(assembly)
    own = [entry for entry in assembly.lines if entry.owner == owner and entry.unit != ENTRY and entry not in shared]
    tree = parse_source(_only(lines, own), most=20 * MAX_SOURCE)
    if isinstance(tree, Refusal):
        return []
    return sorted({defined[name] for name in module_names(tree).free if name in defined} - {owner})


def _only(lines: list[str], kept: list[LineOwner]) -> str:
    shown = [""] * len(lines)
    for entry in kept:
        shown[entry.first - 1 : entry.last] = lines[entry.first - 1 : entry.last]
    return "\n".join(shown)


def _tells(result: CheckResult, node_id: str, assembly: Assembly, *, alone: bool) -> bool:
    if result.outcome in ("harness-error", "policy-reject"):
        return False
    if result.frames:
        innermost = assembly.owner_of_line(result.frames[-1].line)
        return innermost is not None and innermost.owner == node_id and innermost not in _shared(assembly)
    return result.outcome != "runtime-error" or alone
