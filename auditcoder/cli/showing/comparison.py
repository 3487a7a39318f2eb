"""Two runs side by side: what differs, section by section, and what does not in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from auditcoder.audit.comparing import usage_differs
from auditcoder.audit.comparison import Comparison, FieldChange, Parting, RepairFacts, Section, UnitChange
from auditcoder.cli.showing.part import Part, table
from auditcoder.cli.showing.run import rank_text
from auditcoder.cli.text import clean, one_line

WIDTH = 60
DIFF_LINES = 200
"""Lines of a unit's diff that are shown; `--json` has all."""
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def comparison_part(found: Comparison, one: str, other: str) -> Part:
    """Return a comparison for people and for programs."""
    data = {"one": one, "other": other, "same": found.same, **found.model_dump(mode="json")}
    heading = Text.assemble(("one    ", "dim"), one_line(one), "\n", ("other  ", "dim"), one_line(other))
    return Part((heading, *_sections(found), "", Text(closing(found))), data)


def closing(found: Comparison) -> str:
    """Return the last line: which sections differ, and which are the same."""
    if found.same:
        return "the same: no decision, text or verdict differs"
    compared = [section for section in get_args(Section) if section != "events" or found.aligned]
    same = ", ".join(section for section in compared if section not in found.different)
    return f"different: {', '.join(found.different)}" + (f"; the same: {same}" if same else "")


def _sections(found: Comparison) -> Iterator[RenderableType]:
    shown: dict[Section, RenderableType] = {
        "task": _fields("task", found.task),
        "settings": _fields("settings", found.settings),
        "plan": _plan(found),
        "program": _program(found.program),
        "checks": _checks(found),
        "rank": Text(f"rank  {rank_text(found.rank_one)} | {rank_text(found.rank_other)}"),
        "findings": _findings(found),
        "repairs": _repairs(found),
        "usage": _usage(found),
        "ending": _fields("ending", found.ending),
    }
    for section, text in shown.items():
        if section in found.different:
            yield ""
            yield text
    if found.parting is not None:
        yield ""
        yield Text(parting_text(found.parting))


def _fields(title: str, changes: Sequence[FieldChange]) -> Table:
    made = table("field", "one", "other", title=title)
    for change in changes:
        more = f" (and {change.more} more)" if change.more else ""
        made.add_row(Text(one_line(change.path + more)), _short(change.one), _short(change.other))
    return made


def _short(text: str) -> Text:
    return Text(one_line(text, WIDTH))


def _plan(found: Comparison) -> Table:
    made = table("node", "field", "one", "other", title="plan")
    for change in found.plan:
        made.add_row("", Text(one_line(change.path)), _short(change.one), _short(change.other))
    for node in found.nodes:
        if node.change != "changed":
            made.add_row(node.node, node.change, "", "")
        for field in node.fields:
            made.add_row(node.node, Text(one_line(field.path)), _short(field.one), _short(field.other))
    return made


def _program(changes: Sequence[UnitChange]) -> Text:
    lines = [Text("program", style="bold")]
    for change in changes:
        owners = " -> ".join(dict.fromkeys(owner for owner in (change.owner_one, change.owner_other) if owner))
        lines.append(Text(one_line(f"{change.unit}  [{owners}]  {change.change}"), style="bold"))
        lines += [Text(f"  {clean(line)}", style=_STYLES.get(line[:1], "")) for line in change.diff[:DIFF_LINES]]
        if len(change.diff) > DIFF_LINES:
            lines.append(Text(f"  and {len(change.diff) - DIFF_LINES} more lines; --json has all", style="dim"))
    return Text("\n").join(lines)


def _checks(found: Comparison) -> Table:
    made = table("check", "one", "other", "", title="checks")
    for pair in found.checks:
        note = "" if pair.same else "differs" if pair.defined == "same" else f"defined {pair.defined}"
        one, other = (Text(one_line(side)) for side in (pair.one or "-", pair.other or "-"))
        made.add_row(Text(one_line(pair.check)), one, other, note)
    return made


def _findings(found: Comparison) -> Table:
    made = table("findings", "evidence", "verdict", ">one", ">other", title="findings")
    for count in found.findings:
        made.add_row(count.kind, count.evidence, count.verdict, str(count.one), str(count.other))
    return made


def _repairs(found: Comparison) -> Table:
    made = table(">repair", "", "found", "scope", "before -> after", "decision", title="repairs")
    for pair in found.repairs:
        if pair.one == pair.other and pair.one is not None:
            made.add_row(str(pair.index + 1), "both", *_repair(pair.one))
            continue
        for name, facts in (("one", pair.one), ("other", pair.other)):
            if facts is not None:
                made.add_row(str(pair.index + 1), name, *_repair(facts))
    return made


def _repair(facts: RepairFacts) -> tuple[Text, Text, str, str]:
    scope = ", ".join(facts.nodes) + (f" + {', '.join(facts.expansions)}" if facts.expansions else "")
    ranks = f"{rank_text(facts.before)} -> {rank_text(facts.after)}"
    return _short(facts.localization), _short(f"{facts.action} {scope}".strip() or "none"), ranks, facts.decision


def _usage(found: Comparison) -> Table:
    made = table("role", ">calls", ">failed", ">tokens in", ">tokens out", title="model calls, one | other")
    for pair in found.usage:
        if usage_differs(pair):
            numbers = (pair.calls, pair.failed, pair.prompt_tokens, pair.completion_tokens)
            made.add_row(pair.role, *(f"{one} | {other}" for one, other in numbers))
    return made


def parting_text(parting: Parting) -> str:
    """Return where two ledgers part, in one or two lines."""
    numbers = (parting.event_one, parting.event_other)
    one, other = ("its end" if number is None else f"event {number}" for number in numbers)
    where = one if one == other else f"{one} | {other}"
    if not parting.path:
        return f"the ledgers part at {where}: {parting.kind_one} | {parting.kind_other}"
    more = f" (and {parting.more} more)" if parting.more else ""
    values = f"{one_line(parting.one, WIDTH)} | {one_line(parting.other, WIDTH)}"
    return f"the ledgers part at {where}, {parting.kind_one}, field {one_line(parting.path)}{more}:\n  {values}"
