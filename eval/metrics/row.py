"""One row a run: what it passed, what it cost, and how it ended (methods/README, rules 1 to 9 and 20)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from auditcoder.records.base import Record
from auditcoder.records.config import Role
from auditcoder.records.transaction import Decision

Basis = Literal["primary", "all"]
"""primary: hidden tests without those that equal a visible check. all: every hidden test (rule 16)."""
Measure = Literal["first", "selected", "oracle"]
OutcomeKind = Literal[
    "passed", "wrong-answer", "crash", "timeout", "limit", "unusable", "harness-fault", "not-run"
]  # fmt: skip
"""How a run ended, by its final program on all hidden tests; every kind stays in the denominator (rule 20).

limit: memory, output, or what the sandbox forbids. unusable: no answer could be used as code. harness-fault: ours.
"""


class Cell(NamedTuple):
    """What is compared as one: a method with a model on a suite under a protocol."""

    method: str
    model: str
    suite: str
    protocol: str


class TaskFacts(Record):
    """One task of the frozen list."""

    suite: str
    task: str
    difficulty: str = ""
    problem_type: str = ""


class Scores(Record):
    """Hidden success of the programs of one run, on one basis."""

    first: bool = False
    """Rule 1: the first complete program, made before any execution result; never a pruned or repaired one."""
    initial: bool = False
    """The program that the method would return if it never reacted to a failure."""
    selected: bool = False
    """Rule 2: the program that the method returns."""
    oracle: bool | None = False
    """Rule 4: some program of the run. None when not every one was judged and none passed."""

    @property
    def selection_gain(self) -> int:
        """Return the best initial program less the first one (rule 5)."""
        return self.initial - self.first

    @property
    def repair_gain(self) -> int:
        """Return the final program less the best initial one (rule 5)."""
        return self.selected - self.initial

    @property
    def regression(self) -> bool:
        """Return whether the first program passed and the final one fails (rule 5)."""
        return self.first and not self.selected


class RoleCalls(Record):
    """Requests of one role."""

    role: Role
    calls: int


class Cost(Record):
    """What a run spent (rules 6 to 8)."""

    calls: int = 0
    """Requests: parse retries, adapter fall-backs and judges included, transport retries not."""
    by_role: tuple[RoleCalls, ...] = ()
    completions: int = 0
    """Answers that came."""
    transport_retries: int = 0
    """Requests made again after a fault on the way."""
    failed: int = 0
    """Requests that ended in an error, and were not made again."""
    refused: int = 0
    """Answers that could not be used as what was asked for."""
    cache_hits: int = 0
    """Requests that the answer cache served; their tokens count, their seconds are no model's."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Prompt tokens that the provider read from its own cache, where it says so."""
    model_seconds: float = 0.0
    wall_seconds: float | None = None
    """From the first event to the last; None when a run was resumed, whose pause would count."""
    sandbox_runs: int = 0
    """Programs that were run, for whatever reason."""
    sandbox_checks: int = 0
    """Checks that they were run on."""
    feedback_rounds: int = 0
    triggered_retries: int = 0
    abstentions: int = 0
    usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Return prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens


class Point(Record):
    """A moment at which another program became the one that the run would return."""

    calls: int
    """Requests so far."""
    primary: bool | None
    all_tests: bool


class RepairFact(Record):
    """One repair transaction."""

    decision: Decision
    rule: str = ""
    """Localization rule; empty of an abstention."""
    scope_nodes: int = 0
    graph_nodes: int = 0
    passed_after: bool = False
    """Whether the program that is active behind it passes the hidden tests (primary; all where there is no other)."""

    @property
    def localized(self) -> bool:
        """Return whether it received a scope."""
        return self.decision != "abstained"


class RunRow(Record):
    """One run."""

    suite: str
    task: str
    method: str
    """Method or variant."""
    model: str
    protocol: str
    seed: int
    difficulty: str = ""
    problem_type: str = ""
    kind: OutcomeKind
    error: str = ""
    """Code of the error that the run ended in."""
    primary: Scores | None = None
    """None when every hidden test of the task equals a visible check: then there is no primary score of it."""
    all_tests: Scores = Scores()
    several_answers: bool = False
    checked: bool = False
    """Whether there were development checks."""
    first_visible: bool = False
    """Whether the first program passes every development check."""
    initial_visible: bool = False
    final_visible: bool = False
    cost: Cost = Cost()
    repairs: tuple[RepairFact, ...] = ()
    curve: tuple[Point, ...] = ()
    requests: tuple[tuple[int, int], ...] = ()
    """(prompt, completion) tokens of each request, oldest first."""
    invalid: tuple[str, ...] = ()
    """Why its cost is unknown: that is not zero, and no result rests on it (rule 9)."""

    @property
    def cell(self) -> Cell:
        """Return what the run is compared as."""
        return Cell(self.method, self.model, self.suite, self.protocol)

    def scores(self, basis: Basis) -> Scores | None:
        """Return the scores on a basis; None when the task has none on it."""
        return self.primary if basis == "primary" else self.all_tests

    def passed(self, measure: Measure, basis: Basis) -> bool | None:
        """Return whether a program passed; None when the task has no such score, or it was not measured."""
        scores = self.scores(basis)
        if scores is None:
            return None
        return {"first": scores.first, "selected": scores.selected, "oracle": scores.oracle}[measure]
