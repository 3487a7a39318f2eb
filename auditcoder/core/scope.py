"""What a repair may change (paper 3.4, core.md section 5)."""

from __future__ import annotations

from auditcoder.core.abstention import Abstention
from auditcoder.records.code import Assembly
from auditcoder.records.graph import TaskGraph
from auditcoder.records.localization import Localization, Scope


def select_scope(localization: Localization, graph: TaskGraph, assembly: Assembly) -> Scope:
    """Return the nodes and units that a repair may change, or an abstention with its reason.

    An implementation defect of one code owner is repaired by regenerating that owner under its unchanged contract.
    Every other class needs a branch or a renegotiated slot contract, for which no scope rule is registered.
    """
    if localization.abstained or not localization.implicated:
        return _abstain(localization, Abstention.NOT_LOCALIZED)
    if localization.defect != "Impl" or len(localization.implicated) != 1:
        return _abstain(localization, Abstention.NO_SCOPE_RULE)
    node = graph.node(localization.implicated[0])
    units = tuple(unit.name for unit in assembly.units if unit.owner == node.id)
    if not node.owns_code or not units:
        return _abstain(localization, Abstention.OWNS_NO_CODE)
    return Scope(defect="Impl", action="regenerate", nodes=(node.id,), units=units)


def _abstain(localization: Localization, reason: Abstention) -> Scope:
    return Scope(defect=localization.defect, abstained=reason.value)
