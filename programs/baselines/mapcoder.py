"""MapCoder: recalled exemplars, ranked plans, code, debugging along the plan (Islam, Ali, Parvez, ACL 2024)."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

import dspy
from pydantic import Field

from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import ask_code, ask_fields, ask_reply
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.fixing import entry_with
from auditcoder.programs.baselines.plan_coder import (
    PROGRAM_SHOWN,
    REPLY_TOKENS,
    AdaptiveScope,
    Debug,
    asked_twice,
    native_order,
    plan_shown,
    report_text,
    try_plans,
)
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.node_generator import PROGRAM_TOKENS
from auditcoder.programs.render import safe, task_text
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig
from auditcoder.records.graph import ROOT
from auditcoder.signatures.baselines.mapcoder import (
    CodePlan,
    DebugByPlan,
    Exemplar,
    JudgePlan,
    PlanByExemplar,
    recall_signature,
)

PLAN_TOKENS, JUDGE_TOKENS = 400, 220
_RECALL_TOKENS, _EXEMPLAR_TOKENS = 200, 400


class MapCoderOptions(Record):
    """Switches of MapCoder."""

    k: int = Field(default=3, ge=1, le=8)
    """Exemplars recalled, hence plans."""
    t: int = Field(default=5, ge=0, le=30)
    """Debug rounds for a plan; in an adaptive run only when the next plan comes, if one counter serves the run."""
    plan_fallback: Literal["strict", "free"] = "strict"
    """free: behind the single intervention (K=1) the other plans are coded too; never mix it with strict rows."""
    adaptive_scope: AdaptiveScope = "global"
    """Whether the adaptive counter is the run's, or starts anew with every plan and ends the plan."""
    native_report: bool = False
    """Show failures in the method's own form."""


class RankedPlan(NamedTuple):
    """A plan, its number in the order of generation, and the judge's confidence; -1 without one."""

    number: int
    text: str
    confidence: int


