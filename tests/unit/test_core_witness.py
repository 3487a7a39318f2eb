"""Which recorded calls a witness condition can be evaluated on, and under which names."""

from __future__ import annotations

import pytest

from auditcoder.core.versions import Active
from auditcoder.core.witness import bind, call_witness, contract_units
from auditcoder.errors import RecordError
from auditcoder.records.code import Assembly, CodeUnit, UnitKind
from auditcoder.records.execution import RecordedCall
from auditcoder.records.graph import Contract, Node, TaskGraph
from auditcoder.records.task import FunctionSignature, Parameter
from auditcoder.records.values import Value, decode

SIGNATURES = tuple(FunctionSignature(name=name, parameters=(Parameter(name="x"),)) for name in ("run", "put"))
Unit = tuple[str, UnitKind, str]


def units_of(*units: Unit) -> list[str]:
    node = Node(id="S0", goal="g", executor="simulation", kind="leaf", contract=Contract(signatures=SIGNATURES))
    made = tuple(CodeUnit(name=n, kind=k, owner=o, text="", digest="") for n, k, o in units)
    assembly = Assembly(program="", digest="", units=made, lines=())
    return sorted(contract_units("S0", Active(TaskGraph(nodes=(node,), order=("S0",)), {}, assembly)))


UNITS: dict[str, tuple[tuple[Unit, ...], list[str]]] = {
    "function": ((("run", "function", "S0"),), ["run"]),
    "method": ((("Box", "class", "S0"), ("Box.put", "method", "S0")), ["Box.put"]),
    "methods-of-two-classes": ((("A.put", "method", "S0"), ("B.put", "method", "S0")), ["A.put", "B.put"]),
    "function-before-method-of-that-name": ((("A.run", "method", "S0"), ("run", "function", "S0")), ["run"]),
    "helper": ((("_help", "function", "S0"),), []),
    "class-of-that-name": ((("run", "class", "S0"),), []),
    "block-of-that-name": ((("run", "block", "S0"),), []),
    "unit-of-another-node": ((("run", "function", "S1"),), []),
}


@pytest.mark.parametrize(("units", "expected"), UNITS.values(), ids=UNITS.keys())
def test_contract_units(units: tuple[Unit, ...], expected: list[str]) -> None:
    assert units_of(*units) == expected


TWO = FunctionSignature(name="f", parameters=(Parameter(name="a"), Parameter(name="b")))
BOUND: dict[str, tuple[tuple[Value, ...], dict[str, object]]] = {
    "all": ((1, [2]), {"a": 1, "b": [2]}),
    "default-left-out": ((1,), {"a": 1}),
    "more-than-the-contract-names": ((1, 2, 3), {"a": 1, "b": 2}),
    "tagged": (({"t": "dict", "v": [[1, {"t": "float", "v": "inf"}]]},), {"a": {1: float("inf")}}),
}


@pytest.mark.parametrize(("args", "expected"), BOUND.values(), ids=BOUND.keys())
def test_arguments_are_bound_to_the_contracts_names(args: tuple[Value, ...], expected: dict[str, object]) -> None:
    assert bind(RecordedCall(unit="f", args=args), TWO) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"t": "opaque", "v": "m.C"},
        [{"t": "cut", "v": ""}],
        {"t": "dict", "v": [[1, {"t": "opaque", "v": ""}]]},
        {"t": "?"},
    ],
)
def test_a_value_that_was_not_carried_over_is_never_evaluated(value: Value) -> None:
    with pytest.raises(RecordError):
        bind(RecordedCall(unit="f", args=(value,)), TWO)


def test_call_witness_tells_results_and_exceptions_apart() -> None:
    returned = RecordedCall(unit="f", args=([1],), result=2)
    assert decode(call_witness(returned)) == {"unit": "f", "args": [[1]], "result": 2}
    raised = returned.model_copy(update={"exception": "ValueError", "result": None})
    assert decode(call_witness(raised)) == {"unit": "f", "args": [[1]], "exception": "ValueError"}
