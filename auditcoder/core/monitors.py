"""Contract monitors: executable predicates on recorded calls become executed findings (core.md section 3).

Rules [R], each in one place below:
1. A predicate is evaluated on the recorded calls of the owner's functions that have a contract signature, under the
   contract's parameter names; `result` is what the call returned.
2. A call that raised, or never ended, has no result: postconditions, and invariants that mention `result`, are not
   evaluated on it.
3. A call whose arguments violate a precondition is owed nothing: postconditions and invariants are not evaluated on it.
   A precondition that cannot be evaluated excuses nothing.
4. Violated on some call: one rejection, the first such call is the witness. Held: one accept of the run as a whole
   when the recording is complete and the predicate was evaluated and held on every call that it speaks of; else one
   accept a distinct call, at most `ACCEPTS` a predicate.
5. An evaluation that fails gives nothing, and one line a predicate says why.
6. Of a recording the first `MOST_CALLS` calls are looked at; the rest makes it one that was cut. The recorder keeps far
   fewer, so this bounds only what a forged ledger can cost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from auditcoder.core.contracts import (
    RESULT,
    executable,
    interface_obligation,
    interface_owners,
    mentioned,
    semantic_obligation,
    speaks_of,
)
from auditcoder.core.evidence import finding_id
from auditcoder.core.naming import id_key
from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.core.versions import Active, versions_of
from auditcoder.core.witness import bind, call_witness, contract_units
from auditcoder.errors import PredicateError, RecordError
from auditcoder.records.base import canonical_json
from auditcoder.records.execution import RecordedCall, Recording
from auditcoder.records.finding import Finding, Obligation, Verdict
from auditcoder.records.graph import Contract, Node, Predicate
from auditcoder.records.task import FunctionSignature
from auditcoder.records.values import Value, decode

MOST_CALLS = 1000
"""Calls of a recording that are looked at."""
ACCEPTS = 8
"""Accepted calls of one predicate that become findings when the run as a whole cannot be accepted."""


class Monitored(NamedTuple):
    """What the monitors found on one recording."""

    findings: tuple[Finding, ...]
    """Nodes in id order, predicates in the order of the contract; of one predicate the rejection first."""
    evaluated: int
    """Predicates that could be evaluated on at least one call."""
    unevaluated: tuple[str, ...]
    """`NODE.PREDICATE: reason` for every predicate that could not be evaluated on some call."""


@dataclass(frozen=True)
class _Call:
    """A recorded call with its arguments under the contract's names, or why they are not known."""

    call: RecordedCall
    signature: FunctionSignature
    values: Mapping[str, Any]
    problem: str


@dataclass
class _Tally:
    """What one predicate gave on the calls that it speaks of."""

    predicate: Predicate
    obligation: Obligation | None
    """None: a precondition that constrains no input slot, so nobody can be named."""
    spoken_of: int = 0
    held: list[RecordedCall] = field(default_factory=list)
    violated: list[RecordedCall] = field(default_factory=list)
    problem: str = ""


def monitored_nodes(active: Active, nodes: Collection[str] | None = None) -> tuple[Node, ...]:
    """Return the code owners, out of `nodes` where it is given, whose contract has an executable predicate."""
    owners = [node for node in active.graph.owners if nodes is None or node.id in nodes]
    found = [node for node in owners if executable(node.contract.predicates())]
    return tuple(sorted(found, key=lambda node: id_key(node.id)))


def monitor(
    recording: Recording,
    active: Active,
    evaluator: PredicateEvaluator,
    *,
    start: int,
    nodes: Collection[str] | None = None,
) -> Monitored:
    """Return the executed findings of all executable predicates on the recorded calls.

    Args:
        recording: Calls in one run of the active program.
        active: The active program with its contracts.
        evaluator: Evaluates the expressions.
        start: How many findings there are already.
        nodes: Only these owners are looked at; None for all.
    """
    if len(recording.calls) > MOST_CALLS:
        recording = recording.model_copy(update={"calls": recording.calls[:MOST_CALLS], "complete": False})  # rule 6
    by_unit: dict[str, list[tuple[int, RecordedCall]]] = {}
    for place, call in enumerate(recording.calls):
        by_unit.setdefault(call.unit, []).append((place, call))
    findings: list[Finding] = []
    evaluated, unevaluated = 0, list[str]()
    for node in monitored_nodes(active, nodes):
        for tally in _tallies(node, _calls(node, active, by_unit), evaluator):
            made = _findings(tally, node, active, recording, start + len(findings))
            findings.extend(made)
            evaluated += bool(tally.held or tally.violated)
            if tally.problem:
                unevaluated.append(f"{node.id}.{tally.predicate.id}: {tally.problem}")
    return Monitored(tuple(findings), evaluated, tuple(unevaluated))


