"""What an evaluation measured outside of the runs: hidden-test verdicts and injected faults, as verdicts only.

Only `eval` may construct a hidden test. The file holds ids and counts of tests, never a test, an input or an expected
value, and the audit runs nothing: it reads what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from auditcoder.errors import UsageError
from auditcoder.ledger.files import read_regular
from auditcoder.paths import short
from auditcoder.records.base import Record
from auditcoder.records.graph import TaskGraph

NEAR = 3
"""Names that a message tells at most."""


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
    """Name of the run folder, or as much of the end of its path as no other audited run has."""
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
    """The outcomes of an evaluation, each found by the one run folder that it names."""

    def __init__(self, outcomes: Outcomes, folders: Sequence[Path]) -> None:
        """Match outcomes with the runs that are audited.

        Args:
            outcomes: What was measured.
            folders: The run folders that are audited.

        Raises:
            UsageError: an outcome names none of these runs, or more than one of them.
        """
        self._by_run: dict[Path, list[RunOutcome]] = {}
        places = [folder.resolve() for folder in folders]
        for number, outcome in enumerate(outcomes.outcomes):
            place = _only(f"outcomes[{number}]", outcome.run, places)
            self._by_run.setdefault(place, []).append(outcome)

    def of(self, folder: Path, head: str) -> RunOutcome | None:
        """Return what was measured of a run, or None.

        Args:
            folder: The run folder.
            head: Hash of the last event of its ledger.

        Raises:
            UsageError: what was measured is of another ledger, or two outcomes fit.
        """
        known = self._by_run.get(folder.resolve(), [])
        fitting = [outcome for outcome in known if outcome.ledger_head in ("", head)]
        if known and not fitting:
            raise UsageError(
                f"the outcomes of {short(known[0].run)} were measured on another ledger",
                hint="Evaluate the run again, or leave it out.",
            )
        if len(fitting) > 1:
            raise UsageError(f"there are {len(fitting)} outcomes of {short(fitting[0].run)}", hint="Keep one.")
        return fitting[0] if fitting else None


def _only(entry: str, run: str, places: Sequence[Path]) -> Path:
    """Return the one folder whose path is this name, or ends in it."""
    parts = Path(run).parts
    found = [place for place in places if parts and place.parts[-len(parts) :] == parts]
    if not found:
        raise UsageError(f"{entry}: {short(run)} is none of the audited runs", hint=_near(run, places))
    if len(found) > 1:
        told = ", ".join(short(place) for place in found[:NEAR])
        raise UsageError(
            f"{entry}: {short(run)} names {len(found)} of the audited runs",
            hint=f"Write more of the path, so that only one ends in it: {told}.",
        )
    return found[0]


def _near(run: str, places: Sequence[Path]) -> str:
    names = sorted({place.name for place in places})
    near = get_close_matches(Path(run).name, names, n=NEAR)
    if near:
        return f"Did you mean {' or '.join(short(name) for name in near)}?"
    more = f" and {len(names) - NEAR} more" if len(names) > NEAR else ""
    return f"Audited are {', '.join(short(name) for name in names[:NEAR])}{more}."


def check_owner(outcome: RunOutcome, graph: TaskGraph | None) -> None:
    """Return when the owner of the injected fault is a node of the plan that the first repair began with.

    Raises:
        UsageError: it is none.
    """
    owner = outcome.injected_owner
    nodes = [node.id for node in graph.nodes] if graph else []
    if owner and owner not in nodes:
        raise UsageError(
            f"the outcome of {short(outcome.run)}: injected_owner {short(owner)} is no node of its plan",
            hint=f"Nodes: {', '.join(nodes) or 'none'}.",
        )


def outcomes_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the outcomes file."""
    schema = Outcomes.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:auditcoder:outcomes",
        **schema,
        "title": "Outcomes of an evaluation, for auditcoder audit --outcomes",
    }


def read_outcomes(file: Path) -> Outcomes:
    """Return the outcomes in a JSON file.

    Raises:
        UsageError: it cannot be read, or is no outcomes file.
    """
    try:
        return Outcomes.model_validate_json(read_regular(file))
    except OSError as error:
        raise UsageError(f"{short(file)} cannot be read: {error.strerror}", hint="Check --outcomes.") from error
    except ValidationError as error:
        raise UsageError(
            f"{short(file)} is no outcomes file: {_first(error)}",
            hint="Its form: auditcoder schema outcomes, and docs/guide/audit.md.",
        ) from error


def _first(error: ValidationError) -> str:
    details: Mapping[str, object] = {**error.errors(include_url=False, include_input=False)[0]}
    place = details.get("loc")
    where = ".".join(str(part) for part in place) if isinstance(place, tuple) else ""
    return f"{where}: {details.get('msg')}" if where else str(details.get("msg"))
