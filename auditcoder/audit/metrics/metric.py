"""What a metric is, and how the parts that runs give to it add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from auditcoder.audit.metrics.loading import LoadedRun


class Part(NamedTuple):
    """What one run, or one repair of it, gives to a metric."""

    numerator: int
    denominator: int
    against: tuple[str, ...] = ()
    """What counts against it, one short text each."""


def truth(*against: str) -> Part:
    """Return the part of a rule that holds for one thing, or does not, and why."""
    return Part(int(not against), 1, against)


Measure = Callable[[LoadedRun], Sequence[Part] | None]
"""Returns the parts of one run: none when the metric does not apply to it, None when its input was not given."""


@dataclass(frozen=True)
class Metric:
    """One row of the audit table."""

    key: str
    """Stable name for programs."""
    name: str
    measure: Measure
    mean_over: Literal["", "tasks", "repairs"] = ""
    """What the macro mean is taken over; empty when there is none."""
    source: Literal["paper", "ours"] = "paper"
    needs: str = ""
    """What `measure` reads besides the ledger."""
    by_construction: bool = False
    """Whether anything below 1 is a defect, of the record or of ours."""


class Against(NamedTuple):
    """A run that counts against a metric, and why: where to look."""

    run: str
    what: str


@dataclass(frozen=True)
class Measured:
    """A metric over a set of runs."""

    metric: Metric
    numerator: int
    denominator: int
    mean: float | None
    """Mean of the parts' own ratios; None without parts, and for a metric that is not per task or repair."""
    against: tuple[Against, ...]
    given: int
    """Runs whose input was given."""
    missing: int
    """Runs whose input was not given: no hidden verdicts, no injected owner, no replay."""

    @property
    def value(self) -> float | None:
        """Return numerator over denominator; None when nothing was measured, which is not 0."""
        return self.numerator / self.denominator if self.denominator else None

    @property
    def broken(self) -> bool:
        """Return whether a metric that is 1 by construction is not."""
        return self.metric.by_construction and self.numerator < self.denominator


@dataclass
class Tally:
    """A metric while runs are being read; it keeps sums, never runs."""

    metric: Metric
    numerator: int = 0
    denominator: int = 0
    ratios: float = 0.0
    parts: int = 0
    given: int = 0
    missing: int = 0
    against: list[Against] = field(default_factory=list)

    def add(self, run: LoadedRun) -> None:
        """Add what one run gives."""
        parts = self.metric.measure(run)
        if parts is None:
            self.missing += 1
            return
        self.given += 1
        for part in parts:
            self.numerator += part.numerator
            self.denominator += part.denominator
            self.against += [Against(run.run, what) for what in part.against]
            if part.denominator:
                self.ratios += part.numerator / part.denominator
                self.parts += 1

    def measured(self) -> Measured:
        """Return the metric over the runs so far."""
        mean = self.ratios / self.parts if self.metric.mean_over and self.parts else None
        return Measured(
            metric=self.metric,
            numerator=self.numerator,
            denominator=self.denominator,
            mean=mean,
            against=tuple(self.against),
            given=self.given,
            missing=self.missing,
        )
