"""The metered predicate evaluator: deterministic budgets, built-in values only, no clock.

This is in-process evaluation of small expressions that a model wrote. It is safe against the hostile list of
`tests/unit/test_predicates_hostile.py` because of three layers: the syntax policy, values copied to exact built-in
types, and a budget that every operation pays from before it works. It is no place for programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import GeneratorType
from typing import Any

from auditcoder.errors import PredicateError
from auditcoder.sandbox.predicate_builtins import builtins_of
from auditcoder.sandbox.predicate_meter import Meter
from auditcoder.sandbox.predicate_ops import Operators
from auditcoder.sandbox.predicate_policy import BUILTINS, check_expression, compile_predicate

__all__ = ["BUILTINS", "MeteredEvaluator", "check_expression"]

_FAILURES = (
    TypeError, ValueError, ArithmeticError, LookupError, NameError, AttributeError, RuntimeError, MemoryError,
)  # fmt: skip


class MeteredEvaluator:
    """A `PredicateEvaluator`: the same expression and values give the same answer or the same kind of error.

    Args:
        steps: Budget of one evaluation; about 0.1 to 1 microsecond each.
    """

    def __init__(self, *, steps: int = 300_000) -> None:
        self.steps = steps

    def holds(self, expression: str, values: Mapping[str, Any]) -> bool:
        """Return the truth of an expression over plain Python values; only the values it names are looked at.

        Raises:
            PredicateError: field `reason` is `refused` (policy), `budget`, or `failed` (it raised, or read a value
                whose content was not recorded).
        """
        compiled = compile_predicate(expression)
        meter = Meter(self.steps)
        functions = builtins_of(meter)
        names: dict[str, Any] = {}
        for name in sorted(compiled.names):
            if name in values:
                names[name] = meter.copy(values[name])
            elif name not in functions:
                raise PredicateError(f"the name {name!r} has no value", reason="failed")
        scope = {"__builtins__": functions, **Operators(meter).hooks(), **names}
        try:
            answer = eval(compiled.code, scope)  # compiled under the policy above, over metered hooks only
        except _FAILURES as error:
            raise PredicateError(f"{type(error).__name__}: {str(error)[:160]}", reason="failed") from error
        if callable(answer) or isinstance(answer, GeneratorType):
            raise PredicateError("the expression gives a function or a generator, not a truth value", reason="failed")
        return bool(answer)
