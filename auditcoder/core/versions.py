"""Content versions of a responsibility, and whether a verdict still speaks about them (paper B.2, core.md 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from auditcoder.core.naming import id_key
from auditcoder.records.base import sha256_json, sha256_text
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.finding import Finding, Versions
from auditcoder.records.graph import Node, TaskGraph

Codes = Mapping[str, NodeCode]
"""Active source of every code owner, by node id."""


class Active(NamedTuple):
    """The active program: what verdicts are made against."""

    graph: TaskGraph
    codes: Codes
    assembly: Assembly


def versions_of(graph: TaskGraph, codes: Codes, node_id: str) -> Versions:
    """Return the content hashes of a node's code, its contract, and its providers' contracts.

    A node without code (structural, or not written yet) has the empty code version: a verdict on its plan is
    superseded as soon as it gets code.

    Raises:
        KeyError: the graph has no such node.
    """
    node = graph.node(node_id)
    code = codes.get(node_id)
    return Versions(
        code=sha256_text(code.source) if code else "",
        contract=node.contract.content_hash(),
        providers=_providers_version(graph, node),
    )


def is_current(finding: Finding, graph: TaskGraph, codes: Codes) -> bool:
    """Return whether a finding was made against the active versions of all its owners.

    Currency is computed from content, never stored: a rollback brings old findings back by itself.
    """
    known = {node.id for node in graph.nodes}
    if not finding.owners or len(finding.versions) != len(finding.owners) or not known.issuperset(finding.owners):
        return False
    pairs = zip(finding.owners, finding.versions, strict=True)
    return all(versions_of(graph, codes, owner) == versions for owner, versions in pairs)


def _providers_version(graph: TaskGraph, node: Node) -> str:
    named = {provider.node for provider in node.provenance}
    providers = sorted((other for other in graph.nodes if other.id in named), key=lambda other: id_key(other.id))
    return sha256_json([[other.id, other.contract.content_hash()] for other in providers]) if providers else ""
