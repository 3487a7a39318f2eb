"""A proposal for rule Trace, measured as an arm of its own: an exception may be the consequence of another's result.

The innermost frame is where an exception showed, not always where it came from: a provider that gave None, a text for
a number, or an object half made makes its consumer raise. Proposed: where executed rejections were observed in the
failing run itself, none of them of the traced owner, all of owners that it takes something from, and coherent, these
are implicated instead. Nothing changes where the traced owner's own contract was broken as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from auditcoder.core.coherence import coherent_class, implicated_by
from auditcoder.core.naming import id_key
from auditcoder.eval.containment.reach import providers_of
from auditcoder.records.finding import Finding
from auditcoder.records.graph import TaskGraph
from auditcoder.records.localization import Localization, Support


def moved_upstream(found: Localization, findings: Sequence[Finding], graph: TaskGraph) -> Localization:
    """Return a localization by rule Trace moved to the providers that explain it, or the same where none do."""
    if found.rule != "Trace" or len(found.implicated) != 1:
        return found
    traced = found.implicated[0]
    passed_over = {away.finding for away in found.turned_away if away.clause == "preference"}
    explaining = [
        finding
        for finding in findings
        if finding.id in passed_over and finding.evidence == "exec" and finding.check == found.anchor
    ]
    owners = implicated_by(explaining)
    if not owners or traced in owners or not owners <= providers_of(traced, graph):
        return found
    defect = coherent_class(explaining, graph)
    if defect is None:
        return found
    return found.model_copy(
        update={
            "implicated": tuple(sorted(owners, key=id_key)),
            "defect": defect,
            "supporting": tuple(Support(finding=finding.id, applicability="observed") for finding in explaining),
            "turned_away": tuple(away for away in found.turned_away if away.finding not in {f.id for f in explaining}),
        }
    )
