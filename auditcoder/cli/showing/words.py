"""The words for a diagnosis, the same in `show`, in the live view and among the events."""

from __future__ import annotations

from auditcoder.core.abstention import Abstention
from auditcoder.records.finding import Finding
from auditcoder.records.localization import Localization

GRADES = {
    "high": "a traceback line was resolved to its owner",
    "medium": "a measurement, or an executed finding that the recorded run shows to apply",
    "low": "a model's judgement, or an executed finding that no recorded call shows to apply",
}
"""What a grade rests on (paper 3.3)."""
_TEXTS = {one.value: one.text for one in Abstention}


def diagnosis(where: Localization) -> str:
    """Return rule, defect class and grade: `Trace, Impl, high`; empty parts are left out."""
    return ", ".join(part for part in (where.rule, where.defect, where.grade) if part)


def abstention(reason: str) -> str:
    """Return why nothing was repaired: the recorded word and its sentence; a reason in other words as it is."""
    return f"{reason}: {_TEXTS[reason]}" if reason in _TEXTS else reason


def evidence_word(finding: Finding) -> str:
    """Return how a finding came to be: `exec` in a record is `executed` for people, `judg` is `judged`."""
    return "executed" if finding.evidence == "exec" else "judged"
