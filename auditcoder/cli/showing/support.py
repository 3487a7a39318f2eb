"""On what a repair rests: its localization, the findings that support it, and those that were turned away."""

from __future__ import annotations

from auditcoder.cli.showing.words import GRADES, abstention, diagnosis, evidence_word
from auditcoder.cli.text import one_line
from auditcoder.records.finding import Finding
from auditcoder.records.localization import Localization
from auditcoder.records.transaction import Transaction

WIDTH = 70


def found(done: Transaction, limit: int = WIDTH) -> str:
    """Return what the localization of a repair says, in a few words."""
    return located(done.localization, limit)


def located(where: Localization, limit: int = WIDTH) -> str:
    """Return failure, check and diagnosis, or why there is none."""
    if where.abstained:
        return one_line(f"abstained: {abstention(where.abstained)}", limit)
    return f"{where.failure} at {where.anchor}: {diagnosis(where)}"


def rests_on(done: Transaction, findings: tuple[Finding, ...], *, brief: bool = False) -> str:
    """Return the findings that a repair rests on, and how many were turned away; `brief` leaves applicability out."""
    where, words = done.localization, {finding.id: evidence_word(finding) for finding in findings}
    named = [
        f"{one.finding} {words.get(one.finding, 'not recorded')}" + ("" if brief else f" ({one.applicability})")
        for one in where.supporting
    ]
    if not named and not where.abstained:
        named = [{"Trace": "the traceback", "Resource": "the measurement"}.get(where.rule or "", "nothing")]
    away = f"; {len(where.turned_away)} turned away" if where.turned_away else ""
    return ", ".join(named or ["nothing"]) + away


def support_lines(where: Localization, findings: tuple[Finding, ...]) -> list[str]:
    """Return the evidence of a repair, one line each: grade, findings used, findings turned away with the clause."""
    known = {finding.id: finding for finding in findings}
    lines = [f"grade {where.grade}: {GRADES[where.grade]}"] if where.grade else []
    for one in where.supporting:
        finding = known.get(one.finding)
        told = f"{evidence_word(finding)}, {finding.reason}" if finding else "not in the record"
        lines.append(f"supported by {one.finding}, applicability {one.applicability}: {one_line(told)}")
    lines += [f"turned away {one.finding} ({one.clause}): {one_line(one.reason)}" for one in where.turned_away]
    return lines
