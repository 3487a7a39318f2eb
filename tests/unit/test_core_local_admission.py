"""Which proposed calls of a step become executable local checks, and what fits an annotation."""

from __future__ import annotations

import pytest

from auditcoder.core.annotations import fits
from auditcoder.core.local_admission import (
    CONFIRMED,
    ProposedCall,
    admit,
    designable,
    local_checks_policy,
    read_call,
    read_value,
    same_value,
)
from auditcoder.core.plan import single_owner_graph
from auditcoder.errors import RecordError
from auditcoder.records.config import RunConfig
from auditcoder.records.graph import Contract, LocalCheck, Node, Predicate, Slot, TaskGraph
from auditcoder.records.task import EntryPoint, FunctionSignature, Parameter, Task
from auditcoder.records.values import Value
from auditcoder.sandbox.predicates import MeteredEvaluator

STEP = Node(
    id="S1",
    parent="S0",
    goal="take the first n items",
    executor="simulation",
    kind="leaf",
    contract=Contract(
        signatures=(
            FunctionSignature(
                name="take",
                parameters=(Parameter(name="items", type="list[int]"), Parameter(name="n", type="int")),
                returns="list[int]",
            ),
        ),
        preconditions=(Predicate(id="pre1", text="n >= 0", slots=("n",), expression="n >= 0"),),
        postconditions=(
            Predicate(id="goal", text="prose"),
            Predicate(id="post1", text="at most n", expression="len(result) <= n"),
            Predicate(id="post2", text="cannot be evaluated", expression="result[99] == 0"),
        ),
    ),
    outputs=(Slot(name="taken"),),
    local_checks=(LocalCheck(id="L1", text="prose"),),
)

READ: dict[str, tuple[str, Value]] = {
    "python": ("(1, None)", {"t": "tuple", "v": [1, None]}),
    "json": ('{"a": [true, null]}', {"t": "dict", "v": [["a", [True, None]]]}),
    "blanks": ("  [1]\n", [1]),
    "infinite": ("1e999", {"t": "float", "v": "inf"}),
    "text": ("'a\\u202e'", "a\u202e"),
}


@pytest.mark.parametrize(("text", "value"), READ.values(), ids=READ.keys())
def test_literals_are_read(text: str, value: Value) -> None:
    assert read_value(text) == value


REFUSED = {
    "empty": "", "name": "items", "call": "f()", "code": "__import__('os')", "comprehension": "[x for x in [1]]",
    "too-long": "[" + "1," * 300 + "]", "unbalanced": "[1", "deep": "(" * 200, "complex": "1j", "unhashable": "{[1]}",
    "null-byte": "[1]\x00", "ellipsis": "...",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read_value(text)


def test_a_call_of_the_signature_that_keeps_the_contract_is_read() -> None:
    call = read_call(STEP, "[[5, 6, 7], 2]", "[5, 6]", MeteredEvaluator())
    assert call == ProposedCall(([5, 6, 7], 2), [5, 6])
    assert call.text(STEP.contract.signatures[0]) == "take([5, 6, 7], 2)"


BAD: dict[str, tuple[str, str, str]] = {
    "not-a-list": ("7", "[5]", "not a list of 2 arguments"),
    "tuple-of-arguments": ("([5], 1)", "[5]", "not a list of 2 arguments"),
    "one-too-few": ("[[5]]", "[5]", "not a list of 2 arguments"),
    "argument-type": ("[['a'], 1]", "[5]", "the argument items is no list[int]"),
    "bool-for-int": ("[[5], True]", "[5]", "the argument n is no int"),
    "result-type": ("[[5], 1]", "5", "the result is no list[int]"),
    "breaks-a-precondition": ("[[5], -1]", "[]", "the call breaks pre1 of the contract: n >= 0"),
    "breaks-a-postcondition": ("[[5, 6], 1]", "[5, 6]", "the call breaks post1 of the contract: at most n"),
}


@pytest.mark.parametrize(("arguments", "result", "reason"), BAD.values(), ids=BAD.keys())
def test_other_calls_are_refused(arguments: str, result: str, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        read_call(STEP, arguments, result, MeteredEvaluator())
    assert caught.value.message == reason


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1], [1], True),
        ([1], [True], False),
        (1, {"t": "float", "v": "1.0"}, False),
        (1, 1.0, False),
        ("a", "b", False),
    ],
)
def test_only_equal_values_of_equal_types_agree(one: Value, other: Value, same: bool) -> None:
    assert same_value(one, other) is same


def test_confirmed_calls_are_executable_and_others_stay_prose() -> None:
    good, bad = ProposedCall(([5], 1), [5]), ProposedCall(([], 0), [])
    node = admit(STEP, [(good, ""), (bad, "a second derivation gave another value")])
    assert node.local_checks == (
        *STEP.local_checks,
        LocalCheck(
            id="L2", text="take([5], 1) gives [5]", args=([5], 1), expected=[5], has_expected=True, derivation=CONFIRMED
        ),
        LocalCheck(
            id="L3", text="take([], 0) gives []", derivation="not executable: a second derivation gave another value"
        ),
    )
    assert node.model_copy(update={"local_checks": STEP.local_checks}) == STEP


def test_steps_of_one_function_are_designed_for_and_the_root_is_not() -> None:
    assert designable(single_owner_graph(Task(id="t", statement="s", entry=EntryPoint(kind="program")))) == ()
    two = STEP.model_copy(update={"id": "S2", "contract": Contract(signatures=STEP.contract.signatures * 2)})
    assert designable(TaskGraph(nodes=(STEP, two), order=("S1", "S2"))) == (STEP,)


@pytest.mark.parametrize(
    ("setting", "weak", "policy"),
    [("auto", True, "none"), ("auto", False, "confirmed"), ("none", False, "none"), ("confirmed", True, "confirmed")],
)
def test_the_policy_of_a_configuration(setting: str, weak: bool, policy: str) -> None:
    assert local_checks_policy(RunConfig.model_validate({"local_checks": setting}), weak=weak) == policy


FITS: dict[str, tuple[object, str, bool]] = {
    "int": (1, "int", True),
    "bool-is-no-int": (True, "int", False),
    "int-is-a-float": (1, "float", True),
    "text-is-no-float": ("1", "float", False),
    "items": ([1, "a"], "list[int]", False),
    "nested": ([[1], []], "list[list[int]]", True),
    "list-is-no-tuple": ([1, 2], "tuple[int, int]", False),
    "pair": ((1, "a"), "tuple[int, str]", True),
    "pair-of-another-length": ((1,), "tuple[int, str]", False),
    "any-length": ((1, 2, 3), "tuple[int, ...]", True),
    "dict": ({"a": [1]}, "dict[str, list[int]]", True),
    "dict-keys": ({1: [1]}, "dict[str, list[int]]", False),
    "set": ({1}, "set[int]", True),
    "union": (None, "int | None", True),
    "not-in-the-union": ("a", "int | None", False),
    "any": (object(), "Any", True),
    "unknown": (1, "Tree", True),
    "unknown-generic": (1, "Sequence[str]", True),
    "no-annotation": (1, "((", True),
    "empty": (1, "", True),
}


@pytest.mark.parametrize(("value", "annotation", "expected"), FITS.values(), ids=FITS.keys())
def test_values_and_annotations(value: object, annotation: str, expected: bool) -> None:
    assert fits(value, annotation) is expected
