"""What every rival method is: a DSPy program with agents, options and one way to end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import dspy
from pydantic import ValidationError

from auditcoder.errors import BudgetSpentError, ConfigError
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.module import TypedModule
from auditcoder.programs.session import Candidate, Session
from auditcoder.records.base import Record
from auditcoder.records.config import Role, RunConfig


class Bounds(NamedTuple):
    """Requests of one run in which every answer can be used; one that cannot is asked for once more."""

    least: int
    """The first program passes every check."""
    most: int | None
    """No program does, and every agent that may be asked is asked; None: no limit is known beforehand."""


class NoOptions(Record):
    """The options of a method that has no switches."""


class RivalMethod(TypedModule["Candidate"]):
    """A rival method (methods specifications). A subclass names its agents and options and writes `solve`."""

    agents: ClassVar[Mapping[str, Role]]
    """By attribute that holds a predictor or module: the role whose backbone serves it."""
    Options: ClassVar[type[Record]] = NoOptions

    def __init__(self, options: Record) -> None:
        super().__init__()
        self.options = options

    def set_backbones(self, lms: Mapping[Role, dspy.LM]) -> None:
        """Give every agent the backbone of its role."""
        for name, role in self.agents.items():
            getattr(self, name).set_lm(lms[role])

    def forward(self, session: Session) -> Candidate:
        """Return the final candidate; every call and candidate is in the session's journal.

        Raises:
            BackboneError: a backbone cannot be used at all.
            SandboxError: the isolation failed.
        """
        run = MethodRun(session)
        try:
            ended = self.solve(run)
        except BudgetSpentError as error:
            ended = error.message
        return run.finish(ended)

    def bounds(self, config: RunConfig) -> Bounds:
        """Return the requests that a run may make: the formula of the method's specification.

        Only `k` is read of the budget, and the method's own options; whoever asks cuts at `max_calls` and knows that an
        adaptive run has no most. Methods whose limits depend on more say so.
        """
        return Bounds(1, None)

    def solve(self, run: MethodRun) -> str:
        """Make the program; return a reason of the method's own for ending, or an empty text."""
        raise NotImplementedError


def options_of(method: type[RivalMethod], config: RunConfig) -> Record:
    """Return the options of a method, defaults filled in.

    A value must be of the kind that the option has: the audit reads it as it is recorded, and `"no"` is no `false`.

    Raises:
        ConfigError: an option is unknown, or its value is not allowed.
    """
    try:
        return method.Options.model_validate(dict(config.options), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        known = ", ".join(method.Options.model_fields) or "none"
        unknown = first["type"] == "extra_forbidden"
        message = "there is no such option" if unknown else first["msg"]
        raise ConfigError(
            f"options.{name}: {message}", hint=f"Options of {config.method}: {known}.", field=f"options.{name}"
        ) from error
