"""Whether executed evidence says the opposite of a finding (paper 3.3, core.md section 4, last clause)."""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.core.case import Case
from auditcoder.core.naming import id_key
from auditcoder.core.witness import call_witness
from auditcoder.records.finding import Finding


def contradicted(case: Case) -> str:
    """Return the reason why current executed accepts of the same obligation cover the witness, or an empty text.

    Covering [R]: an executed rejection is covered by an accept with the same witness on the same check. A judged one
    is covered on the anchor's run: by an accept of the run as a whole (no witness of its own), or when every recorded
    call that satisfies its condition has an accept with that call as witness.
    """
    finding, index = case.finding, case.index
    if finding.evidence == "exec":
        same_run = index.accepts(finding, finding.check, finding.witness) if finding.witness is not None else ()
        return _reason(same_run)
    whole = index.accepts(finding, index.anchor.check.id, None)
    return _reason(whole) or _reason(_covering_every_call(case))


def _covering_every_call(case: Case) -> list[Finding]:
    covering: list[Finding] = []
    for call in case.applied.calls:
        found = case.index.accepts(case.finding, case.index.anchor.check.id, call_witness(call))
        if not found:
            return []
        covering.extend(found)
    return covering


def _reason(covering: Sequence[Finding]) -> str:
    if not covering:
        return ""
    named = ", ".join(sorted({other.id for other in covering}, key=id_key))
    return f"executed evidence accepts this obligation on the same witness: {named}"
