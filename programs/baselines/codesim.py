"""CodeSim: plan, simulate the plan by hand, code, debug by simulating the failure (Islam, Ali, Parvez, NAACL 2025)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import dspy
from pydantic import Field

from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import Sampling, ask_code, ask_fields, ask_reply
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
from auditcoder.signatures.baselines.codesim import (
    CodeSimulatedPlan,
    DebugBySimulation,
    PlanWithExemplar,
    RevisePlan,
    SimulatePlan,
)

PLAN_TOKENS, SIMULATE_TOKENS, REVISE_TOKENS = 800, 400, 400
FRESH_TEMPERATURE = 0.7
"""Of every call from the second plan attempt on (section 7.3)."""


class CodeSimOptions(Record):
    """Switches of CodeSim."""

    p: int = Field(default=5, ge=1, le=30)
    """Plan attempts; not read in an adaptive run whose counter serves the whole run."""
    d: int = Field(default=5, ge=0, le=30)
    """Debug rounds for a plan; in an adaptive run only when the next plan comes, if one counter serves the run."""
    literal_decoding: bool = False
    """Decode every attempt alike, as published: at temperature 0 a new plan attempt then repeats the old one."""
    adaptive_scope: AdaptiveScope = "global"
    """Whether the adaptive counter is the run's, or starts anew with every plan and ends the plan."""
    native_report: bool = False
    """Show failures in the method's own form."""
    replan_on_diagnosis: bool = False
    """Variant: after a debug that blames the plan and still fails, the plan is revised before the next one."""


class Debugging(NamedTuple):
    """What is known of a plan attempt: the plan, and the critique of a debugger that blamed it."""

    plan: str
    critique: str = ""


class CodeSim(RivalMethod):
    """Checks a plan by simulation before there is code, and a failing program by simulating the failing check."""

    agents: ClassVar = {
        "planner": "planner",
        "simulator": "reviewer",
        "reviser": "replanner",
        "coder": "generator",
        "debugger": "regenerator",
    }
    Options: ClassVar = CodeSimOptions
    options: CodeSimOptions

    def __init__(self, options: CodeSimOptions) -> None:
        super().__init__(options)
        self.planner, self.simulator = dspy.Predict(PlanWithExemplar), dspy.Predict(SimulatePlan)
        self.reviser, self.coder = dspy.Predict(RevisePlan), dspy.Predict(CodeSimulatedPlan)
        self.debugger = dspy.Predict(DebugBySimulation)

    def bounds(self, config: RunConfig) -> Bounds:
        """Return plan, simulation and program; at most also revisions, debugs, and the plans that K allows."""
        left, most = config.k, 0
        for number in range(self.options.p):
            if number and (not left or config.k == 1):
                break
            left -= number > 0
            debugs = min(self.options.d, left)
            revised = max(0, debugs - 1) if self.options.replan_on_diagnosis else 0
            most, left = most + 4 + debugs + revised, left - debugs
        return Bounds(3, most)

    def solve(self, run: MethodRun) -> str:
        """Plan, simulate, code and debug; after a plan that failed, again from the statement alone."""
        order = native_order(run, self.options.d, self.options.p, self.options.adaptive_scope, endless=True)
        return try_plans(run, lambda number: self._attempt(run, number), order)

    def _sampling(self, run: MethodRun, number: int) -> Sampling | None:
        """Return how a call of plan attempt 0, 1, ... decodes; each of a later attempt is a fresh draw."""
        return run.fresh(FRESH_TEMPERATURE) if number and not self.options.literal_decoding else None

    def _attempt(self, run: MethodRun, number: int) -> Debug | None:
        """Write the program of a new plan; return its debugger, or None when every answer was refused."""
        plan = self._plan(run, number)
        made = run.write(
            lambda refused: ask_code(
                self.coder,
                PROGRAM_TOKENS,
                node=ROOT,
                agent="coder",
                wanted=run.task.entry.name,
                sampling=self._sampling(run, number),
                task=task_text(run.task),
                entry=entry_with(run.task, refused),
                plan=plan_shown(plan),
            )
        )
        if made is None:
            run.note("plan-without-program", f"plan {number + 1}", kept=False)
            return None
        state = [Debugging(plan)]
        return lambda: self._debug(run, number, state)

    def _plan(self, run: MethodRun, number: int) -> str:
        """Return the plan of an attempt, simulated and at most once revised; empty when none can be used (noted)."""
        answer = asked_twice(
            run,
            "plan",
            f"plan {number + 1}",
            lambda sampling: ask_fields(
                self.planner, PLAN_TOKENS, agent="planner", sampling=sampling, task=task_text(run.task)
            ),
            self._sampling(run, number),
        )
        plan = str(answer.plan).strip() if answer else ""
        critique = self._critique(run, number, plan) if plan else ""
        return self._revised(run, number, plan, critique) if critique else plan

    def _critique(self, run: MethodRun, number: int, plan: str) -> str:
        """Return the walkthrough of a plan that must be revised; empty for one that is kept, or without a verdict."""
        item = f"plan {number + 1}"
        try:
            answer = ask_fields(
                self.simulator,
                SIMULATE_TOKENS,
                agent="simulator",
                sampling=self._sampling(run, number),
                task=task_text(run.task),
                plan=plan_shown(plan),
            )
        except UnusableAnswerError as error:
            run.note("plan-verdict", item, kept=True, detail=f"no verdict: {error.message}")
            return ""
        revise = answer.verdict == "revise"
        run.note("plan-verdict", item, kept=not revise, detail=str(answer.walkthrough))
        return (str(answer.walkthrough).strip() or "none given") if revise else ""

    def _revised(self, run: MethodRun, number: int, plan: str, critique: str) -> str:
        """Return the corrected plan; the old one when no answer can be used (noted)."""
        answer = asked_twice(
            run,
            "revision",
            f"plan {number + 1}",
            lambda sampling: ask_fields(
                self.reviser,
                REVISE_TOKENS,
                agent="reviser",
                sampling=sampling,
                task=task_text(run.task),
                plan=plan_shown(plan),
                critique=plan_shown(critique),
            ),
            self._sampling(run, number),
        )
        return (str(answer.corrected_plan).strip() if answer else "") or plan

    def _debug(self, run: MethodRun, number: int, state: list[Debugging]) -> None:
        """Make one corrected program; `state` holds the plan and takes the critique of a debugger that blames it."""
        known = state[0]
        plan = self._revised(run, number, known.plan, known.critique) if known.critique else known.plan
        replies: list[dspy.Prediction] = []

        def ask(refused: str) -> str:
            reply = ask_reply(
                self.debugger,
                REPLY_TOKENS,
                node=ROOT,
                agent="debugger",
                wanted=run.task.entry.name,
                sampling=self._sampling(run, number),
                task=task_text(run.task),
                entry=entry_with(run.task, refused),
                plan=plan_shown(plan),
                program=safe(run.source, PROGRAM_SHOWN),
                report=report_text(run, native=self.options.native_report, passing=False),
            )
            replies.append(reply)
            return str(reply.code)

        made = run.write(ask, "regenerated")
        state[0] = Debugging(plan)
        if made is None:
            return
        reply = replies[-1]
        blamed = reply.diagnosis == "plan_wrong"
        told = str(reply.diagnosis) or "no diagnosis"
        run.note("diagnosis", f"candidate {made.number}", kept=not blamed if reply.diagnosis else None, detail=told)
        if blamed and self.options.replan_on_diagnosis:
            critique = f"{reply.simulation}\n{reply.notes}".strip() or "the plan is wrong"
            state[0] = Debugging(plan, critique)
