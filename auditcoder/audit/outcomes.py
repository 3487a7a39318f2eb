"""What an evaluation measured outside of the runs: hidden-test verdicts and injected faults, as verdicts only.

Only `eval` may construct a hidden test. The file holds ids and counts of tests, never a test, an input or an expected
value, and the audit runs nothing: it reads what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from auditcoder.errors import ConfigError
from auditcoder.paths import short
from auditcoder.records.base import Record


class HiddenVerdicts(Record):
    """How one program did on the hidden tests of its task."""

    tests: int = Field(ge=0)
    """How many hidden tests there are."""
    passed: tuple[str, ...] = ()
    """Ids of those that passed."""

    @model_validator(mode="after")
    def _ids_count(self) -> HiddenVerdicts:
        if len(set(self.passed)) != len(self.passed) or len(self.passed) > self.tests:
            raise ValueError("`passed` must name each passed test once, and no more than `tests` of them")
        return self

    @property
    def all_pass(self) -> bool:
        """Return whether there are hidden tests and all of them pass."""
        return 0 < self.tests == len(self.passed)


class RunOutcome(Record):
    """What was measured of one run."""

    run: str = Field(min_length=1)
    """Name of the run folder."""
    ledger_head: str = ""
    """Hash of the last event of the run; where it is given, the outcome is read for that very ledger only."""
    before: HiddenVerdicts | None = None
    """The program before the first repair."""
    after: HiddenVerdicts | None = None
    """The final program."""
    injected_owner: str = ""
    """Node that owns the fault which was injected into the program before the repair; empty when none was."""


class Outcomes(Record):
    """The outcomes file."""

    outcomes: tuple[RunOutcome, ...] = ()


class OutcomeIndex:
    """The outcomes of an evaluation, found by run."""

    def __init__(self, outcomes: Outcomes = Outcomes()) -> None:  # noqa: B008 - frozen
        self._by_run: dict[str, list[RunOutcome]] = {}
        for outcome in outcomes.outcomes:
            self._by_run.setdefault(outcome.run, []).append(outcome)

    def of(self, run: str, head: str) -> RunOutcome | None:
        """Return what was measured of a run, or None.

        Args:
            run: Name of the run folder.
            head: Hash of the last event of its ledger.

        Raises:
            ConfigError: what was measured is of another ledger, or two outcomes fit.
        """
        known = self._by_run.get(run, [])
        fitting = [outcome for outcome in known if outcome.ledger_head in ("", head)]
        if known and not fitting:
            raise ConfigError(
                f"the outcomes of {short(run)} were measured on another ledger",
                hint="Evaluate the run again, or leave it out.",
            )
        if len(fitting) > 1:
            raise ConfigError(f"there are {len(fitting)} outcomes of {short(run)}", hint="Keep one.")
        return fitting[0] if fitting else None


def read_outcomes(file: Path) -> OutcomeIndex:
    """Return the outcomes in a JSON file.

    Raises:
        ConfigError: it cannot be read, or is no outcomes file.
    """
    try:
        return OutcomeIndex(Outcomes.model_validate_json(file.read_bytes()))
    except OSError as error:
        raise ConfigError(f"{short(file)} cannot be read: {error.strerror}", hint="Check --outcomes.") from error
    except ValidationError as error:
        raise ConfigError(
            f"{short(file)} is no outcomes file: {_first(error)}", hint="docs/guide/audit.md tells its form."
        ) from error


def _first(error: ValidationError) -> str:
    details: Mapping[str, object] = {**error.errors(include_url=False, include_input=False)[0]}
    place = details.get("loc")
    where = ".".join(str(part) for part in place) if isinstance(place, tuple) else ""
    return f"{where}: {details.get('msg')}" if where else str(details.get("msg"))
