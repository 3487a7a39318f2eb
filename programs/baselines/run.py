"""One run of a rival method: the steps that all methods share, each of them an event in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from auditcoder.core.answers import Written, accept_answer
from auditcoder.core.ending import budget_of, finish_reason
from auditcoder.core.linking import last_resort
from auditcoder.core.method_rules import UpdateRule, reacts_to_latest, replaces, update_rule
from auditcoder.core.plan import single_owner_graph
from auditcoder.core.rank import passed_checks
from auditcoder.core.rounds import RoundKind, Rounds
from auditcoder.core.suites import Tried, examples_in_q
from auditcoder.errors import AssemblyError
from auditcoder.programs.ask import Sampling, admit
from auditcoder.programs.evaluation import evaluate
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.writing import write_node
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.events import (
    AttemptStarted,
    CandidateRanked,
    ChecksFrozen,
    CodeRejected,
    CodeWritten,
    MethodNoted,
    PlanAccepted,
    RoundStarted,
    RunFinished,
)
from auditcoder.records.execution import CheckResult, ExecutionReport
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Check, EntryPoint, checks_hash
from auditcoder.records.trace import Trace, TracePlan

Ask = Callable[[str], str]
"""Gives code, told why the last answer was refused (empty at first)."""


class MethodRun:
    """A method's view of its session. The whole program has one owner, the root.

    Invariants: `active` is the program that the method would return now; the checks are frozen before code is written.
    """

    def __init__(self, session: Session) -> None:
        self.session, self.task, self.config = session, session.task, session.config
        self.graph = single_owner_graph(session.task)
        self.rounds = Rounds(budget_of(session.config))
        self.active: Candidate | None = None
        self.latest: Candidate | None = None
        self._rule: UpdateRule = update_rule(session.config)
        self._frozen = self._begun = False
        self._samples = 0

    @property
    def checks(self) -> tuple[Check, ...]:
        """Return the frozen checks."""
        return self.session.checks

    @property
    def solved(self) -> bool:
        """Return whether the program passes every check, or there is none to fail."""
        return self.active is not None and self.active.rank.full_pass

    @property
    def source(self) -> str:
        """Return the text of the program that would be returned now; empty before there is one."""
        return self.active.state.assembly.program if self.active else ""

    @property
    def strict(self) -> bool:
        """Return whether the K=1 readings of the methods apply: a single intervention."""
        return not self.config.adaptive and self.config.k == 1

    def freeze(self, own: Sequence[tuple[Check, str]] = (), *, examples: bool = True) -> None:
        """Freeze the checks Q: the task's examples, then the method's own checks, each with where it is from."""
        checks = (*(self.task.examples if examples else ()), *(check for check, _ in own))
        self.session.checks, self._frozen = checks, True
        derivations = tuple((check.id, source) for check, source in own)
        self.session.journal.emit(
            ChecksFrozen(checks=checks, hash=checks_hash(checks), admission="method", derivations=derivations)
        )

    def begin(self) -> None:
        """Begin the one attempt of the method: the root owns everything."""
        if not self._frozen:  # of a method with own checks only where the budget ended before they were written
            self.freeze(examples=examples_in_q(self.config))
        self._begun = True
        self.session.journal.emit(AttemptStarted(index=0, granularity="single", reason=f"method {self.config.method}"))
        self.session.accept_plan(PlanAccepted(attempt=0, granularity="single", graph=self.graph))

    def write(
        self, ask: Ask, how: Literal["generated", "regenerated"] = "generated", *, stand_in: bool = True
    ) -> Candidate | None:
        """Return the candidate of an answer, run and ranked; None when every answer was refused (recorded).

        Where there is no program yet, that of last resort stands in; unless it is one of several that are written, and
        `stand_in` is called behind the last one.

        Raises:
            SandboxError: the isolation failed.
            BudgetSpentError: the run may make no further request.
        """
        if not self._begun:
            self.begin()
        written = write_node(self.session, self.graph, self.graph.node(ROOT), ask)
        if written is not None:
            candidate = self._candidate(written, how)
            if candidate is not None:
                return candidate
        return self.stand_in() if stand_in else None

    def stand_in(self) -> Candidate | None:
        """Return the program of last resort, run and ranked, where there is no program yet; None where there is one.

        Raises:
            SandboxError: the isolation failed.
        """
        return None if self.active else self._last_resort()

    def merge(self, source: str) -> Candidate | None:
        """Return the candidate of a program that was put together from several answers; None when it is refused.

        Raises:
            SandboxError: the isolation failed.
        """
        outcome = accept_answer(self.task, self.graph, self.graph.node(ROOT), source)
        if isinstance(outcome, Written):
            return self._candidate(outcome, "merged")
        self.session.journal.emit(CodeRejected(node=ROOT, reason=outcome.reason[:500], digest=sha256_text(source)))
        return None

    def may_react(self, how: RoundKind = "feedback") -> bool:
        """Return whether the budget lets the method react to a failure once more; never without checks."""
        return bool(self.checks) and self.rounds.allows(how)

    def start_round(self, how: RoundKind) -> None:
        """Begin a round: a reaction to a failed program. What the round makes counts for it until the next one.

        Raises:
            BudgetSpentError: the run may make no further request, so no round begins.
        """
        admit()
        failed = self.latest if reacts_to_latest(self.config, how) else self.active
        number = failed.number if failed else 0
        self.session.journal.emit(RoundStarted(index=self.rounds.made, how=how, candidate=number))
        self.rounds.begin(how)

    def failing(self, candidate: Candidate | None = None) -> list[tuple[Check, CheckResult]]:
        """Return the failing checks of a candidate (the active one), in their order, with results."""
        of = candidate or self.active
        results = {result.check: result for result in of.state.report.results} if of else {}
        known = [(check, results[check.id]) for check in self.checks if check.id in results]
        return [(check, result) for check, result in known if result.outcome != "pass"]

    def trace(self, check: Check, plan: TracePlan | None = None, candidate: Candidate | None = None) -> Trace | None:
        """Return the trace of a candidate (the active one) on a check, usable or not; None without a candidate."""
        of = candidate or self.active
        return self.session.trace(of, check, plan or TracePlan()) if of else None

    def probe(self, what: str, program: str, entry: EntryPoint, checks: Sequence[Check]) -> ExecutionReport:
        """Return the verdicts of a program that is no candidate."""
        return self.session.probe(what, program, entry, checks)

    def note(
        self, what: str, item: str, *, score: float | None = None, kept: bool | None = None, detail: str = ""
    ) -> None:
        """Record a step that decides without a result: a self-given score, a pick, a drop (methods, rule 18)."""
        self.session.journal.emit(MethodNoted(what=what, item=item, score=score, kept=kept, detail=detail[:500]))

    def fresh(self, temperature: float = 0.8) -> Sampling:
        """Return the sampling of a fresh draw: a seed of its own in this run, and a temperature above 0 (rule 19)."""
        self._samples += 1
        return {"temperature": temperature, "rollout_id": self._samples}

    def finish(self, reason: str) -> Candidate:
        """End the run with the present program; without one, with that of last resort."""
        if not self._begun:
            self.begin()
        active = self.active or self._last_resort()
        rank, report = active.rank, active.state.report
        why = finish_reason(rank, self.checks, report, reason)
        self.session.journal.emit(
            RunFinished(candidate=active.number, program=active.state.assembly.digest, rank=rank, reason=why)
        )
        return active

    def _candidate(
        self, written: Written, how: Literal["generated", "regenerated", "merged", "fallback"]
    ) -> Candidate | None:
        event = CodeWritten(attempt=0, code=written.code, how=how, notes=written.notes)
        self.session.journal.emit(event)
        try:
            candidate = evaluate(self.session, 0, self.graph, {ROOT: written.code})
        except AssemblyError as error:
            self.session.journal.emit(CodeRejected(node=ROOT, reason=error.message[:500], digest=""))
            return None
        rank = candidate.rank
        before = Tried(self.active.rank, self.active.state.report, self.rounds.taken) if self.active else None
        better = replaces(self._rule, before, Tried(rank, candidate.state.report, self.rounds.made), self.checks)
        self.session.journal.emit(CandidateRanked(candidate=candidate.number, rank=rank, active=better))
        self.latest = candidate
        if better:
            self.active, self.rounds.taken = candidate, self.rounds.made
        self.rounds.ranked(passed_checks(rank))
        return candidate

    def _last_resort(self) -> Candidate:
        source = last_resort(self.task)
        code = NodeCode(node=ROOT, source=source, digest=sha256_text(source))
        candidate = self._candidate(Written(code), "fallback")
        assert candidate is not None  # a program of our own links
        return candidate
