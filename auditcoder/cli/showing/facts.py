"""What a ledger tells and the folded record does not keep: candidates, gate, sources of findings, re-verification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from auditcoder.cli.text import one_line
from auditcoder.core.versions import VersionTable
from auditcoder.ledger.state import Candidate, FoldState
from auditcoder.records import events as ev
from auditcoder.records.execution import CheckResult
from auditcoder.records.finding import Finding


@dataclass
class Facts:
    """Facts of a run up to some event, found in one walk."""

    gates: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """By candidate: what the static policy gate found in it."""
    sources: dict[str, ev.FindingSource] = field(default_factory=dict)
    """By finding: what it was made from; nothing for findings of format 1.0."""
    unevaluated: dict[str, None] = field(default_factory=dict)
    """Predicates that could not be evaluated on some call, with the reason; in order, each once."""
    local: dict[str, CheckResult] = field(default_factory=dict)
    """By local check (`S1:L2`): its last result."""
    declared: dict[int, ev.ScopeDeclared] = field(default_factory=dict)
    """By repair: the final scope."""
    reverified: dict[int, ev.NodesReverified] = field(default_factory=dict)
    """By repair: what was made again on frozen nodes."""
    candidates: Mapping[int, Candidate] = field(default_factory=dict)
    """By number: every program that was assembled, those that were turned away as well."""
    origins: dict[int, str] = field(default_factory=dict)
    """By candidate: the plan attempt or repair that made it, and how that ended."""
    judged: dict[str, int] = field(default_factory=dict)
    """By finding: the candidate that it is about."""
    versions: VersionTable | None = None
    """Content versions of the program that is looked at; None before there is one."""
    moment: str = ""
    """`state after event 12 of 23` when an earlier state is looked at; else empty."""
    full: bool = False
    """Nothing is cut."""

    def cut(self, text: str, limit: int) -> str:
        """Return a text on one line, cut unless everything is to be shown."""
        return one_line(text, 0 if self.full else limit)

    def current(self, finding: Finding) -> bool:
        """Return whether a finding was made against the versions of its owners that are looked at."""
        return self.versions is not None and self.versions.is_current(finding)

    def about(self, finding: Finding) -> str:
        """Return which program a finding judged, and whether it still speaks of the one that is looked at."""
        candidate = self.judged.get(finding.id)
        if candidate is None:
            codes = [versions.code[:8] for versions in finding.versions if versions.code]
            judged = f"version {', '.join(codes)}" if codes else "no code version"
        else:
            judged = f"candidate {candidate}"
        return f"{judged}, {'current' if self.current(finding) else 'not current'}"

    def finding_data(self, finding: Finding) -> dict[str, object]:
        """Return a finding as plain JSON, with its source, the candidate that it judged and whether it is current."""
        return {
            **finding.model_dump(mode="json"),
            "source": self.sources.get(finding.id, ""),
            "candidate": self.judged.get(finding.id),
            "current": self.current(finding),
        }

    def data(self) -> dict[str, object]:
        """Return the facts as plain JSON."""
        return {
            "gates": {str(candidate): list(found) for candidate, found in self.gates.items()},
            "sources": dict(self.sources),
            "unevaluated": list(self.unevaluated),
            "local_checks": {check: result.model_dump(mode="json") for check, result in self.local.items()},
            "declared": [event.model_dump(mode="json") for event in self.declared.values()],
            "reverified": [event.model_dump(mode="json") for event in self.reverified.values()],
            "candidates": {
                str(one.index): {
                    "attempt": one.attempt,
                    "digest": one.assembly.digest,
                    "origin": self.origins[one.index],
                }
                for one in self.candidates.values()
            },
            "judged": dict(self.judged),
        }


class _Walk:
    """The state along the events, and what it tells of candidates and findings at each."""

    def __init__(self, facts: Facts) -> None:
        self.facts, self.state = facts, FoldState()
        self._ran: int | None = None
        self._repair: int | None = None

    def take(self, event: ev.Event) -> None:
        """Go on by one event."""
        self.state.apply(event)
        match event:
            case ev.RepairStarted():
                self._repair = event.index
            case ev.ProgramAssembled():
                made = f"plan attempt {event.attempt + 1}" if self._repair is None else f"repair {self._repair + 1}"
                self.facts.origins[event.candidate] = made
            case ev.ChecksRun() | ev.CallsRecorded() | ev.CostsMeasured() | ev.LocalChecksRun():
                self._ran = event.candidate
            case ev.RepairEnded():
                self._end(event)
            case ev.FindingsAdded():
                for finding in event.findings:
                    self._judge(finding)
            case _:
                pass

    def _end(self, event: ev.RepairEnded) -> None:
        name = f"repair {event.transaction.index + 1}"
        for candidate, made in self.facts.origins.items():
            if made == name:
                self.facts.origins[candidate] = f"{name}: {event.transaction.decision}"
        self._repair = None

    def _judge(self, finding: Finding) -> None:
        """Find the candidate with the versions of a finding: the one that ran last, the program, then the newest."""
        known = self.state.candidates
        order = dict.fromkeys((self._ran, self.state.active, *sorted(known, reverse=True)))
        for number in order:
            one = known.get(number) if number is not None else None
            if one is not None and (table := table_of(one)) is not None and table.is_current(finding):
                self.facts.judged[finding.id] = one.index
                return


def table_of(candidate: Candidate) -> VersionTable | None:
    """Return the content versions of a candidate's nodes; None when it has no plan."""
    return VersionTable(candidate.graph, candidate.codes) if candidate.graph is not None else None


def facts_of(events: Iterable[ev.Event]) -> Facts:
    """Return the facts that these events tell; versions are those of the active program."""
    facts = Facts()
    walk = _Walk(facts)
    for event in events:
        walk.take(event)
        _note(facts, event)
    facts.candidates = dict(sorted(walk.state.candidates.items()))
    facts.versions = table_of(walk.state.program) if walk.state.program else None
    return facts


def _note(facts: Facts, event: ev.Event) -> None:
    match event:
        case ev.ProgramAssembled() if event.gate:
            facts.gates[event.candidate] = event.gate
        case ev.FindingsAdded():
            facts.sources.update((finding.id, event.source) for finding in event.findings if event.source)
            facts.unevaluated.update(dict.fromkeys(event.unevaluated))
        case ev.LocalChecksRun():
            facts.local.update((result.check, result) for result in event.report.results)
        case ev.ScopeDeclared():
            facts.declared[event.index] = event
        case ev.NodesReverified():
            facts.reverified[event.index] = event
        case _:
            pass
