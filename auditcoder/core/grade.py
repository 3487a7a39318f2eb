"""How strong the evidence behind a localization is (paper B.3 and Table 7, core.md section 4, Grade)."""

from __future__ import annotations

from collections.abc import Iterable

from auditcoder.records.finding import Finding
from auditcoder.records.localization import Grade, Rule, Support


def grade_of(rule: Rule, supporting: Iterable[Support], findings: Iterable[Finding]) -> Grade:
    """Return the ordinal grade, recomputed from the stored evidence; it never changes what may be repaired.

    high: a frame of generated code was resolved to its owner. medium: an owner-scoped measurement, or an executed
    finding whose applicability was observed. low: a judgement, or an executed finding that is only asserted.
    """
    if rule == "Trace":
        return "high"
    if rule == "Resource":
        return "medium"
    executed = {finding.id for finding in findings if finding.evidence == "exec"}
    witnessed = any(item.applicability == "observed" and item.finding in executed for item in supporting)
    return "medium" if witnessed else "low"
