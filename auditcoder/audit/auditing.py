"""The audit of a set of runs: every metric of core.md section 8, one run in memory at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from auditcoder.audit.metrics.loading import LoadedRun, load
from auditcoder.audit.metrics.metric import Measured, Tally
from auditcoder.audit.metrics.table import METRICS
from auditcoder.audit.outcomes import OutcomeIndex, Outcomes, check_owner
from auditcoder.audit.outputs import read_outputs
from auditcoder.audit.verification import Verification, unreadable_status
from auditcoder.audit.verify import verify_chain
from auditcoder.errors import LedgerError, RecordError
from auditcoder.ledger.chain import Chain, Ledger, readable_chain
from auditcoder.ledger.outputs import load_ledger
from auditcoder.records.events import RunFinished


class LeftOut(NamedTuple):
    """A run that is in no metric, and why."""

    run: str
    reason: str
    status: str = ""
    """Of an unreadable ledger: which kind it is, in the words of `verify`."""


@dataclass(frozen=True)
class AuditReport:
    """The metrics over a set of runs, and what was left out of them."""

    metrics: tuple[Measured, ...]
    """In the order of the paper's Table 3, then ours."""
    finished: int
    unfinished: tuple[LeftOut, ...]
    corrupt: tuple[LeftOut, ...]
    decisions: Mapping[str, int]
    """Transactions of the finished runs by decision."""
    solved: int
    """Finished runs whose program passes every development check."""
    unreadable: tuple[LeftOut, ...] = ()
    """What is no ledger at all, or has another major format version."""

    @property
    def sound(self) -> bool:
        """Return whether every ledger is whole and no metric that is 1 by construction was measured below 1."""
        return not self.corrupt and not self.unreadable and not any(measured.broken for measured in self.metrics)


def audit_runs(folders: Iterable[Path], outcomes: OutcomeIndex | None = None, *, replay: bool = True) -> AuditReport:
    """Return the metrics over the runs in these folders. Runs without an end, and broken ledgers, are listed only.

    Args:
        folders: Run folders, each with a ledger.
        outcomes: What an evaluation measured of them.
        replay: Verify each run, which takes the most time.

    Raises:
        ConfigError: the outcomes of a run are of another ledger, or name an owner that is no node of its plan.
    """
    index = outcomes or OutcomeIndex(Outcomes(), ())
    tallies = [Tally(metric) for metric in METRICS]
    decisions: Counter[str] = Counter()
    unfinished: list[LeftOut] = []
    corrupt: list[LeftOut] = []
    unreadable: list[LeftOut] = []
    finished = solved = 0
    for folder in folders:
        try:
            run = load_finished(folder, index, replay=replay)
        except (LedgerError, RecordError) as error:
            status = unreadable_status(error)
            (unreadable if status else corrupt).append(LeftOut(str(folder), error.message, status))
            continue
        if isinstance(run, LeftOut):
            unfinished.append(run)
            continue
        finished += 1
        rank = run.final.program.rank
        solved += rank is not None and rank.full_pass
        decisions.update(repair.transaction.decision for repair in run.repairs)
        for tally in tallies:
            tally.add(run)
    return AuditReport(
        metrics=tuple(tally.measured() for tally in tallies),
        finished=finished,
        unfinished=tuple(unfinished),
        corrupt=tuple(corrupt),
        decisions=dict(sorted(decisions.items())),
        solved=solved,
        unreadable=tuple(unreadable),
    )


def load_finished(folder: Path, outcomes: OutcomeIndex, *, replay: bool) -> LoadedRun | LeftOut:
    """Return a finished run as the metrics read it, or why it is none.

    Raises:
        LedgerError: the ledger is unreadable or broken, or was cut after its outputs were written.
        RecordError: it has another major format version, or does not begin with the start of a run.
        ConfigError: the outcomes of the run are of another ledger, or name an owner that is no node of its plan.
    """
    ledger, broken = readable_chain(folder)
    if broken is not None:
        raise broken
    if not ledger.entries or not isinstance(ledger.entries[-1].event, RunFinished):
        load_ledger(folder)  # a ledger that was cut is corrupt, not unfinished
        return LeftOut(str(folder), f"it stopped after {len(ledger.entries)} events")
    outcome = outcomes.of(folder, ledger.head)
    run = load(str(folder), ledger.events, outcome=outcome)
    if outcome is not None:
        check_owner(outcome, run.built.program.graph)
    return replace(run, verification=_verified(ledger, folder)) if replay else run


def _verified(ledger: Ledger, folder: Path) -> Verification:
    return verify_chain(Chain(ledger, None), outputs=read_outputs(folder))
