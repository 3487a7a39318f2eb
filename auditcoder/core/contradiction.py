"""Whether executed evidence says the opposite of a finding (paper 3.3, core.md section 4, last clause)."""

from __future__ import annotations

from auditcoder.core.case import Case
from auditcoder.core.naming import id_key
from auditcoder.core.versions import is_current
from auditcoder.core.witness import call_witness
from auditcoder.records.finding import Finding


def contradicted(case: Case) -> str:
    """Return the reason why current executed accepts of the same obligation cover the witness, or an empty text.

    Covering [R]: an executed rejection is covered by an accept with the same witness on the same check. A judged one
    is covered on the anchor's run: by an accept of the run as a whole (no witness of its own), or when every recorded
    call that satisfies its condition has an accept with that call as witness.
    """
    accepts = [other for other in case.inputs.findings if _opposes(other, case)]
    if case.finding.evidence == "exec":
        covering = [other for other in accepts if _same_run(other, case.finding)]
        return _reason(covering)
    on_anchor = [other for other in accepts if other.check == case.anchor.check.id]
    whole = [other for other in on_anchor if other.witness is None]
    return _reason(whole) or _reason(_covering_every_call(case, on_anchor))


def _opposes(other: Finding, case: Case) -> bool:
    active = case.inputs.active
    return (
        other.verdict == "accept"
        and other.evidence == "exec"
        and other.obligation == case.finding.obligation
        and set(other.owners) == set(case.finding.owners)
        and is_current(other, active.graph, active.codes)
    )


def _same_run(accept: Finding, reject: Finding) -> bool:
    return accept.check == reject.check and accept.witness is not None and accept.witness == reject.witness


def _covering_every_call(case: Case, accepts: list[Finding]) -> list[Finding]:
    covering: list[Finding] = []
    for call in case.applied.calls:
        found = [other for other in accepts if other.witness == call_witness(call)]
        if not found:
            return []
        covering.extend(found)
    return covering


def _reason(covering: list[Finding]) -> str:
    if not covering:
        return ""
    named = ", ".join(sorted({other.id for other in covering}, key=id_key))
    return f"executed evidence accepts this obligation on the same witness: {named}"
