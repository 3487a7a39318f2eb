"""Whether the preferred findings tell one story, and of which class (paper B.3 Algorithm 5, core.md section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx

from auditcoder.core.graph import subtree
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TaskGraph
from auditcoder.records.localization import DefectClass


def implicated_by(findings: Iterable[Finding]) -> frozenset[str]:
    """Return the union of the findings' owners, the candidate set `W`."""
    return frozenset(owner for finding in findings for owner in finding.owners)


def coherent_class(findings: Sequence[Finding], graph: TaskGraph) -> DefectClass | None:
    """Return the defect class of findings that explain a failure together, or None when they compete.

    With commitment obligations: all name one decision whose subtree holds every owner. Without: one owner, or owners
    that the named provider-consumer pairs connect. Competing findings are never merged into a wider set.
    """
    owners = implicated_by(findings)
    if any(finding.obligation.kind == "commitment" for finding in findings):
        return "Cmt" if _one_decision(findings, owners, graph) else None
    pairs = [(f.obligation.provider, f.obligation.consumer) for f in findings if f.obligation.kind == "interface"]
    if len(owners) != 1 and not _connected(owners, pairs):
        return None
    return "Ifc" if pairs else "Impl"


def _one_decision(findings: Sequence[Finding], owners: frozenset[str], graph: TaskGraph) -> bool:
    named = {finding.obligation.decision for finding in findings if finding.obligation.kind == "commitment"}
    roots = [decision.node for decision in graph.decisions if decision.id in named]
    return len(named) == 1 and len(roots) == 1 and owners.issubset(subtree(graph, roots[0]))


def _connected(owners: frozenset[str], pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether the pairs within `owners` join all of them."""
    joined = nx.Graph(pair for pair in pairs if owners.issuperset(pair))
    return bool(joined) and owners == set(joined) and nx.is_connected(joined)
