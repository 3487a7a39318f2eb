"""CodeCoR: several briefs, checks and programs, pruned, and repaired by judged advice (Pan, Zhang, Liu 2025)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import dspy
from pydantic import Field

from auditcoder.core.method_ends import LIMIT, REPEATED
from auditcoder.programs.ask import ask_code, ask_fields
from auditcoder.programs.baselines.base import Bounds, RivalMethod
from auditcoder.programs.baselines.fixing import entry_with
from auditcoder.programs.baselines.own_checks import Proposed, ask_checks, own_checks
from auditcoder.programs.baselines.plan_coder import PROGRAM_SHOWN, asked_twice, plan_shown
from auditcoder.programs.baselines.pruning import (
    Item,
    Prune,
    Pruning,
    best_of,
    judged,
    note_scores,
    numbered,
    surviving,
)
from auditcoder.programs.baselines.reports import failing_report
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.node_generator import PROGRAM_TOKENS
from auditcoder.programs.render import safe, task_text
from auditcoder.programs.session import Candidate
from auditcoder.records.base import Record
from auditcoder.records.config import RunConfig
from auditcoder.records.graph import ROOT
from auditcoder.signatures.baselines.codecor import (
    ApplyAdvice,
    CodeBrief,
    WriteChecks,
    advice_signature,
    briefs_signature,
    judge_signature,
)

_BRIEF_TOKENS, _ADVICE_TOKENS, CHECK_TOKENS = 250, 150, 800
_PLACE = re.compile(r"0x[0-9a-f]+|line \d+", re.I)


class CodeCoROptions(Record):
    """Switches of CodeCoR."""

    n_p: int = Field(default=3, ge=1, le=5)
    """Briefs; each survivor has one program and one call for checks."""
    n_a: int = Field(default=2, ge=1, le=5)
    """Pieces of advice for a failing program."""
    theta: int = Field(default=3, ge=0, le=4)
    """Score from which on an item survives its pruning."""
    r: int = Field(default=3, ge=0, le=30)
    """Repair rounds at most; not read in an adaptive run."""
    k1: Literal["strict", "set"] = "strict"
    """Under a single intervention (K=1): strict repairs the best program alone, set every failing one."""
    prune: Prune = "judge"
    """none: keep everything, no judge is asked. random: keep as many as the judge would, drawn by the seed."""
    include_examples: bool = True
    """Put the task's examples before the own checks."""


class Snippet(NamedTuple):
    """A program in work: the brief that it follows, and its newest candidate."""

    brief: str
    candidate: Candidate


