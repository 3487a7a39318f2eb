"""DCTC, decision-code trace coverage: how many leaf records are complete (paper 4.3, core.md section 8).

A leaf record is complete when four fields are not empty [R]:
- code: an active source that is no fallback body, and at least one unit of the assembled program;
- contract: a signature or a predicate;
- provenance: every input slot names its provider; a leaf that takes nothing has nothing to name;
- validation (the paper's introduction calls it the check field): a local check of its plan, or a finding about it, or
  the frozen checks Q when the leaf is the only owner of the program, because a run on Q then speaks about it alone.

It is completeness of fields, not correctness of what is in them. Per task; the paper's figure is the mean over tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditcoder.audit.metrics.loading import LoadedRun, Moment
from auditcoder.audit.metrics.metric import Part
from auditcoder.core.evidence import sole_owner
from auditcoder.records.graph import Node


def after_assembly(run: LoadedRun) -> Sequence[Part]:
    """Return the complete leaf records of the program that the first repair would start from."""
    return coverage(run, run.built)


def after_repair(run: LoadedRun) -> Sequence[Part]:
    """Return the complete leaf records of the final program."""
    return coverage(run, run.final)


def coverage(run: LoadedRun, moment: Moment) -> Sequence[Part]:
    """Return complete leaf records over leaf records, with the empty fields of each incomplete one."""
    graph = moment.program.graph
    leaves = [node for node in graph.nodes if node.kind == "leaf"] if graph else []
    missing = {leaf.id: tuple(empty_fields(leaf, run, moment)) for leaf in leaves}
    against = tuple(f"{leaf}: no {', no '.join(fields)}" for leaf, fields in missing.items() if fields)
    return (Part(sum(not fields for fields in missing.values()), len(missing), against),)


def empty_fields(leaf: Node, run: LoadedRun, moment: Moment) -> Iterator[str]:
    """Yield the names of the empty fields of a leaf record."""
    program = moment.program
    code = program.codes.get(leaf.id)
    owns = any(unit.owner == leaf.id for unit in program.assembly.units)
    if code is None or not code.source.strip() or not owns or (leaf.id, code.digest) in run.fallbacks:
        yield "code"
    if not leaf.contract.signatures and not leaf.contract.predicates():
        yield "contract"
    if {slot.name for slot in leaf.inputs} - {provider.slot for provider in leaf.provenance}:
        yield "provenance"
    if not _validated(leaf, run, moment):
        yield "validation"


def _validated(leaf: Node, run: LoadedRun, moment: Moment) -> bool:
    found = any(leaf.id in finding.owners for finding in moment.findings)
    alone = sole_owner(moment.program.assembly) == leaf.id
    return bool(leaf.local_checks) or found or (alone and bool(run.checks))
