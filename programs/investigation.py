"""From a failing candidate to a localization: executed evidence first, a model's judgement only when it is needed."""

from __future__ import annotations

from typing import NamedTuple

from auditcoder.core.abstention import Abstention
from auditcoder.core.case import LocateInputs
from auditcoder.core.evidence import finding_from_measurement, judged_finding
from auditcoder.core.graph import in_writing_order, subtree
from auditcoder.core.local_checks import unchecked_nodes
from auditcoder.core.locate import locate
from auditcoder.core.wanted import measured_metric, wanted_evidence
from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.executed import add_locally_checked, add_monitored, add_suspected
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import calls_text, failure_text
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.verifier import FailingRun, Verifier
from auditcoder.records.execution import CheckResult, Measurement, RecordedCall, Recording
from auditcoder.records.graph import ROOT, Node
from auditcoder.records.localization import Localization
from auditcoder.records.task import Check

UNDECIDED = (Abstention.NO_COMPATIBLE_FINDING, Abstention.COMPETING)
"""Abstentions that further findings could change; for any other reason no model is asked (core.md section 6)."""
NO_EVIDENCE = "none: a fresh attempt is wanted"
SHOWN_FAILURES = 2
"""Failing checks that a regeneration is shown: the anchor and one more."""


class Failure(NamedTuple):
    """A check that did not pass, with its result."""

    check: Check
    result: CheckResult


class Evidence(NamedTuple):
    """What is known about a failure, and where it was localized."""

    localization: Localization
    failures: tuple[Failure, ...]
    """In the order of Q; the first one is the anchor."""
    recording: Recording | None = None
    measurement: Measurement | None = None
    values: str = ""
    """Annotated code with the values that it took; empty where the feedback policy shows none."""
    blind: bool = False
    """Whether a fresh sample is wanted that is shown nothing of this."""

    def text(self, session: Session, active: Candidate, node: Node) -> str:
        """Return the evidence as a regeneration of `node` is shown it."""
        return self._text(session, active, frozenset({node.id}))

    def whole(self, session: Session, active: Candidate) -> str:
        """Return the evidence as a regeneration of the whole program is shown it: that on every implicated owner."""
        return self._text(session, active, frozenset(self.localization.implicated))

    def _text(self, session: Session, active: Candidate, owners: frozenset[str]) -> str:
        if self.blind:
            return NO_EVIDENCE
        shown = [failure_text(session.task, *failure) for failure in self.failures[:SHOWN_FAILURES]]
        parts = [f"Failing check {number}:\n{text}" for number, text in enumerate(shown, start=1)]
        calls = self._calls(active, owners)
        if calls:
            parts.append(f"Calls of this code in failing check 1:\n{calls_text(calls)}")
        used = {support.finding for support in self.localization.supporting}
        judged = [f for f in session.findings if f.id in used and f.evidence == "judg" and owners & set(f.owners)]
        parts.extend(f"A reviewer says: {finding.reason}" for finding in judged)
        parts.extend([self.values] if self.values else [])
        return "\n\n".join(parts)

    def _calls(self, active: Candidate, owners: frozenset[str]) -> list[RecordedCall]:
        """Return the calls of these owners on the anchor; those of the root are the failing check itself."""
        units = {unit.name for unit in active.state.assembly.units if unit.owner in owners - {ROOT}}
        return [call for call in self.recording.calls if call.unit in units] if self.recording else []


class Investigation(TypedModule["Evidence"]):
    """Collects executed evidence, localizes, and asks the verifier when that yields nothing.

    Executed: the monitors on the calls recorded on the anchor, or its measured costs; the nodes' own local checks; and
    where the calls of all checks are recorded, who took part in the failing ones.
    """

    def __init__(self, verifier: Verifier) -> None:
        super().__init__()
        self.verifier = verifier

    def forward(self, session: Session, active: Candidate) -> Evidence:
        """Return the evidence on the active candidate's failure, with its localization.

        Raises:
            BackboneError: a backbone cannot be used at all.
            SandboxError: the isolation failed.
        """
        results = zip(session.checks, active.state.report.results, strict=True)
        failures = tuple(Failure(check, result) for check, result in results if result.outcome != "pass")
        anchor = failures[0]
        wanted = wanted_evidence(anchor.result.outcome)
        recording = session.record_calls(active, anchor.check) if wanted == "calls" else None
        if recording is not None:
            add_monitored(session, active, recording)
            add_suspected(session, active, recording)
        measurement = self._measure(session, active, anchor) if wanted == "costs" else None
        if wanted != "nothing":
            unchecked = unchecked_nodes(active.state.active, session.findings)
            add_locally_checked(session, active, [node.id for node in unchecked])
        always = wanted != "nothing" and session.config.verify == "always"
        localization = None if always else _locate(session, active, recording, measurement)
        if localization is None or (localization.abstained in UNDECIDED and session.config.verify != "never"):
            self._verify(session, active, anchor, recording)
            localization = _locate(session, active, recording, measurement)
        return Evidence(localization, failures, recording, measurement)

    def _measure(self, session: Session, active: Candidate, anchor: Failure) -> Measurement:
        """Return the cost of the anchor by unit, and add a finding on the owner that dominates it, if one does."""
        measurement = session.measure(active, anchor.check)
        metric = measured_metric(anchor.result.outcome)
        start = len(session.findings)
        finding = finding_from_measurement(measurement, anchor.result, metric, active.state.active, start=start)
        session.add_findings([finding] if finding else [], source="measurement")
        return measurement

    def _verify(self, session: Session, active: Candidate, anchor: Failure, recording: Recording | None) -> None:
        """Add judged findings on every code owner, leaves first.

        An orchestrator answers for all that is below it, so a rejection of it names no cause while a step of it is
        rejected too: it is asked only when every step was accepted.
        """
        state = active.state
        failing = FailingRun(anchor.check, anchor.result, recording.calls if recording else ())
        rejected: set[str] = set()
        for node in in_writing_order(state.graph):
            if rejected.intersection(subtree(state.graph, node.id)):
                continue
            units = [unit.name for unit in state.assembly.units if unit.owner == node.id]
            source = state.code_map[node.id].source
            decisions = [decision for decision in state.graph.decisions if decision.node == node.id]
            try:
                judgement = self.verifier(session.task, node, source, units, failing, decisions)
            except UnusableAnswerError:
                continue  # no evidence is neither an accept nor a reject
            rejected |= {node.id} if judgement.verdict == "reject" else set()
            judged = judged_finding(judgement, state.active, start=len(session.findings))
            session.add_findings([judged], source="verifier")


def _locate(
    session: Session, active: Candidate, recording: Recording | None, measurement: Measurement | None
) -> Localization:
    state = active.state
    inputs = LocateInputs(
        active=state.active,
        report=state.report,
        checks=session.checks,
        findings=tuple(session.findings),
        recording=recording,
        measurement=measurement,
        policy=session.config.locate,
        evidence=session.config.evidence,
    )
    return locate(inputs, session.evaluator)
