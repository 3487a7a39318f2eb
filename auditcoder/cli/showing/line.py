"""One line of the program: who owns it, and why it is what it is."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from auditcoder.cli.exits import usage_error
from auditcoder.cli.showing.facts import Facts
from auditcoder.cli.showing.node import history, history_data, indented
from auditcoder.cli.showing.part import Part
from auditcoder.cli.text import clean
from auditcoder.records.graph import Node
from auditcoder.records.run import RunRecord


def line_part(record: RunRecord, line: int, facts: Facts) -> Part:
    """Return one line (1-based) of the program that is looked at.

    Raises:
        ConfigError: the run has no program yet, or the program no such line.
    """
    assembly = record.assembly
    if assembly is None:
        raise no_program(facts)
    source = assembly.program.splitlines()
    if not 1 <= line <= len(source):
        at = f" ({facts.moment})" if facts.moment else ""
        raise usage_error(f"the program has no line {line}", f"It has {len(source)} lines{at}.")
    entry = assembly.owner_of_line(line)
    rows: list[RenderableType] = [Text.assemble((f"{line}  ", "dim"), clean(source[line - 1]))]
    data: dict[str, object] = {"line": line, "text": source[line - 1], "owner": None}
    if entry is None:
        rows.append(Text("  a blank line between units; nobody owns it", style="dim"))
    else:
        node = node_of(record, entry.owner)
        goal = facts.cut(node.goal, 0) if node else "no node of the plan"
        told = [f"  unit       {entry.unit}, lines {entry.first} to {entry.last}"]
        told += [f"  owner      {entry.owner}  {goal}", *history(record, entry.owner, facts)]
        rows.append(indented(told))
        data |= {"owner": entry.model_dump(mode="json"), **history_data(record, entry.owner, facts)}
    return Part(tuple(rows), data)


def no_program(facts: Facts) -> Exception:
    """Return the error on a line of a program that is not there yet."""
    if facts.moment:
        return usage_error(f"there is no program yet ({facts.moment})", "Name a later event, or leave --at out.")
    return usage_error("the run has no program yet", "Go on with it: auditcoder solve --resume RUN")


def node_of(record: RunRecord, node_id: str) -> Node | None:
    """Return a node of the plan that is looked at, or None."""
    return next((node for node in record.graph.nodes if node.id == node_id), None) if record.graph else None
