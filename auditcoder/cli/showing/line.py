"""One line of the program: who owns it, and why it is what it is."""

from __future__ import annotations

from rich.text import Text

from auditcoder.cli.exits import usage_error
from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.node import history
from auditcoder.cli.showing.part import Part
from auditcoder.cli.text import clean, one_line
from auditcoder.records.graph import Node
from auditcoder.records.run import RunRecord


def line_part(record: RunRecord, line: int, facts: Facts) -> Part:
    """Return one line (1-based) of the active program.

    Raises:
        ConfigError: the run has no program yet, or the program no such line.
    """
    assembly = record.assembly
    if assembly is None:
        raise usage_error("the run has no program yet", "Go on with it: auditcoder solve --resume RUN")
    source = assembly.program.splitlines()
    if not 1 <= line <= len(source):
        raise usage_error(f"the program has no line {line}", f"It has {len(source)} lines.")
    entry = assembly.owner_of_line(line)
    rows = [Text.assemble((f"{line}  ", "dim"), clean(source[line - 1]))]
    if entry is None:
        rows.append(Text("  a blank line between units; nobody owns it", style="dim"))
    else:
        node = node_of(record, entry.owner)
        goal = one_line(node.goal) if node else "no node of the plan"
        rows.append(Text(f"  unit       {entry.unit}, lines {entry.first} to {entry.last}"))
        rows.append(Text.assemble("  owner      ", (entry.owner, "bold"), f"  {goal}"))
        rows += [Text(clean(row)) for row in history(record, entry.owner, facts)]
    owner = entry.model_dump(mode="json") if entry else None
    return Part(tuple(rows), {"line": line, "text": source[line - 1], "owner": owner})


def node_of(record: RunRecord, node_id: str) -> Node | None:
    """Return a node of the active plan, or None."""
    return next((node for node in record.graph.nodes if node.id == node_id), None) if record.graph else None
