"""What a ledger tells and the folded record does not keep: gate, sources of findings, local checks, re-verification."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from auditcoder.records import events as ev
from auditcoder.records.execution import CheckResult


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

    def data(self) -> dict[str, object]:
        """Return the facts as plain JSON."""
        return {
            "gates": {str(candidate): list(found) for candidate, found in self.gates.items()},
            "sources": dict(self.sources),
            "unevaluated": list(self.unevaluated),
            "local_checks": {check: result.model_dump(mode="json") for check, result in self.local.items()},
            "declared": [event.model_dump(mode="json") for event in self.declared.values()],
            "reverified": [event.model_dump(mode="json") for event in self.reverified.values()],
        }


def facts_of(events: Iterable[ev.Event]) -> Facts:
    """Return the facts that these events tell."""
    facts = Facts()
    for event in events:
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
    return facts
