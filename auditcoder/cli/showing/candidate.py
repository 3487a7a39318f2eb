"""One candidate: a program that was assembled, whether it became the run's program or was turned away."""

from __future__ import annotations

from dataclasses import replace

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from auditcoder.cli.exits import usage_error
from auditcoder.cli.showing.facts import Facts, table_of
from auditcoder.cli.showing.part import Part, hanging, table
from auditcoder.cli.showing.run import candidate_rank, checks, nodes, passes, rank_text
from auditcoder.cli.text import clean
from auditcoder.records.code import Assembly
from auditcoder.records.run import ResponsibilityRecord, RunRecord


def at_candidate(record: RunRecord, facts: Facts, number: int) -> tuple[RunRecord, Facts]:
    """Return record and facts with plan, sources, program and verdicts of one candidate in place of the program's.

    A node counts the findings that are current in this candidate.

    Raises:
        ConfigError: there is no such candidate.
    """
    one = facts.candidates.get(number)
    if one is None:
        known = ", ".join(map(str, facts.candidates)) or "none yet"
        at = f" ({facts.moment})" if facts.moment else ""
        raise usage_error(f"the run has no candidate {number}", f"Candidates: {known}{at}.")
    here = replace(facts, versions=table_of(one))
    units, past = one.assembly.units, {owned.node: owned for owned in record.responsibilities}
    owned = tuple(
        ResponsibilityRecord(
            node=node,
            code=one.codes.get(node),
            units=tuple(unit.name for unit in units if unit.owner == node),
            findings=tuple(one.id for one in record.findings if node in one.owners and here.current(one)),
            transactions=tuple(done.index for done in record.transactions if node in done.scope.nodes),
            versions=past[node].versions if node in past else (),
        )
        for node in ([node.id for node in one.graph.nodes] if one.graph else sorted(one.codes))
    )
    shown = {
        "graph": one.graph, "responsibilities": owned, "assembly": one.assembly, "candidate": number,
        "report": one.report, "rank": candidate_rank(one, record),
    }  # fmt: skip
    return record.model_copy(update=shown), here


def candidate_part(record: RunRecord, active: int | None, facts: Facts) -> Part:
    """Return a candidate whole: where it comes from, its plan and owners, its checks, its program with owners.

    Args:
        record: The record as `at_candidate` gives it.
        active: Number of the run's program; None while there is none.
        facts: The facts as `at_candidate` gives them.
    """
    number = record.candidate
    if number is None or record.assembly is None:
        raise usage_error("the run has no candidate yet")
    one = facts.candidates[number]
    other = "" if active is None else f", that is {active}"
    stands = "the program" if number == active else f"not the program{other}"
    rows = [
        ("candidate", f"{number}, made by {facts.origins[number]}; {stands}"),
        ("checks", f"{passes(one)}, rank {rank_text(record.rank)}"),
        ("digest", record.assembly.digest),
    ]
    text: list[RenderableType] = [hanging([(Text(name, style="dim"), told) for name, told in rows], 11)]
    text += ["", nodes(record, facts)] if record.graph is not None else []
    text += ["", checks(record, facts)] if record.checks else []
    text += ["", program(record.assembly)]
    data = {
        "candidate": number, "origin": facts.origins[number], "active": number == active, "attempt": one.attempt,
        "rank": record.rank.model_dump(mode="json") if record.rank else None,
        "graph": record.graph.model_dump(mode="json") if record.graph else None,
        "responsibilities": [owned.model_dump(mode="json") for owned in record.responsibilities],
        "assembly": record.assembly.model_dump(mode="json"),
        "report": record.report.model_dump(mode="json") if record.report else None,
    }  # fmt: skip
    return Part(tuple(text), data)


def program(assembly: Assembly) -> Table:
    """Return a program line by line, each with its owner."""
    shown = table(">line", "owner", "program", title="program")
    shown.columns[2].overflow = "fold"
    for number, line in enumerate(assembly.program.splitlines(), start=1):
        entry = assembly.owner_of_line(number)
        shown.add_row(str(number), entry.owner if entry else "", Text(clean(line.expandtabs(4))))
    return shown
