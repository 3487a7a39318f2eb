"""Findings made from execution, and from a verifier's verdicts (paper 3.2, core.md section 3).

Finding ids are `F1`, `F2`, ... over the run: the caller says how many findings there are already (`start`), so the same
run gives the same ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from auditcoder.core.anchor import FAILURES
from auditcoder.core.costs import Metric, dominant_owner, spent
from auditcoder.core.obligations import WHOLE_CONTRACT
from auditcoder.core.state import RunState
from auditcoder.core.versions import Active, versions_of
from auditcoder.records.base import canonical_json
from auditcoder.records.code import Assembly
from auditcoder.records.execution import CheckResult, Measurement
from auditcoder.records.finding import Finding, Obligation, Verdict
from auditcoder.records.task import Check
from auditcoder.records.values import Value, encode

_SHOWN = 400
"""Characters of an observed value in a witness; the report holds the value itself."""


class Judgement(NamedTuple):
    """A verifier's verdict on one obligation of a node: an assertion without an execution."""

    owners: tuple[str, ...]
    verdict: Verdict
    obligation: Obligation
    condition: str = ""
    """When the breach shows: an expression over the owner's parameter names; empty when the verifier gave none."""
    reason: str = ""
    check: str = ""
    """The check that the verifier was shown, where there was one."""


def finding_id(start: int) -> str:
    """Return the id of the finding that follows `start` others."""
    return f"F{start + 1}"


def judged_finding(judgement: Judgement, active: Active, *, start: int) -> Finding:
    """Return the finding of a verifier's verdict, tied to the active versions of its owners.

    Raises:
        KeyError: an owner is not in the graph.
    """
    return Finding(
        id=finding_id(start),
        owners=judgement.owners,
        verdict=judgement.verdict,
        obligation=judgement.obligation,
        evidence="judg",
        versions=tuple(versions_of(active.graph, active.codes, owner) for owner in judgement.owners),
        check=judgement.check,
        condition=judgement.condition,
        reason=judgement.reason,
    )


def sole_owner(assembly: Assembly) -> str:
    """Return the one node that owns every unit of the program, or an empty text when there are several or none."""
    owners = {unit.owner for unit in assembly.units}
    return owners.pop() if len(owners) == 1 else ""


def findings_from_checks(state: RunState, checks: Sequence[Check], *, start: int) -> tuple[Finding, ...]:
    """Return executed findings on the sole owner of the program, one a check, in the order of Q.

    Sole owner rule [R]: when one node owns the whole program, a failing check is its breach and a passing one its
    keeping of the contract as a whole; with several owners an end-to-end result speaks about none of them alone.
    Time and memory limits break the resource obligation. A sandbox failure and a passing input-only check, which
    compares nothing, give no finding.
    """
    owner = sole_owner(state.assembly)
    if not owner:
        return ()
    results = {result.check: result for result in state.report.results}
    pairs = [(check, results[check.id]) for check in checks if check.id in results]
    telling = [result for check, result in pairs if _tells(check, result)]
    return tuple(finding_from_result(start + i, owner, result, state.active) for i, result in enumerate(telling))


def finding_from_measurement(
    measurement: Measurement, result: CheckResult, metric: Metric, active: Active, *, start: int
) -> Finding | None:
    """Return an executed resource finding on the owner that dominates a measured failing check, or None.

    `result` is the verdict on that check: the shares are those of what it used, as in the rule Resource.
    """
    if result.check != measurement.check:
        return None
    dominant = dominant_owner(measurement, active.assembly, metric, spent(result, metric))
    if dominant is None:
        return None
    return _executed(
        start,
        dominant.owner,
        active,
        verdict="reject",
        obligation=Obligation(kind="resource"),
        check=measurement.check,
        witness=encode({"metric": metric, "share": round(dominant.share, 4)}),
        reason=f"{dominant.owner} has {dominant.share:.0%} of the measured {metric}",
    )


def _tells(check: Check, result: CheckResult) -> bool:
    if result.outcome == "pass":
        return not check.expected.input_only
    return result.outcome in FAILURES


def finding_from_result(start: int, owner: str, result: CheckResult, active: Active, *, slot: str = "") -> Finding:
    """Return the executed finding on an owner that a verdict on its code is.

    A pass accepts and a wrong result or an error rejects the contract as a whole, on `slot` where one is named; a time
    or memory limit breaks the resource obligation.
    """
    failure = FAILURES.get(result.outcome)
    costly = failure in ("TLE", "MLE")
    semantic = Obligation(kind="semantic", predicate=WHOLE_CONTRACT, slot=slot)
    return _executed(
        start,
        owner,
        active,
        verdict="reject" if failure else "accept",
        obligation=Obligation(kind="resource") if costly else semantic,
        check=result.check,
        witness=_witness(result),
        reason=" ".join(part for part in (result.outcome, result.detail, result.message) if part),
    )


def _executed(start: int, owner: str, active: Active, **fields: Any) -> Finding:
    versions = (versions_of(active.graph, active.codes, owner),)
    return Finding(id=finding_id(start), owners=(owner,), evidence="exec", versions=versions, **fields)


def _witness(result: CheckResult) -> Value:
    """Return outcome and observed value; the value as cut canonical text, which no value can make fail."""
    shown = {"observed": canonical_json(result.observed).decode("ascii")[:_SHOWN]} if result.has_observed else {}
    return encode({"outcome": result.outcome, "detail": result.detail, **shown})
