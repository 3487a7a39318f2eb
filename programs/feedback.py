"""What a repair shows to the model: chosen by the policy, recorded, and put into the evidence (core.md section 9)."""

from __future__ import annotations

from auditcoder.core.feedback import Annotated, annotation, choose, scope_plan, situation, wanted_traces
from auditcoder.programs.investigation import SHOWN_FAILURES, Evidence
from auditcoder.programs.module import TypedModule
from auditcoder.programs.render import input_text
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.config import Feedback as Policy
from auditcoder.records.events import FeedbackChosen
from auditcoder.records.localization import Scope


class Feedback(TypedModule["Evidence"]):
    """Traces what the policy wants traced, decides, and records the decision; the policy `error` records nothing."""

    def forward(
        self, session: Session, active: Candidate, index: int, evidence: Evidence, scope: Scope | None
    ) -> Evidence:
        """Return the evidence as the repair or round with this number shows it.

        Args:
            session: The run.
            active: The program that fails.
            index: Number of the repair or round.
            evidence: What is known about the failure.
            scope: What may change; None for the whole program.

        Raises:
            SandboxError: the isolation failed.
        """
        policy: Policy = session.config.feedback
        state = active.state
        if policy == "error":
            return evidence
        case = situation(state, session.checks, session.task.statement, scope)
        traced = self._traced(session, active, wanted_traces(policy, case), scope)
        choice = choose(policy, case, traced)
        session.journal.emit(FeedbackChosen(index=index, policy=policy, shown=choice.shown, reason=choice.reason))
        if choice.shown not in ("trace", "all-traces"):
            return evidence._replace(blind=choice.shown == "resample")
        parts = []
        for number, (check, _) in enumerate(case.failures, start=1):
            where = f"failing check {number}" if number <= SHOWN_FAILURES else input_text(session.task, check)
            if check.id in traced and traced[check.id].text:
                parts.append(f"The values that this code took in {where}, as comments:\n{traced[check.id].text}")
        return evidence._replace(values="\n\n".join(parts))

    def _traced(
        self, session: Session, active: Candidate, wanted: tuple[str, ...], scope: Scope | None
    ) -> dict[str, Annotated]:
        """Return the annotated code by traced check."""
        assembly = active.state.assembly
        plan = scope_plan(assembly, scope)
        named = {check.id: check for check in session.checks}
        traces = {name: session.trace(active, named[name], plan) for name in wanted}
        return {name: annotation(assembly, plan, trace, len(wanted)) for name, trace in traces.items()}
