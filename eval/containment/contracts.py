"""Contracts that nobody wrote for the study: from the signature, the docstring's types and the docstring's text.

Only what can be read off mechanically becomes executable: the type of a parameter (a precondition) and of the result
(a postcondition). The text of the docstring is a postcondition in prose. A docstring can be wrong, so what the checks
that pass contradict is dropped later (`evidence.py`).
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from auditcoder.records.graph import Contract, Predicate
from auditcoder.records.task import FunctionSignature, Parameter

_TYPES = {
    "int": "int",
    "integer": "int",
    "float": "(int, float)",
    "number": "(int, float)",
    "str": "str",
    "string": "str",
    "bool": "bool",
    "boolean": "bool",
    "list": "list",
    "dict": "dict",
    "dictionary": "dict",
    "tuple": "tuple",
    "set": "set",
}
"""What may be written for a type, and what `isinstance` takes for it."""
_FIELD = re.compile(r"^\s*:(?P<kind>param|return|returns)\s*(?P<name>\w+)?\s*:(?P<text>.*)$")


class DocTypes(NamedTuple):
    """The types that a docstring gives, as type expressions for `isinstance`."""

    parameters: dict[str, str]
    result: str


def contract_of(function: ast.FunctionDef, doc: str) -> Contract:
    """Return the contract of one function or method; `self` is no parameter of it."""
    signature = signature_of(function)
    types = doc_types(doc)
    preconditions = [_precondition(parameter, types) for parameter in signature.parameters]
    result = type_expression(signature.returns) or types.result
    postconditions = [Predicate(id="result-type", text="The result has its type.", slots=("result",),
                                expression=f"isinstance(result, {result})")] if result else []  # fmt: skip
    prose = Predicate(id="documented", text=doc.strip() or "It does what its name says.", slots=("result",))
    return Contract(
        signatures=(signature,),
        preconditions=tuple(predicate for predicate in preconditions if predicate is not None),
        postconditions=(*postconditions, prose),
    )


def signature_of(function: ast.FunctionDef) -> FunctionSignature:
    """Return name, positional parameters without `self` or `cls`, and return type."""
    static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in function.decorator_list)
    named = [*function.args.posonlyargs, *function.args.args]
    if named and named[0].arg in ("self", "cls") and not static:
        named = named[1:]
    parameters = tuple(Parameter(name=arg.arg, type=_written(arg.annotation)) for arg in named)
    return FunctionSignature(name=function.name, parameters=parameters, returns=_written(function.returns))


def doc_types(doc: str) -> DocTypes:
    """Return the types of `:param name: type` and `:return: type` lines.

    A type counts when it is the first word behind the colon, followed by the end, a comma or a full stop, or by
    `of`; where the line goes on with `or`, nothing is known.
    """
    parameters: dict[str, str] = {}
    result = ""
    for line in doc.splitlines():
        found = _FIELD.match(line)
        if found is None:
            continue
        known = _first_type(found["text"])
        if found["kind"] == "param" and found["name"] and known:
            parameters[found["name"]] = known
        elif found["kind"] != "param" and known:
            result = known
    return DocTypes(parameters, result)


def type_expression(annotation: str) -> str:
    """Return what `isinstance` takes for an annotation, or an empty text where that is not plain."""
    bare = annotation.strip().removeprefix("typing.").partition("[")[0].lower()
    return "" if "|" in annotation else _TYPES.get(bare, "")


def _first_type(text: str) -> str:
    found = re.match(r"\s*(?P<word>[A-Za-z]+)\s*(?P<rest>of\b.*|[,.;].*|)$", text)
    if found is None or re.search(r"\b(or|None)\b", text):
        return ""
    return _TYPES.get(found["word"].lower(), "")


def _precondition(parameter: Parameter, types: DocTypes) -> Predicate | None:
    wanted = type_expression(parameter.type) or types.parameters.get(parameter.name, "")
    if not wanted:
        return None
    return Predicate(
        id=f"{parameter.name}-type",
        text=f"{parameter.name} has its type.",
        slots=(parameter.name,),
        expression=f"isinstance({parameter.name}, {wanted})",
    )


def _written(annotation: ast.expr | None) -> str:
    if annotation is None:
        return "Any"
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return ast.unparse(annotation)
