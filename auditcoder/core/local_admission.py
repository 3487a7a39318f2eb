"""Which proposed calls of a step become executable local checks (core.md sections 2 and 3).

The rule is that of boundary checks: a wrong expected value turns right code into a repair target. So a proposed call is
admitted only when its values can be read, fit the signature and the contract's own executable predicates, and a second,
differently posed call predicts the same result. Everything here is untrusted text until then.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from auditcoder.core.annotations import fits
from auditcoder.core.contracts import RESULT, executable
from auditcoder.core.protocols import PredicateEvaluator
from auditcoder.errors import PredicateError, RecordError
from auditcoder.records.base import canonical_json
from auditcoder.records.config import RunConfig
from auditcoder.records.graph import ROOT, LocalCheck, Node, Predicate, TaskGraph
from auditcoder.records.task import FunctionSignature
from auditcoder.records.values import Value, decode, encode, render

LONGEST = 400
"""Characters of a proposed text: a check of one step is a small call."""
CALLS = 2
"""Proposed calls of one step that are looked at."""
CONFIRMED = "proposed with the plan, confirmed by a second derivation from the goal alone"


class ProposedCall(NamedTuple):
    """A call of a step's function as it was proposed, read and not yet confirmed."""

    args: tuple[Value, ...]
    expected: Value

    def text(self, signature: FunctionSignature) -> str:
        """Return the call as Python."""
        return f"{signature.name}({', '.join(render(arg) for arg in self.args)})"


def local_checks_policy(config: RunConfig, *, weak: bool) -> Literal["none", "confirmed"]:
    """Return the admission policy that a configuration means for a weak or a strong backbone."""
    if config.local_checks != "auto":
        return config.local_checks
    return "none" if weak else "confirmed"


def designable(graph: TaskGraph) -> tuple[Node, ...]:
    """Return the leaves that local checks are designed for: single functions other than the entry, in leaf order."""
    leaves = [graph.node(name) for name in graph.order if name != ROOT]
    return tuple(leaf for leaf in leaves if len(leaf.contract.signatures) == 1)


def read_value(text: str) -> Value:
    """Return the encoded value of a Python or JSON literal.

    Raises:
        RecordError: it is too long, no literal, or of a type that cannot be recorded.
    """
    if len(text) > LONGEST:
        raise RecordError(f"a value of more than {LONGEST} characters")
    try:
        value = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        value = _json(text)
    try:
        encoded = encode(value)
        canonical_json(encoded)
    except (ValueError, RecursionError) as error:
        raise RecordError("a value that cannot be recorded") from error
    return encoded


def read_call(node: Node, arguments: str, result: str, evaluator: PredicateEvaluator) -> ProposedCall:
    """Return the call that two proposed texts mean: a list of arguments, and the result.

    Raises:
        RecordError: why it is refused.
    """
    signature = node.contract.signatures[0]
    args, expected = read_value(arguments), read_value(result)
    if not isinstance(args, list) or len(args) != len(signature.parameters):
        raise RecordError(f"not a list of {len(signature.parameters)} arguments")
    values = {p.name: decode(arg) for p, arg in zip(signature.parameters, args, strict=True)}
    for parameter in signature.parameters:
        if not fits(values[parameter.name], parameter.type):
            raise RecordError(f"the argument {parameter.name} is no {parameter.type}")
    if not fits(decode(expected), signature.returns):
        raise RecordError(f"the result is no {signature.returns}")
    broken = _broken(node, values, decode(expected), evaluator)
    if broken is not None:
        raise RecordError(f"the call breaks {broken.id} of the contract: {broken.text}")
    return ProposedCall(tuple(args), expected)


def same_value(one: Value, other: Value) -> bool:
    """Return whether two encoded values are the same, types included: True is not 1, and 1 is not 1.0."""
    return canonical_json(one) == canonical_json(other)


def admit(node: Node, proposed: Sequence[tuple[ProposedCall, str]]) -> Node:
    """Return the node with local checks added for its proposed calls.

    Args:
        node: The node, with its earlier local checks.
        proposed: Each call with why it is not confirmed; an empty text when it is. One that is not stays as prose.
    """
    signature, first = node.contract.signatures[0], len(node.local_checks) + 1
    added = [_local(f"L{first + n}", signature, call, why) for n, (call, why) in enumerate(proposed)]
    return node.model_copy(update={"local_checks": (*node.local_checks, *added)})


def _local(check_id: str, signature: FunctionSignature, call: ProposedCall, why: str) -> LocalCheck:
    text = f"{call.text(signature)} gives {render(call.expected)}"
    if why:
        return LocalCheck(id=check_id, text=text, derivation=f"not executable: {why}")
    return LocalCheck(
        id=check_id, text=text, args=call.args, expected=call.expected, has_expected=True, derivation=CONFIRMED
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError, MemoryError) as error:
        raise RecordError("not a literal value") from error


def _broken(node: Node, values: Mapping[str, Any], result: Any, evaluator: PredicateEvaluator) -> Predicate | None:
    """Return the first executable predicate that the call breaks; one that cannot be evaluated says nothing."""
    contract = node.contract
    after = {**values, RESULT: result}
    rows = [(predicate, values) for predicate in executable(contract.preconditions)]
    rows += [(predicate, after) for predicate in executable((*contract.postconditions, *contract.invariants))]
    for predicate, known in rows:
        try:
            if not evaluator.holds(predicate.expression, known):
                return predicate
        except PredicateError:
            continue
    return None
