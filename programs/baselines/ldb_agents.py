"""The two agents of LDB, and the conversation that they share within a limit of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import dspy

from auditcoder.errors import UnusableAnswerError
from auditcoder.programs.ask import ask_code, ask_fields
from auditcoder.programs.baselines.fixing import entry_with
from auditcoder.programs.module import TypedModule
from auditcoder.programs.node_generator import PROGRAM_TOKENS
from auditcoder.programs.render import safe, task_text
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Task
from auditcoder.signatures.baselines.ldb import DiscussBlocks, JudgeBlocks, RepairFromBlocks

JUDGE_TOKENS = 2400
CHARACTERS_A_TOKEN = 4
"""An estimate: the tokenizer is the backbone's own."""
NONE = "none"
PROGRAM_SHOWN = 6000
_SAID = 4000
_UNREAD = 1200


class Turn(NamedTuple):
    """One round of the conversation: a program, the check that it failed, and what was said about its blocks.

    The texts are as prompts show them. Without a usable trace there are no blocks, and nothing is said about them.
    """

    program: str
    failing: str
    blocks: str = ""
    verdicts: str = ""

    def text(self) -> str:
        """Return the turn as later prompts show it; its program once (section 7.2)."""
        ran = f"\nBlocks that ran:\n{self.blocks}" if self.blocks else ""
        said = f"\nWhat was said about them:\n{self.verdicts}" if self.verdicts else ""
        return f"Program:\n{self.program}\n{self.failing}{ran}{said}"


class Judgement(NamedTuple):
    """What a judge said: of blocks, or in a text of its own."""

    said: str
    read: bool
    """Whether it had the form that was asked for."""
    right: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    """Numbers of the blocks by verdict, where there are verdicts."""
    unknown: int = 0
    """Verdicts on blocks that were not shown; they are left out."""

    def detail(self) -> str:
        """Return the verdicts in short, for the record (methods, rule 18)."""
        if not self.read:
            return "the answer is not of the required form"
        by_verdict = {"right": self.right, "wrong": self.wrong}
        parts = [f"{name}: {', '.join(map(str, numbers))}" for name, numbers in by_verdict.items() if numbers]
        return "; ".join([*parts, *([f"{self.unknown} on blocks that were not shown"] if self.unknown else [])])


def fitting(history: Sequence[Turn], fixed: Mapping[str, str], instructions: str, tokens: int) -> str:
    """Return the newest rounds of the conversation that fit beside the other parts of a prompt.

    Instructions, statement and present program always stay: in the original the statement is dropped first (section
    7.1).

    Args:
        history: Oldest first, without the present round.
        fixed: The other inputs.
        instructions: The system turn.
        tokens: Limit of the whole prompt, estimated.
    """
    left = tokens * CHARACTERS_A_TOKEN - len(instructions) - sum(len(text) for text in fixed.values())
    kept: list[str] = []
    for turn in reversed(history):
        left -= len(text := turn.text())
        if left < 0:
            break
        kept.append(text)
    return "\n\n".join(reversed(kept)) or NONE


def _instructions(predictor: dspy.Predict) -> str:
    return str(getattr(predictor.signature, "instructions", ""))


class BlockJudge(TypedModule["Judgement"]):
    """Judges all executed blocks in one call."""

    def __init__(self, *, typed: bool, context_tokens: int) -> None:
        super().__init__()
        self._typed, self._tokens = typed, context_tokens
        self.judge = dspy.Predict(JudgeBlocks if typed else DiscussBlocks)

    def forward(self, task: Task, history: Sequence[Turn], turn: Turn, shown: Sequence[int]) -> Judgement:
        """Return what is said of the blocks; an answer of another form as the text that it is (section 7.3).

        Raises:
            BudgetSpentError: the run may make no further request.
        """
        fixed: dict[str, Any] = {
            "task": task_text(task),
            "program": turn.program,
            "failing": turn.failing,
            "blocks": turn.blocks,
        }
        earlier = fitting(history, fixed, _instructions(self.judge), self._tokens)
        try:
            answer = ask_fields(self.judge, JUDGE_TOKENS, node=ROOT, agent="block-judge", history=earlier, **fixed)
        except UnusableAnswerError as error:
            return Judgement(safe(str(error.fields.get("text", "")), _UNREAD), read=False)
        if not self._typed:
            return Judgement(safe(str(answer.discussion), _SAID), read=True)
        known = [verdict for verdict in answer.verdicts if verdict.block in shown]
        lines = [
            f"Block {verdict.block}: {'right' if verdict.correct else 'wrong'}. {safe(verdict.explanation, 240)}"
            for verdict in known
        ]
        return Judgement(
            "\n".join(lines),
            read=True,
            right=tuple(verdict.block for verdict in known if verdict.correct),
            wrong=tuple(verdict.block for verdict in known if not verdict.correct),
            unknown=len(answer.verdicts) - len(known),
        )


class Regenerator(TypedModule["str"]):
    """Repairs the program in the light of the verdicts."""

    def __init__(self, *, context_tokens: int) -> None:
        super().__init__()
        self._tokens = context_tokens
        self.repair = dspy.Predict(RepairFromBlocks)

    def forward(self, task: Task, history: Sequence[Turn], turn: Turn, refused: str = "") -> str:
        """Return the model's program, not yet accepted.

        Raises:
            UnusableAnswerError: the answer holds no code, or was cut.
            BudgetSpentError: the run may make no further request.
        """
        fixed: dict[str, Any] = {
            "task": task_text(task),
            "entry": entry_with(task, refused),
            "program": turn.program,
            "failing": turn.failing,
            "blocks": turn.blocks or NONE,
            "verdicts": turn.verdicts or NONE,
        }
        earlier = fitting(history, fixed, _instructions(self.repair), self._tokens)
        return ask_code(
            self.repair,
            PROGRAM_TOKENS,
            node=ROOT,
            agent="regenerator",
            wanted=task.entry.name,
            history=earlier,
            **fixed,
        )
