"""Two runs side by side: what differs, section by section, and what does not in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from auditcoder.audit.comparing import usage_differs
from auditcoder.audit.comparison import Comparison, FieldChange, Parting, RepairFacts, Section, UnitChange
from auditcoder.audit.showing import apart
from auditcoder.cli.showing.part import Part, table
from auditcoder.cli.showing.run import rank_text
from auditcoder.cli.text import clean, one_line
from auditcoder.records.config import ROLES

WIDTH = 60
SCHEMA = 1
"""Version of the form of `--json`."""
DIFF_LINES = 200
"""Lines of a unit's diff that are shown; `--json` has all."""
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def comparison_part(found: Comparison, one: str, other: str) -> Part:
    """Return a comparison for people and for programs."""
    data = {"schema": SCHEMA, "one": one, "other": other, "same": found.same, **found.model_dump(mode="json")}
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
        "settings": _fields("settings", over_roles(found.settings)),
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


def over_roles(changes: Sequence[FieldChange]) -> tuple[FieldChange, ...]:
    """Return changes of settings, those that are the same for several roles as one."""
    groups: dict[FieldChange, list[str]] = {}
    for change in changes:
        _, role, field = (*change.path.split(".", 2), "", "")[:3] if change.path.startswith("models.") else ("", "", "")
        key = change.model_copy(update={"path": field}) if role else change
        groups.setdefault(key, []).extend([role] if role else [])
    return tuple(
        change.model_copy(update={"path": f"{_roles(roles)}: {change.path or 'model'}"}) if roles else change
        for change, roles in groups.items()
    )


def _roles(roles: Sequence[str]) -> str:
    return "all roles" if set(ROLES) <= set(roles) else ", ".join(roles)


def _fields(title: str, changes: Sequence[FieldChange]) -> Table:
    made = _folding("field", title=title)
    for change in changes:
        more = f" (and {change.more} more)" if change.more else ""
        made.add_row(Text(one_line(change.path + more)), *_values(change))
    return made


def _folding(*columns: str, title: str) -> Table:
    """Return a table of two values, in which nothing that does not fit is lost."""
    made = table(*columns, "one", "other", title=title)
    for column in made.columns:
        column.overflow = "fold"
    return made


def _values(change: FieldChange) -> tuple[Text, Text]:
    one, other = apart(one_line(change.one), one_line(change.other), WIDTH)
    return Text(one), Text(other)


def _short(text: str) -> Text:
    return Text(one_line(text, WIDTH))


def _plan(found: Comparison) -> Table:
    made = _folding("node", "field", title="plan")
    for change in found.plan:
        made.add_row("", Text(one_line(change.path)), *_values(change))
    for node in found.nodes:
        if node.change != "changed":
            made.add_row(node.node, node.change, "", "")
        for field in node.fields:
            made.add_row(node.node, Text(one_line(field.path)), *_values(field))
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
    if parting.event_one is None:
        return f"one ends where other goes on: event {parting.event_other}, {parting.kind_other}"
    if parting.event_other is None:
        return f"other ends where one goes on: event {parting.event_one}, {parting.kind_one}"
    one, other = (f"event {number}" for number in (parting.event_one, parting.event_other))
    where = one if one == other else f"{one} | {other}"
    if not parting.path:
        return f"the ledgers part at {where}: {parting.kind_one} | {parting.kind_other}"
    more = f" (and {parting.more} more)" if parting.more else ""
    values = " | ".join(apart(one_line(parting.one), one_line(parting.other), WIDTH))
    return f"the ledgers part at {where}, {parting.kind_one}, field {one_line(parting.path)}{more}:\n  {values}"
