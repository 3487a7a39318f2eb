"""The entry point of a task file: what is stated, and what its examples tell about the rest."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

from auditcoder.records.task import EntryKind, EntryPoint, FunctionSignature
from auditcoder.tasks import format as form
from auditcoder.tasks.examples import Example, check_file_name
from auditcoder.tasks.section import Place, Section
from auditcoder.tasks.signatures import Parsed, completed, inferred, parse_signature

_CLUES: tuple[tuple[EntryKind, frozenset[str]], ...] = (
    ("script", frozenset({"outputs", "argv"})),
    ("class", frozenset({"calls", "unittest", "init", "init_py"})),
    ("function", frozenset({"args", "args_py", "call", "expected", "expected_py", "expected_any", "expected_any_py"})),
)
_ENTRY_CLUES: tuple[tuple[str, EntryKind], ...] = (
    ("signature", "function"),
    ("methods", "class"),
    ("outputs", "script"),
)


def entry_kind(top: Section, entry: Section) -> EntryKind:
    """Return the stated kind, else the one that the entry's fields or the first example's fields imply."""
    stated = entry.text("kind")
    known: dict[str, EntryKind] = {kind: kind for kind in form.ENTRY_KINDS}
    if stated is not None:
        if stated not in known:
            expected = f"expected one of {', '.join(known)}, got {ascii(stated)[:40]}"
            raise entry.place.at("kind").error(expected)
        return known[stated]
    for name, implied in _ENTRY_CLUES:
        if name in entry:
            return implied
    first = next(iter(top.items("examples") or []), None)
    names = set(first) if isinstance(first, dict) else set()
    for kind, clues in _CLUES:
        if names & clues:
            return kind
    return "program"


def read_entry(entry: Section, kind: EntryKind, examples: Sequence[Example]) -> EntryPoint:
    """Return the entry point, its signatures completed from the examples.

    Raises:
        TaskError: a name is missing or wrong, a signature is malformed, or an example does not fit it.
    """
    _only(entry, kind)
    if kind == "function":
        return _function(entry, examples)
    if kind == "class":
        return _class(entry, examples)
    if kind == "script":
        return _script(entry, examples)
    return EntryPoint(kind="program")


def _only(entry: Section, kind: EntryKind) -> None:
    """Refuse fields that mean nothing for this kind."""
    meant = {"function": {"name", "signature"}, "class": {"name", "methods"}, "script": {"outputs"}}.get(kind, set())
    for name in entry.table:
        if name not in meant | {"kind"}:
            raise entry.place.at(name).error(f"this field means nothing for a {kind}")


def _function(entry: Section, examples: Sequence[Example]) -> EntryPoint:
    parsed = _signature(entry.text("signature"), entry.place.at("signature"))
    shown = next((seen.name for example in examples for seen in example.seen if seen.name), "")
    name = entry.text("name") or (parsed.signature.name if parsed else shown)
    _check_name(name, entry.place.at("name"), "function")
    if parsed and parsed.signature.name != name:
        raise entry.place.at("name").error(f"expected {parsed.signature.name!r}, as in the signature")
    for example in examples:
        if example.seen[0].name not in ("", name):
            raise example.place.at("call").error(f"expected a call of {name!r}")
        _check_count(parsed, example.seen[0].args, example.place)
    calls, results = _columns(examples, ("", name))
    signature = completed(parsed.signature, calls, results) if parsed else inferred(name, calls, results)
    return EntryPoint(kind="function", name=name, signature=signature)


def _class(entry: Section, examples: Sequence[Example]) -> EntryPoint:
    name = entry.text("name") or ""
    _check_name(name, entry.place.at("name"), "class")
    stated: dict[str, Parsed] = {}
    for index, text in enumerate(entry.texts("methods"), start=1):
        parsed = _signature(text, Place(entry.place.file, f"{entry.place.at('methods').field}[{index}]"))
        if parsed:
            stated[parsed.signature.name] = parsed
    shown = dict.fromkeys(seen.name for example in examples for seen in example.seen)
    for example in examples:
        for seen in example.seen:
            if stated and seen.name != "__init__" and seen.name not in stated:
                raise example.place.at("calls").error(f"the method {seen.name!r} is not among entry.methods")
            _check_count(stated.get(seen.name), seen.args, example.place)
    methods = [_method(method, stated.get(method), examples) for method in {**stated, **shown}]
    first = [m for m in methods if m.name == "__init__" and m.parameters]
    rest = [m for m in methods if m.name != "__init__"]
    return EntryPoint(kind="class", name=name, methods=(*first, *rest))


def _method(name: str, stated: Parsed | None, examples: Sequence[Example]) -> FunctionSignature:
    calls, results = _columns(examples, (name,))
    return completed(stated.signature, calls, results) if stated else inferred(name, calls, results)


def _script(entry: Section, examples: Sequence[Example]) -> EntryPoint:
    stated = entry.texts("outputs")
    for name in stated:
        check_file_name(name, entry.place.at("outputs"))
    written = dict.fromkeys(file.name for example in examples for file in example.check.expected.files)
    for example in examples:
        for file in example.check.expected.files:
            if stated and file.name not in stated:
                raise example.place.at("outputs").error(f"the file {file.name!r} is not among entry.outputs")
    return EntryPoint(kind="script", outputs=stated or tuple(written))


def _columns(examples: Sequence[Example], names: tuple[str, ...]) -> tuple[list[tuple[Any, ...]], list[Any]]:
    seen = [call for example in examples for call in example.seen if call.name in names]
    return [call.args for call in seen], [call.result for call in seen]


def _signature(text: str | None, place: Place) -> Parsed | None:
    if text is None:
        return None
    try:
        return parse_signature(text)
    except ValueError as error:
        raise place.error(str(error)) from error


def _check_name(name: str, place: Place, what: str) -> None:
    if not name:
        raise place.error(f"expected the name of the {what}")
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise place.error(f"expected a Python name in ASCII, got {ascii(name)[:40]}")


def _check_count(parsed: Parsed | None, args: tuple[Any, ...], place: Place) -> None:
    if parsed is None:
        return
    most = len(parsed.signature.parameters)
    if not parsed.required <= len(args) <= most:
        wanted = str(most) if parsed.required == most else f"{parsed.required} to {most}"
        raise place.error(f"expected {wanted} arguments for {parsed.signature.name}, got {len(args)}")
