"""All evidence on one fault that execution gives, and no model: what localization then reads.

Two arms, by the setting `evidence` of a run. `contracts` is `anchor`: what the product's producers give (sole owner,
monitors on the anchor, local checks, the measurement), with examples of methods where a class has them. `all-checks`
adds the suspects of the recorded runs of all checks, and lets rule Trace give way under `executed-first`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from auditcoder.core.anchor import Anchor, find_anchor
from auditcoder.core.cause import providers_of
from auditcoder.core.evidence import finding_from_measurement, finding_id, findings_from_checks
from auditcoder.core.local_checks import (
    checked_nodes,
    excerpt,
    executable_checks,
    findings_from_local_checks,
    local_entry,
)
from auditcoder.core.monitors import monitor
from auditcoder.core.obligations import WHOLE_CONTRACT
from auditcoder.core.protocols import Executor, PredicateEvaluator
from auditcoder.core.runs import Run
from auditcoder.core.state import RunState, in_node_order
from auditcoder.core.suspects import Suspects, suspect_findings, suspects_of
from auditcoder.core.versions import Active, versions_of
from auditcoder.core.wanted import measured_metric, wanted_recordings
from auditcoder.eval.containment.classes import owners_of_fields
from auditcoder.eval.containment.injection import Fault
from auditcoder.eval.containment.runs import recorded_runs
from auditcoder.eval.containment.screening import LIMITS, MEASURING
from auditcoder.records.config import EvidenceScope
from auditcoder.records.execution import Measurement
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import ROOT, Contract
from auditcoder.records.task import checks_hash

Arm = Literal["contracts", "all-checks"]
ARMS: tuple[Arm, ...] = ("contracts", "all-checks")
EVIDENCE: dict[Arm, EvidenceScope] = {"contracts": "anchor", "all-checks": "all-checks"}
"""The setting of the product that an arm is."""


class Gathered(NamedTuple):
    """The evidence on one fault."""

    active: Active
    """The faulty program; predicates that a passing run contradicts are out of its contracts."""
    anchor: Anchor
    runs: tuple[Run, ...]
    measurement: Measurement | None
    contracts: tuple[Finding, ...]
    """Findings of the arm `contracts`."""
    suspected: tuple[Finding, ...]
    """What the arm `all-checks` adds."""
    suspects: Suspects

    def findings(self, arm: Arm) -> tuple[Finding, ...]:
        """Return the findings of an arm."""
        return self.contracts if arm == "contracts" else self.contracts + self.suspected


def gather(fault: Fault, executor: Executor, evaluator: PredicateEvaluator) -> Gathered:
    """Return the evidence on a fault.

    Raises:
        SandboxError: the isolation failed.
        ValueError: no check fails.
    """
    subject = fault.subject
    anchor = find_anchor(fault.report, fault.checks)
    if anchor is None or anchor.result is None:
        raise ValueError(f"{subject.id}: no check fails")
    program = fault.active.assembly.program
    costly = anchor.failure in ("TLE", "MLE")  # only resource findings can explain those: no other run says anything
    runs = () if costly else tuple(recorded_runs(fault.active, subject.entry, fault.checks, fault.report, executor))
    examples = () if costly else _example_runs(fault, executor)
    active = _contracts_that_hold(fault.active, (*runs, *examples), evaluator)
    measurement = None
    if costly:
        units = [unit.name for unit in active.assembly.units if unit.kind in ("function", "method")]
        measurement = executor.measure(program, subject.entry, anchor.check, MEASURING, units)
    known = _Known(fault, active, anchor, runs, examples, measurement)
    findings = _contract_findings(known, executor, evaluator)
    wanted = wanted_recordings(_state(known), fault.checks, "all-checks")
    traced = (*(run for run in runs if run.check in wanted), *examples)
    stateful = owners_of_fields(active.graph)
    suspected = (
        suspect_findings(traced, active, anchor.check.id, findings, start=len(findings), stateful=stateful)
        if wanted
        else ()
    )
    found = suspects_of(traced, active, stateful)
    return Gathered(active, anchor, (*runs, *examples), measurement, findings, suspected, found)


class _Known(NamedTuple):
    fault: Fault
    active: Active
    anchor: Anchor
    runs: tuple[Run, ...]
    examples: tuple[Run, ...]
    measurement: Measurement | None


def _contract_findings(known: _Known, executor: Executor, evaluator: PredicateEvaluator) -> tuple[Finding, ...]:
    active, fault = known.active, known.fault
    findings = list(findings_from_checks(_state(known), fault.checks, start=0))
    for run in known.runs:
        if run.check == known.anchor.check.id:
            findings += monitor(run.recording, active, evaluator, start=len(findings)).findings
    for node in checked_nodes(active):
        entry = local_entry(node, active.assembly)
        if entry is not None:
            part = excerpt(active.assembly, active.graph, node.id)
            report = executor.run(part.program, entry, executable_checks(node, active.assembly), LIMITS)
            findings += findings_from_local_checks(active, node.id, report, start=len(findings))
    if known.measurement is not None and known.anchor.result is not None:
        metric = measured_metric(known.anchor.result.outcome)
        made = finding_from_measurement(known.measurement, known.anchor.result, metric, active, start=len(findings))
        findings += [made] if made else []
    findings += _example_findings(known.examples, active, start=len(findings))
    return tuple(findings)


def _state(known: _Known) -> RunState:
    active, fault = known.active, known.fault
    return RunState(
        graph=active.graph,
        codes=in_node_order(active.codes),
        assembly=active.assembly,
        report=fault.report,
        checks_hash=checks_hash(fault.checks),
    )


def _example_runs(fault: Fault, executor: Executor) -> tuple[Run, ...]:
    subject, active = fault.subject, fault.active
    if not subject.examples:
        return ()
    report = executor.run(active.assembly.program, subject.entry, subject.examples, LIMITS)
    return tuple(recorded_runs(active, subject.entry, subject.examples, report, executor))


def _example_findings(examples: Sequence[Run], active: Active, *, start: int) -> list[Finding]:
    """Return a verdict on a method for every example that only it and its providers took part in.

    A failing example blames its method only when every other method that took part has a passing example of its own.
    """
    accepted = {run.check.partition(":")[0] for run in examples if run.failure is None}
    made: list[Finding] = []
    for run in examples:
        node = run.check.partition(":")[0]
        others = run.owners - {node}
        if not others <= providers_of(node, active.graph) or (run.failure and not others - {ROOT} <= accepted):
            continue
        made.append(
            Finding(
                id=finding_id(start + len(made)),
                owners=(node,),
                verdict="reject" if run.failure else "accept",
                obligation=Obligation(kind="semantic", predicate=WHOLE_CONTRACT, slot="result"),
                evidence="exec",
                versions=(versions_of(active.graph, active.codes, node),),
                check=run.check,
                witness=run.check,
                reason="the example of its docstring",
            )
        )
    return made


def _contracts_that_hold(active: Active, runs: Sequence[Run], evaluator: PredicateEvaluator) -> Active:
    """Return the program with contracts without the predicates that a passing run violates: the docstring is wrong."""
    wrong = {
        (finding.owners[-1], finding.obligation.predicate)
        for run in runs
        if run.failure is None
        for finding in monitor(run.recording, active, evaluator, start=0).findings
        if finding.verdict == "reject"
    }
    nodes = tuple(
        node.model_copy(
            update={"contract": _without(node.contract, {name for owner, name in wrong if owner == node.id})}
        )
        for node in active.graph.nodes
    )
    return active._replace(graph=active.graph.model_copy(update={"nodes": nodes}))


def _without(contract: Contract, names: set[str]) -> Contract:
    return contract.model_copy(
        update={
            "preconditions": tuple(one for one in contract.preconditions if one.id not in names),
            "postconditions": tuple(one for one in contract.postconditions if one.id not in names),
        }
    )
