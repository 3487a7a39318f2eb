"""The rules that need no finding: Trace and Resource (paper 3.3, core.md section 4, steps 2 and 3)."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.anchor import Anchor
from auditcoder.core.case import LocateInputs
from auditcoder.core.costs import LEAD, THRESHOLD, Metric, dominant_owner, spent
from auditcoder.core.import_owners import import_contributors
from auditcoder.core.units import IMPORTS
from auditcoder.core.versions import Active
from auditcoder.records.localization import Rule


class RuleResult(NamedTuple):
    """The one owner that a rule implicates, or an empty text; and what it found, for the record."""

    rule: Rule
    owner: str
    note: str


def trace(anchor: Anchor, inputs: LocateInputs) -> RuleResult:
    """Return the owner of the innermost frame of generated code in a failing execution (RE only).

    A line of the merged import block belongs to the one node whose code contributes it; where several or none do, the
    rule yields nothing.
    """
    if anchor.failure != "RE" or anchor.result is None:
        return RuleResult("Trace", "", f"Trace: does not apply to {anchor.failure}")
    for frame in reversed(anchor.result.frames):
        line = inputs.active.assembly.owner_of_line(frame.line)
        if line is not None and line.unit == IMPORTS:
            return _import_line(frame.line, inputs.active)
        if line is not None:
            return RuleResult("Trace", line.owner, f"Trace: line {frame.line} belongs to {line.unit} of {line.owner}")
    return RuleResult("Trace", "", "Trace: no frame of generated code was resolved")


def _import_line(number: int, active: Active) -> RuleResult:
    text = active.assembly.program.split("\n")[number - 1 : number]
    nodes = import_contributors("\n".join(text), active.codes)
    if len(nodes) == 1:
        return RuleResult("Trace", nodes[0], f"Trace: the import of line {number} comes from the code of {nodes[0]}")
    by = ", ".join(nodes) or "no node alone"
    return RuleResult("Trace", "", f"Trace: line {number} is an import; it comes from the code of {by}")


def resource(anchor: Anchor, inputs: LocateInputs) -> RuleResult:
    """Return the owner that dominates the measured time or memory of the anchor (TLE and MLE only)."""
    if anchor.failure not in ("TLE", "MLE"):
        return RuleResult("Resource", "", f"Resource: does not apply to {anchor.failure}")
    measurement = inputs.measurement
    if measurement is None or measurement.check != anchor.check.id:
        return RuleResult("Resource", "", "Resource: the anchor was not measured")
    metric: Metric = "cpu" if anchor.failure == "TLE" else "memory"
    dominant = dominant_owner(measurement, inputs.active.assembly, metric, spent(anchor.result, metric))
    if dominant is None:
        return RuleResult(
            "Resource", "", f"Resource: no owner has {THRESHOLD:.0%} of the {metric} and {LEAD:g} times the next"
        )
    return RuleResult(
        "Resource", dominant.owner, f"Resource: {dominant.owner} has {dominant.share:.0%} of the {metric}"
    )