class CodeCoR(RivalMethod):
    """Every agent gives several outputs, weak ones are pruned; the program that passes most checks is returned."""

    agents: ClassVar = {
        "prompter": "planner",
        "judge_briefs": "reviewer",
        "tester": "planner",
        "coder": "generator",
        "adviser": "verifier",
        "judge_advice": "reviewer",
        "reviser": "regenerator",
    }
    Options: ClassVar = CodeCoROptions
    options: CodeCoROptions

    def __init__(self, options: CodeCoROptions) -> None:
        super().__init__(options)
        self.prompter = dspy.Predict(briefs_signature(options.n_p))
        self.judge_briefs = dspy.Predict(judge_signature(options.n_p))
        self.tester, self.coder = dspy.Predict(WriteChecks), dspy.Predict(CodeBrief)
        self.adviser = dspy.Predict(advice_signature(options.n_a))
        self.judge_advice = dspy.Predict(judge_signature(options.n_a))
        self.reviser = dspy.Predict(ApplyAdvice)

    def bounds(self, config: RunConfig) -> Bounds:
        """Return one surviving brief with checks and program; at most every brief, and repairs of every program."""
        own = self.options
        judge = int(own.prune != "none")
        single = config.k == 1 and own.k1 == "strict"
        repaired = min(config.k, own.r) * (1 if single else own.n_p)
        kept = 1 if judge else own.n_p
        return Bounds(1 + judge + 2 * kept, 1 + judge + 2 * own.n_p + (2 + judge) * repaired)

    def solve(self, run: MethodRun) -> str:
        """Brief, test, code and check; then repair in rounds what fails."""
        briefs = self._briefs(run)
        proposed = [each for brief in briefs for each in self._checks(run, brief)]
        examples = run.task.examples if self.options.include_examples else ()
        run.freeze(own_checks(run, proposed, "T", taken=examples), examples=self.options.include_examples)
        work = self._snippets(run, briefs)
        if run.active is not None:
            run.note("initial-best", f"candidate {run.active.number}")
        made = 0
        while not run.solved and run.may_react():
            if made == self.options.r and not run.config.adaptive:
                return LIMIT
            if not work:
                return REPEATED
            if run.strict and self.options.k1 == "strict":
                work = [snippet for snippet in work if snippet.candidate is run.active]
            run.start_round("feedback")
            work = self._repaired(run, work)
            made += 1
        return ""

    def _briefs(self, run: MethodRun) -> list[Item]:
        """Return the surviving briefs; one that says nothing when no answer can be used (noted)."""
        count = self.options.n_p
        answer = asked_twice(
            run,
            "briefs",
            "the task",
            lambda sampling: ask_fields(
                self.prompter,
                _BRIEF_TOKENS * count,
                agent="prompter",
                sampling=sampling,
                task=task_text(run.task),
                count=str(count),
            ),
            run.fresh(),
        )
        if answer is None:
            return [Item(1, "")]
        pruning = self._pruning(self.judge_briefs)
        items = judged(run, pruning, "brief", numbered(answer.briefs))
        kept = surviving(run, pruning, items)
        note_scores(run, "brief-score", "brief ", items, kept)
        return kept

    def _pruning(self, judge: dspy.Predict) -> Pruning:
        return Pruning(judge, self.options.prune, self.options.theta)

    def _checks(self, run: MethodRun, brief: Item) -> list[Proposed]:
        name = f"brief {brief.number}"
        proposed = ask_checks(run, self.tester, CHECK_TOKENS, agent="tester", item=name, brief=plan_shown(brief.text))
        return [each._replace(group=name) for each in proposed]

    def _snippets(self, run: MethodRun, briefs: Sequence[Item]) -> list[Snippet]:
        """Return the program of every brief that was accepted; the program of last resort when none was."""
        snippets: list[Snippet] = []
        for brief in briefs:
            made = run.write(partial(self._code, run, brief.text), stand_in=False)
            if made is None:
                run.note("brief-without-program", f"brief {brief.number}", kept=False)
            else:
                snippets.append(Snippet(brief.text, made))
        stand_in = run.stand_in()
        return [Snippet(briefs[0].text, stand_in)] if stand_in else snippets

    def _repaired(self, run: MethodRun, work: Sequence[Snippet]) -> list[Snippet]:
        """Return what stays in work behind one round: what still fails, in another way than before.

        A full pass ends the round at once.
        """
        left: list[Snippet] = []
        for snippet in work:
            before = error_signature(run, snippet.candidate)
            made = self._repair(run, snippet)
            if run.solved:
                return []
            if made is None or error_signature(run, made) == before:
                run.note("repeated-error", f"candidate {(made or snippet.candidate).number}", kept=False)
            else:
                left.append(snippet._replace(candidate=made))
        return left

    def _repair(self, run: MethodRun, snippet: Snippet) -> Candidate | None:
        """Return the candidate that the best advice makes of a program; None when there is none."""
        count, name = self.options.n_a, f"candidate {snippet.candidate.number}"
        program = safe(snippet.candidate.state.assembly.program, PROGRAM_SHOWN)
        answer = asked_twice(
            run,
            "advice",
            name,
            lambda sampling: ask_fields(
                self.adviser,
                _ADVICE_TOKENS * count,
                agent="adviser",
                sampling=sampling,
                task=task_text(run.task),
                program=program,
                failures=failing_report(run.task, run.failing(snippet.candidate)),
                count=str(count),
            ),
            run.fresh(),
        )
        if answer is None:
            return None
        pruning = self._pruning(self.judge_advice)
        items = judged(run, pruning, "advice", numbered(answer.advice))
        best = best_of(run, pruning, items)
        note_scores(run, "advice-score", f"{name}, advice ", items, [best])
        return run.write(partial(self._revision, run, snippet.brief, program, best.text), "regenerated", stand_in=False)

    def _code(self, run: MethodRun, brief: str, refused: str) -> str:
        return ask_code(
            self.coder,
            PROGRAM_TOKENS,
            node=ROOT,
            agent="coder",
            wanted=run.task.entry.name,
            task=task_text(run.task),
            entry=entry_with(run.task, refused),
            brief=plan_shown(brief),
        )

    def _revision(self, run: MethodRun, brief: str, program: str, advice: str, refused: str) -> str:
        return ask_code(
            self.reviser,
            PROGRAM_TOKENS,
            node=ROOT,
            agent="reviser",
            wanted=run.task.entry.name,
            task=task_text(run.task),
            entry=entry_with(run.task, refused),
            brief=plan_shown(brief),
            program=program,
            advice=plan_shown(advice),
        )


def error_signature(run: MethodRun, candidate: Candidate) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return what tells the failure of a program from another one: kinds of outcome, failing checks, last error line.

    Addresses and line numbers in the line do not count.
    """
    failing = run.failing(candidate)
    lines = failing[-1][1].message.strip().splitlines() if failing else []
    last = _PLACE.sub("", lines[-1]) if lines else ""
    kinds = tuple(f"{result.outcome} {result.detail}" for _, result in failing)
    return kinds, tuple(check.id for check, _ in failing), " ".join(last.split())
