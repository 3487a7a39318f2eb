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


class VersionTable:
    """The versions of the nodes of one active program; each is computed once, when it is asked for."""

    def __init__(self, graph: TaskGraph, codes: Codes) -> None:
        self._codes = codes
        self._nodes: dict[str, list[Node]] = {}
        for node in graph.nodes:
            self._nodes.setdefault(node.id, []).append(node)
        self._contracts: dict[str, list[str]] = {}
        self._versions: dict[str, Versions] = {}

    def of(self, node_id: str) -> Versions:
        """Return the content hashes of a node's code, its contract, and its providers' contracts.

        Raises:
            KeyError: the graph has no such node.
        """
        if node_id not in self._versions:
            node, code = self._nodes[node_id][0], self._codes.get(node_id)
            self._versions[node_id] = Versions(
                code=sha256_text(code.source) if code else "",
                contract=self._contract_hashes(node_id)[0],
                providers=self._providers_version(node),
            )
        return self._versions[node_id]

    def is_current(self, finding: Finding) -> bool:
        """Return what the function `is_current` returns."""
        if not finding.owners or len(finding.versions) != len(finding.owners):
            return False
        pairs = zip(finding.owners, finding.versions, strict=True)
        return all(owner in self._nodes and self.of(owner) == versions for owner, versions in pairs)

    def _providers_version(self, node: Node) -> str:
        named = sorted({provider.node for provider in node.provenance}.intersection(self._nodes), key=id_key)
        providers = [[other, digest] for other in named for digest in self._contract_hashes(other)]
        return sha256_json(providers) if providers else ""

    def _contract_hashes(self, node_id: str) -> list[str]:
        """Return the contract hash of every node with an id: of one, unless the graph is broken."""
        if node_id not in self._contracts:
            self._contracts[node_id] = [node.contract.content_hash() for node in self._nodes[node_id]]
        return self._contracts[node_id]


def versions_of(graph: TaskGraph, codes: Codes, node_id: str) -> Versions:
    """Return the content hashes of a node's code, its contract, and its providers' contracts.

    A node without code (structural, or not written yet) has the empty code version: a verdict on its plan is
    superseded as soon as it gets code.

    Raises:
        KeyError: the graph has no such node.
    """
    return VersionTable(graph, codes).of(node_id)


def is_current(finding: Finding, graph: TaskGraph, codes: Codes) -> bool:
    """Return whether a finding was made against the active versions of all its owners.

    Currency is computed from content, never stored: a rollback brings old findings back by itself.
    """
    return VersionTable(graph, codes).is_current(finding)
