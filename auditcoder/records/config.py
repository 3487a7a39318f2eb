"""The resolved configuration of one run; its hash goes into the ledger."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from auditcoder.records.base import GrownRecord, Record
from auditcoder.records.graph import Granularity
from auditcoder.records.localization import Policy

Role = Literal["planner", "reviewer", "generator", "orchestrator", "verifier", "regenerator", "replanner"]
EvidenceScope = Literal["anchor", "all-checks"]
Method = Literal[
    "auditcoder",
    "direct",
    "agentcoder",
    "mapcoder",
    "codesim",
    "codecor",
    "ldb",
    "mgdebugger",
    "pycapsule",
    "bpd",
    "fresh-start",
]
Feedback = Literal["error", "trace", "all-traces", "resample", "auto"]
OptionValue = bool | int | float | str
ROLES: tuple[Role, ...] = (
    "planner", "reviewer", "generator", "orchestrator", "verifier", "regenerator", "replanner",
)  # fmt: skip


class RunConfig(GrownRecord):
    """Everything that decides what a run does, besides the task and the models' answers."""

    later: ClassVar[frozenset[str]] = frozenset({
        "local_checks", "evidence", "method", "options", "max_calls", "max_tokens", "agents", "repair",
        "feedback",
    })  # fmt: skip

    model: str = "embedded"
    """Profile of every role that has none of its own."""
    roles: tuple[tuple[Role, str], ...] = ()
    """(role, profile) overrides."""
    k: int = Field(default=1, ge=0, le=30)
    """Repairs at most (paper: K interventions). Plan attempts of the `auto` ladder are counted apart."""
    adaptive: bool = False
    """Repair until four consecutive rounds bring no increase in passed checks; `k` is then not read."""
    granularity: Granularity = "auto"
    seed: int = 0
    locate: Policy = "executed-first"
    """Localization preference policy."""
    gate: Literal["off", "warn", "strict"] = "warn"
    """Static policy gate."""
    verify: Literal["never", "on-failure", "always"] = "on-failure"
    """When nodes are verified locally by a model."""
    plan_review: Literal["deterministic", "model"] = "deterministic"
    """Whether a model reviews plans that passed the deterministic review."""
    boundary: Literal["auto", "none", "confirmed", "paper"] = "auto"
    """Admission of planner-derived boundary checks (core.md section 2).

    auto: `confirmed` on a strong backbone, `none` on a weak one, whose proposals were measured to repeat the examples
    (docs/adr/0008).
    """
    boundary_count: int = Field(default=2, ge=0, le=8)
    local_checks: Literal["auto", "none", "confirmed"] = "auto"
    """Executable checks of single nodes, proposed with the plan and admitted when a second derivation agrees.

    auto: `confirmed` on a strong backbone, `none` on a weak one. Since 1.1.
    """
    evidence: EvidenceScope = "anchor"
    """Checks whose calls are recorded for a localization: the first failing one, or all that ran within their limits.

    all-checks: owners that took part in every failing run and that no passing run clears are executed findings, for one
    more run of the program a check and no model call. Since 1.1.
    """
    method: Method = "auditcoder"
    """What makes the program. Every other method is a rival on the same ground (docs/methods.md). Since 1.2."""
    options: tuple[tuple[str, OptionValue], ...] = ()
    """(name, value) of the switches of a rival method, in name order; what is not named has its default. Since 1.2."""
    max_calls: int | None = Field(default=None, ge=1, le=10**6)
    """Model requests at most; when they are made, the run ends with its current program. Since 1.2."""
    max_tokens: int | None = Field(default=None, ge=1, le=10**12)
    """Prompt and completion tokens at most: no request begins behind them, one in flight completes. Since 1.2."""
    agents: Literal["specialized", "generic"] = "specialized"
    """Whether leaves are written by the predictor of their algorithm category, or all by one (paper: task plan only).

    Since 1.2.
    """
    repair: Literal["bounded", "whole"] = "bounded"
    """Whether a repair changes one scope inside a transaction, or the whole program with the same evidence. Since 1.2.

    whole: the ablation without binding; nothing is frozen, a round is still taken over on strict improvement only.
    """
    feedback: Feedback = "error"
    """What a repair shows (core.md 9). error: the evidence. trace, all-traces: also the values that the code took in
    the first failing check, or in each. resample: nothing at all, for a fresh sample of what may change. auto: what
    the Breakpoint Debugging paper found to pay, case by case.

    Since 1.2.
    """

    def profile_of(self, role: Role) -> str:
        """Return the profile name that serves a role."""
        return dict(self.roles).get(role, self.model)


class ModelFacts(Record):
    """What identifies a backbone in the record: no key, no machine path."""

    profile: str
    model: str
    """Model string."""
    sha256: str = ""
    """Hash of the weights file where it is local."""
    runtime: str = ""
    """Engine and version."""
    strength: Literal["weak", "strong"] = "weak"
    """What granularity `auto` and the boundary checks assume of it; a profile field, so it decides what a run does."""
    context_tokens: int = 0
    price_in: float = Field(default=0.0, ge=0, le=10**12)
    """USD per million prompt tokens."""
    price_out: float = Field(default=0.0, ge=0, le=10**12)