def _calls(node: Node, active: Active, by_unit: Mapping[str, Sequence[tuple[int, RecordedCall]]]) -> tuple[_Call, ...]:
    """Return the calls of a node's contract functions in the order in which they started (rule 1)."""
    units = contract_units(node.id, active)
    placed = sorted(
        ((place, call, units[name]) for name in units for place, call in by_unit.get(name, ())),
        key=lambda entry: entry[0],
    )
    return tuple(_bound(call, signature) for _, call, signature in placed)


def _bound(call: RecordedCall, signature: FunctionSignature) -> _Call:
    try:
        return _Call(call, signature, bind(call, signature), "")
    except RecordError as error:
        return _Call(call, signature, {}, error.message)


def _tallies(node: Node, calls: Sequence[_Call], evaluator: PredicateEvaluator) -> Iterator[_Tally]:
    """Yield what each executable predicate gave, in the order of the contract."""
    excused: set[int] = set()
    contract = node.contract
    for predicate in executable(contract.preconditions):
        tally = _Tally(predicate, interface_obligation(node, predicate))
        if tally.obligation is None:
            tally.problem = "it constrains no input slot of the node"
        for place, bound in _spoken_of(predicate, calls, contract):
            if not _evaluate(tally, bound, evaluator, bound.values):
                excused.add(place)
        yield tally
    for predicate in executable((*contract.postconditions, *contract.invariants)):
        always = predicate in contract.invariants and RESULT not in mentioned(predicate.expression)
        tally = _Tally(predicate, semantic_obligation(node, predicate))
        for place, bound in _spoken_of(predicate, calls, contract):
            if place in excused or (bound.call.exception and not always):  # rules 2 and 3
                tally.spoken_of += 1
            else:
                _evaluate_after(tally, bound, evaluator, always=always)
        yield tally


def _spoken_of(predicate: Predicate, calls: Sequence[_Call], contract: Contract) -> Iterator[tuple[int, _Call]]:
    """Yield the calls that a predicate speaks of, each with its place."""
    functions = [signature for signature in contract.signatures if speaks_of(predicate, signature, contract)]
    yield from ((place, bound) for place, bound in enumerate(calls) if bound.signature in functions)


def _evaluate_after(tally: _Tally, bound: _Call, evaluator: PredicateEvaluator, *, always: bool) -> None:
    try:
        values = dict(bound.values) if always else {**bound.values, RESULT: decode(bound.call.result)}
    except RecordError as error:
        tally.spoken_of += 1
        tally.problem = tally.problem or error.message
        return
    _evaluate(tally, bound, evaluator, values)


def _evaluate(tally: _Tally, bound: _Call, evaluator: PredicateEvaluator, values: Mapping[str, Any]) -> bool:
    """Count one call; return False only when the predicate is violated."""
    tally.spoken_of += 1
    if bound.problem:
        tally.problem = tally.problem or bound.problem
        return True
    try:
        holds = evaluator.holds(tally.predicate.expression, values)
    except PredicateError as error:  # rule 5
        tally.problem = tally.problem or error.message
        return True
    (tally.held if holds else tally.violated).append(bound.call)
    return holds


def _findings(tally: _Tally, node: Node, active: Active, recording: Recording, start: int) -> tuple[Finding, ...]:
    """Return the findings of one predicate (rule 4)."""
    obligation = tally.obligation
    if obligation is None:
        return ()
    made: list[tuple[Verdict, Value, str]] = []
    if tally.violated:
        count = f"{len(tally.violated)} of {tally.spoken_of} recorded calls"
        made.append(("reject", call_witness(tally.violated[0]), f"{count} violate it: {tally.predicate.expression}"))
    elif recording.complete and tally.held and len(tally.held) == tally.spoken_of:
        made.append(("accept", None, f"every recorded call keeps it: {tally.predicate.expression}"))
        return _as_findings(made, obligation, node, active, recording, start)
    held = f"a recorded call keeps it: {tally.predicate.expression}"
    made.extend(("accept", witness, held) for witness in _distinct(tally.held))
    return _as_findings(made, obligation, node, active, recording, start)


def _distinct(calls: Iterable[RecordedCall]) -> Iterator[Value]:
    """Yield the witnesses of the first distinct calls."""
    seen: set[bytes] = set()
    for call in calls:
        witness = call_witness(call)
        key = canonical_json(witness)
        if key not in seen:
            seen.add(key)
            yield witness
        if len(seen) == ACCEPTS:
            return


def _as_findings(
    made: Sequence[tuple[Verdict, Value, str]],
    obligation: Obligation,
    node: Node,
    active: Active,
    recording: Recording,
    start: int,
) -> tuple[Finding, ...]:
    owners = interface_owners(obligation, active.graph) if obligation.kind == "interface" else (node.id,)
    versions = tuple(versions_of(active.graph, active.codes, owner) for owner in owners) if made else ()
    return tuple(
        Finding(
            id=finding_id(start + number),
            owners=owners,
            verdict=verdict,
            obligation=obligation,
            evidence="exec",
            versions=versions,
            check=recording.check,
            witness=witness,
            reason=reason,
        )
        for number, (verdict, witness, reason) in enumerate(made)
    )
