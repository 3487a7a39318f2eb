"""Which evidence is collected on a failing check before it is localized (core.md section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from auditcoder.core.anchor import find_anchor
from auditcoder.core.costs import Metric
from auditcoder.core.evidence import sole_owner
from auditcoder.core.linking import is_linked
from auditcoder.core.runs import runs_of
from auditcoder.core.state import RunState
from auditcoder.core.suspects import suspect_findings
from auditcoder.records.config import EvidenceScope
from auditcoder.records.execution import Outcome, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.task import Check, Task

COSTLY: tuple[Outcome, ...] = ("timeout", "memory")
"""Outcomes that break a node's budget, not its postconditions (core.md section 4, admissible kinds)."""
NEVER_RAN: tuple[Outcome, ...] = ("policy-reject", "harness-error")
"""Outcomes without a run of the program: what was turned away is not executed for evidence either."""
MOST_RECORDED = 24
"""Checks whose calls are recorded for one localization, the anchor included: one more run of the program each."""


def wanted_evidence(outcome: Outcome) -> Literal["calls", "costs", "nothing"]:
    """Return what is recorded in a second run on the anchor: its calls, or where its time and memory went."""
    if outcome in NEVER_RAN:
        return "nothing"
    return "costs" if outcome in COSTLY else "calls"


def measured_metric(outcome: Outcome) -> Metric:
    """Return what a measurement of a costly outcome shares out."""
    return "cpu" if outcome == "timeout" else "memory"


def wanted_recordings(state: RunState, checks: Sequence[Check], evidence: EvidenceScope) -> tuple[str, ...]:
    """Return the checks whose calls are recorded to localize a failure: the anchor, then others in the order of Q.

    `all-checks` wants every check that ran within its limits. Where these are more than `MOST_RECORDED`, the first
    failing and the first passing ones share the places: both narrow the suspects. Left out are passing checks that
    compare nothing. Others say nothing, and only the anchor is wanted, where one node owns the whole program, or where
    the results depend on a state, since a second run may then be another one.
    """
    anchor = find_anchor(state.report, checks)
    if anchor is None or anchor.result is None or wanted_evidence(anchor.result.outcome) != "calls":
        return ()
    first = anchor.check.id
    if evidence == "anchor" or state.report.state_dependent or sole_owner(state.assembly):
        return (first,)
    outcomes: dict[str, Outcome] = {result.check: result.outcome for result in state.report.results}
    others = [check.id for check in checks if check.id != first and _tells(check, outcomes)]
    return (first, *_within_cap(others, outcomes))


def wanted_suspects(
    task: Task,
    state: RunState,
    checks: Sequence[Check],
    evidence: EvidenceScope,
    recordings: Mapping[str, Recording],
    findings: Sequence[Finding],
) -> tuple[Finding, ...]:
    """Return the findings on suspects that the recorded calls of all checks give; none under `anchor`.

    A branch root whose code is the pure linking of the plan is no suspect: no model wrote it, and none could mend it.

    Args:
        task: The task.
        state: The program that failed.
        checks: Q.
        evidence: The setting of the run.
        recordings: The recorded calls of this program, by check.
        findings: All findings so far.
    """
    wanted = wanted_recordings(state, checks, evidence) if evidence == "all-checks" else ()
    if not wanted or sole_owner(state.assembly) or any(check not in recordings for check in wanted):
        return ()
    outcomes: dict[str, Outcome] = {result.check: result.outcome for result in state.report.results}
    linked = {
        node.id for node in state.graph.owners if is_linked(task, state.graph, node, state.code_map[node.id].source)
    }
    runs = [
        run._replace(owners=run.owners - linked)
        for run in runs_of((recordings[check] for check in wanted), outcomes, state.assembly)
    ]
    return suspect_findings(runs, state.active, wanted[0], findings, start=len(findings))


def _within_cap(others: Sequence[str], outcomes: Mapping[str, Outcome]) -> list[str]:
    failing = [check for check in others if outcomes[check] != "pass"]
    passing = [check for check in others if outcomes[check] == "pass"]
    room = MOST_RECORDED - 1
    kept = set(failing[: max(room // 2, room - len(passing))])
    kept.update(passing[: room - len(kept)])
    return [check for check in others if check in kept]


def _tells(check: Check, outcomes: Mapping[str, Outcome]) -> bool:
    outcome = outcomes.get(check.id, "harness-error")
    compared = outcome != "pass" or not check.expected.input_only
    return compared and wanted_evidence(outcome) == "calls"
