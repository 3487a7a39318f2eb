"""What must hold for every assembled program (core.md section 2), checked on its text, not by what made it."""

from __future__ import annotations

from collections.abc import Iterator

from auditcoder.core.assembly import assemble
from auditcoder.core.plan import single_owner_graph
from auditcoder.eval.study_assembly.maps import Assembled, link
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly
from auditcoder.records.graph import ROOT


def faults_of(assembled: Assembled) -> tuple[str, ...]:
    """Return what is wrong with an assembly; nothing when all holds.

    1. every line that is not blank has exactly one owner, and every owner is a node that owns code;
    2. the text of each unit stands at its lines, methods inside their class;
    3. assembling again, also over the assembly before, gives the same bytes;
    4. under one owner, the program taken as an answer gives itself.
    """
    assembly = assembled.assembly
    found = [*_ownership(assembled), *_unit_texts(assembly), *_again(assembled)]
    if len(assembled.graph.nodes) == 1:
        found += _fixed_point(assembled)
    return tuple(found)


def _ownership(assembled: Assembled) -> Iterator[str]:
    assembly = assembled.assembly
    lines = assembly.program.split("\n")
    counts = [0] * len(lines)
    nodes = {node.id for node in assembled.graph.owners}
    for entry in assembly.lines:
        if entry.owner not in nodes:
            yield f"lines {entry.first}-{entry.last} belong to {entry.owner}, which owns no code"
        if not 1 <= entry.first <= entry.last <= len(lines):
            yield f"the line map has lines {entry.first}-{entry.last} of {len(lines)}"
            continue
        for line in range(entry.first, entry.last + 1):
            counts[line - 1] += 1
    for number, (text, count) in enumerate(zip(lines, counts, strict=True), start=1):
        if count > 1 or (text.strip() and not count):
            yield f"line {number} has {count} owners"
    if len({unit.name for unit in assembly.units}) != len(assembly.units):
        yield "two units have one name"
    if assembly.digest != sha256_text(assembly.program):
        yield "the digest is not that of the program"


def _unit_texts(assembly: Assembly) -> Iterator[str]:
    lines = assembly.program.split("\n")
    owners = {unit.name: unit.owner for unit in assembly.units}
    for entry in assembly.lines:
        if owners.get(entry.unit) != entry.owner:
            yield f"lines {entry.first}-{entry.last} belong to unit {entry.unit} of {entry.owner}, which is no unit"
    for unit in assembly.units:
        inside = f"{unit.name}." if unit.kind == "class" else "\0"
        entries = [entry for entry in assembly.lines if entry.unit == unit.name or entry.unit.startswith(inside)]
        text = "\n".join(line for entry in entries for line in lines[entry.first - 1 : entry.last])
        if text != unit.text:
            yield f"unit {unit.name} does not stand at its lines"


def _again(assembled: Assembled) -> Iterator[str]:
    task, graph, codes, assembly = assembled[:4]
    if assemble(graph, dict(reversed(list(codes.items()))), task) != assembly:
        yield "assembling again gives another program"
    if assemble(graph, codes, task, assembly) != assembly:
        yield "assembling over the assembly before gives another program"


def _fixed_point(assembled: Assembled) -> Iterator[str]:
    """Without the task's prelude, which is no part of the answer; what it provided is imported then."""
    bare = assembled.task.model_copy(update={"prelude": ""})
    graph = single_owner_graph(bare)
    once = link(bare, graph, {ROOT: assembled.codes[ROOT].source})
    again = link(bare, graph, {ROOT: once.assembly.program}) if isinstance(once, Assembled) else once
    if not isinstance(again, Assembled) or not isinstance(once, Assembled):
        yield f"the program is refused as an answer: {again[0]}"
    elif again.assembly.program != once.assembly.program:
        yield "the program as an answer gives another program"