class MapCoder(RivalMethod):
    """Recalls related problems, plans from each, tries the plans by confidence and debugs each along its plan.

    Every generation and every debug is followed by a run of the checks (section 7.1).
    """

    agents: ClassVar = {
        "retrieval": "planner",
        "planner": "planner",
        "judge": "reviewer",
        "coder": "generator",
        "debugger": "regenerator",
    }
    Options: ClassVar = MapCoderOptions
    options: MapCoderOptions

    def __init__(self, options: MapCoderOptions) -> None:
        super().__init__(options)
        self.retrieval = dspy.Predict(recall_signature(options.k))
        self.planner, self.judge = dspy.Predict(PlanByExemplar), dspy.Predict(JudgePlan)
        self.coder, self.debugger = dspy.Predict(CodePlan), dspy.Predict(DebugByPlan)

    def bounds(self, config: RunConfig) -> Bounds:
        """Return recall, plans, verdicts and one program; at most all other programs and debugs that K allows."""
        k, t, single = self.options.k, self.options.t, config.k == 1
        rounds = min(1, t) if single else min(config.k, k * t + k - 1)
        free = k - 1 if single and self.options.plan_fallback == "free" else 0
        return Bounds(2 * k + 2, 2 * k + 2 + rounds + free)

    def solve(self, run: MethodRun) -> str:
        """Recall, plan, judge, then code and debug plan by plan."""
        exemplars, algorithm = self._recall(run)
        plans = self._plans(run, exemplars, algorithm)
        order = native_order(run, self.options.t, len(plans), self.options.adaptive_scope)
        order = order._replace(free=self.options.plan_fallback == "free")
        return try_plans(run, lambda number: self._code(run, plans[number], algorithm), order)

    def _recall(self, run: MethodRun) -> tuple[list[Exemplar], str]:
        """Return the exemplars and the algorithm note; none when the model gives no usable answer (noted)."""
        k = self.options.k
        answer = asked_twice(
            run,
            "exemplars",
            "the task",
            lambda sampling: ask_fields(
                self.retrieval,
                _RECALL_TOKENS + _EXEMPLAR_TOKENS * k,
                agent="retrieval",
                sampling=sampling,
                task=task_text(run.task),
                count=str(k),
            ),
        )
        return (list(answer.exemplars), str(answer.algorithm_note)) if answer else ([], "")

    def _plans(self, run: MethodRun, exemplars: list[Exemplar], algorithm: str) -> list[RankedPlan]:
        """Return the judged plans, the most trusted first; equal confidence keeps the order of generation.

        Without an exemplar there is one plan from the statement alone; without any plan, one that says nothing.
        """
        plans: list[RankedPlan] = []
        for number, exemplar in enumerate(exemplars or [None], 1):
            text = self._plan(run, number, exemplar, algorithm)
            if text:
                plans.append(RankedPlan(number, text, self._confidence(run, number, text)))
        return sorted(plans, key=lambda plan: -plan.confidence) or [RankedPlan(1, "", -1)]

    def _plan(self, run: MethodRun, number: int, exemplar: Exemplar | None, algorithm: str) -> str:
        if exemplar is None:
            run.note("plan-without-exemplar", f"plan {number}", kept=True)
        answer = asked_twice(
            run,
            "plan",
            f"plan {number}",
            lambda sampling: ask_fields(
                self.planner,
                PLAN_TOKENS,
                agent="planner",
                sampling=sampling,
                task=task_text(run.task),
                related=safe(exemplar.description) if exemplar else "none",
                related_plan=plan_shown(exemplar.plan) if exemplar else "none",
                algorithm=plan_shown(algorithm),
            ),
        )
        return str(answer.plan).strip() if answer else ""

    def _confidence(self, run: MethodRun, number: int, plan: str) -> int:
        """Return the judge's confidence, noted; -1 without a usable one, so that the plan comes last."""
        item = f"plan {number}"
        try:
            answer = ask_fields(
                self.judge, JUDGE_TOKENS, agent="judge", task=task_text(run.task), plan=plan_shown(plan)
            )
        except UnusableAnswerError as error:
            run.note("plan-confidence", item, kept=True, detail=f"no confidence: {error.message}")
            return -1
        run.note("plan-confidence", item, score=float(answer.confidence), kept=True, detail=str(answer.explanation))
        return int(answer.confidence)

    def _code(self, run: MethodRun, plan: RankedPlan, algorithm: str) -> Debug | None:
        """Write the program of a plan; return its debugger, or None when every answer was refused."""
        made = run.write(
            lambda refused: ask_code(
                self.coder,
                PROGRAM_TOKENS,
                node=ROOT,
                agent="coder",
                wanted=run.task.entry.name,
                task=task_text(run.task),
                entry=entry_with(run.task, refused),
                algorithm=plan_shown(algorithm),
                plan=plan_shown(plan.text),
            )
        )
        if made is None:
            run.note("plan-without-program", f"plan {plan.number}", kept=False)
            return None
        last = [_attempt(plan.text, run.source)]
        return lambda: self._debug(run, algorithm, last)

    def _debug(self, run: MethodRun, algorithm: str, last: list[str]) -> None:
        """Make one corrected program; `last` holds the attempt that the debugger sees and takes its reply."""
        replies: list[str] = []

        def ask(refused: str) -> str:
            reply = ask_reply(
                self.debugger,
                REPLY_TOKENS,
                node=ROOT,
                agent="debugger",
                wanted=run.task.entry.name,
                task=task_text(run.task),
                entry=entry_with(run.task, refused),
                algorithm=plan_shown(algorithm),
                last_attempt=last[0],
                report=report_text(run, native=self.options.native_report, passing=True),
            )
            replies.append(_attempt(str(reply.revised_plan), str(reply.code)))
            return str(reply.code)

        if run.write(ask, "regenerated") is not None:
            last[0] = replies[-1]


def _attempt(plan: str, code: str) -> str:
    return f"Plan:\n{plan_shown(plan)}\n\nProgram:\n{safe(code, PROGRAM_SHOWN)}"
