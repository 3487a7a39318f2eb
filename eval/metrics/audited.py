"""Audit metrics of runs with hidden verdicts (core.md section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from auditcoder.audit.metrics.loading import load
from auditcoder.audit.metrics.metric import Measured, Tally
from auditcoder.audit.metrics.table import METRICS
from auditcoder.audit.outcomes import HiddenVerdicts, RunOutcome
from auditcoder.eval.metrics.verdicts import Verdict, Verdicts
from auditcoder.records.events import Event


class AuditedRun(NamedTuple):
    """A finished run, and the verdicts of its programs."""

    name: str
    events: Sequence[Event]
    verdicts: Verdicts


def audited(runs: Iterable[AuditedRun]) -> tuple[Measured, ...]:
    """Return every audit metric over these runs; replaying is left to `auditcoder audit`.

    Raises:
        RecordError: the events of one are not those of a finished run.
    """
    tallies = [Tally(metric) for metric in METRICS]
    for run in runs:
        loaded = load(run.name, run.events)
        before, after = loaded.built.program.assembly.digest, loaded.final.program.assembly.digest
        outcome = RunOutcome(
            run=run.name, before=_hidden(run.verdicts.get(before)), after=_hidden(run.verdicts.get(after))
        )
        loaded = replace(loaded, outcome=outcome)
        for tally in tallies:
            tally.add(loaded)
    return tuple(tally.measured() for tally in tallies)


def _hidden(verdict: Verdict | None) -> HiddenVerdicts | None:
    """Return a verdict as the audit reads it; None when there is none, or its judging broke."""
    if verdict is None or verdict.fault:
        return None
    passed = tuple(test for test, outcome in verdict.outcomes if outcome == "pass")
    return HiddenVerdicts(tests=len(verdict.outcomes), passed=passed)
