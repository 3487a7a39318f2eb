"""Whether the anchor's execution satisfies a finding's witness condition (paper B.3, core.md section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.core.versions import Active
from auditcoder.errors import PredicateError, RecordError
from auditcoder.records.code import CodeUnit
from auditcoder.records.execution import RecordedCall, Recording
from auditcoder.records.finding import Finding
from auditcoder.records.graph import Contract
from auditcoder.records.localization import Applicability
from auditcoder.records.task import FunctionSignature
from auditcoder.records.values import Value, decode


class Applied(NamedTuple):
    """Applicability with its reason, and the recorded calls that satisfy the condition."""

    applicability: Applicability
    reason: str
    calls: tuple[RecordedCall, ...] = ()


class Call(NamedTuple):
    """A recorded call with its arguments under the contract's names, or why they are not known."""

    call: RecordedCall
    values: Mapping[str, Any]
    problem: str = ""


OwnerVerdict = Callable[[str, str], Applied]
"""What the recorded calls of an owner (second) say about a condition (first)."""


def applicability(finding: Finding, anchor: str, recording: Recording | None, verdict_of: OwnerVerdict) -> Applied:
    """Return `observed`, `asserted` or `incompatible`, with the reason.

    Observed: the anchor's own run is the executed witness, or a recorded call of a unit of an owner has arguments that
    satisfy the condition. Incompatible: a complete recording holds no such call. Asserted: everything that cannot be
    decided (no condition, no or a cut recording, a failed evaluation, a value that was not carried over).
    """
    if finding.evidence == "exec" and finding.check == anchor:
        return Applied("observed", "its executed witness is the anchor's own run")
    if not finding.condition:
        return Applied("asserted", "it gives no witness condition")
    if recording is None or recording.check != anchor:
        return Applied("asserted", "no calls were recorded on the anchor")
    verdicts = [verdict_of(finding.condition, owner) for owner in finding.owners]
    ranking: tuple[Applicability, ...] = ("observed", "asserted", "incompatible")
    return min(verdicts, key=lambda applied: ranking.index(applied.applicability))


def call_witness(call: RecordedCall) -> Value:
    """Return the witness that a recorded call is: unit, arguments, result or exception."""
    outcome: list[Value] = ["exception", call.exception] if call.exception else ["result", call.result]
    return {"t": "dict", "v": [["unit", call.unit], ["args", list(call.args)], outcome]}


def bind(call: RecordedCall, signature: FunctionSignature) -> dict[str, Any]:
    """Return the plain values of a call's positional arguments under the signature's parameter names.

    Raises:
        RecordError: a value is malformed, or was not carried over whole.
    """
    if any(_incomplete(value) for value in call.args):
        raise RecordError("an argument was not carried over whole", unit=call.unit)
    names = [parameter.name for parameter in signature.parameters]
    return {name: decode(value) for name, value in zip(names, call.args, strict=False)}


def bound_calls(calls: Sequence[RecordedCall], units: Mapping[str, FunctionSignature]) -> tuple[Call, ...]:
    """Return recorded calls of these units, in their order, with their arguments."""
    return tuple(_bound(call, units[call.unit]) for call in calls)


def contract_units(owner: str, active: Active) -> dict[str, FunctionSignature]:
    """Return the functions and methods of an owner that its contract has a signature for, by qualified name.

    Private helpers have none: a condition over the contract's parameter names says nothing about their arguments.
    A method takes the signature of its plain name, unless a function of the owner bears that name.
    """
    owned = [unit for unit in active.assembly.units if unit.owner == owner]
    return signed_units(active.graph.node(owner).contract, owned)


def signed_units(contract: Contract, owned: Sequence[CodeUnit]) -> dict[str, FunctionSignature]:
    """Return what `contract_units` returns, given the contract of an owner and its units."""
    signatures = {signature.name: signature for signature in contract.signatures}
    found = {unit.name: signatures[unit.name] for unit in owned if unit.kind == "function" and unit.name in signatures}
    for unit in owned:
        plain = unit.name.rpartition(".")[2]
        if unit.kind == "method" and plain in signatures and plain not in found:
            found[unit.name] = signatures[plain]
    return found


def judged_by_calls(
    condition: str, owner: str, calls: Sequence[Call], evaluator: PredicateEvaluator, *, complete: bool
) -> Applied:
    """Return what the recorded calls of an owner say about a condition."""
    satisfying: list[RecordedCall] = []
    failed = ""
    for each in calls:
        try:
            if each.problem:
                failed = failed or each.problem
            elif evaluator.holds(condition, each.values):
                satisfying.append(each.call)
        except PredicateError as error:
            failed = failed or error.message
    if satisfying:
        return Applied("observed", f"a recorded call of {satisfying[0].unit} satisfies it", tuple(satisfying))
    if failed:
        return Applied("asserted", f"it could not be evaluated on a recorded call of {owner}: {failed}")
    if not complete:
        return Applied("asserted", "the recording was cut before a call that satisfies it")
    return Applied("incompatible", f"no recorded call of {owner} satisfies it: {condition}")


def _bound(call: RecordedCall, signature: FunctionSignature) -> Call:
    try:
        return Call(call, bind(call, signature))
    except RecordError as error:
        return Call(call, {}, error.message)


def _incomplete(value: Value) -> bool:
    """Return whether a value that was cut, or of an opaque type, is anywhere inside."""
    if isinstance(value, list):
        return any(_incomplete(item) for item in value)
    if isinstance(value, dict):
        return value.get("t") in ("opaque", "cut") or _incomplete(value.get("v"))
    return False
