"""The examples of a task file as checks, with what they tell about signatures."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from auditcoder.errors import RecordError
from auditcoder.records.base import Record
from auditcoder.records.task import (
    CallsInput,
    Check,
    CheckInput,
    Comparator,
    EntryKind,
    Expected,
    ExpectedFile,
    FilesInput,
    FunctionInput,
    MethodCall,
    ProgramInput,
    TextFile,
    UnittestInput,
)
from auditcoder.records.values import Value, encode
from auditcoder.tasks import format as form
from auditcoder.tasks.literals import call, literal, source_complaint
from auditcoder.tasks.section import Place, Section

R = TypeVar("R", bound=Record)
MAX_FILE = 4 * 2**20
_FILE_NAME = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")
_DEFAULT_KIND = {"program": "lines", "function": "value", "class": "value", "script": "file"}
_FORMATS = {".csv": "csv", ".json": "json"}
_FLOATS_TOLERANCE = {"rel_tol": 1e-6, "abs_tol": 1e-6}


class Seen(NamedTuple):
    """One call that an example shows: callable's name ('' for the function itself), arguments, result."""

    name: str
    args: tuple[Any, ...]
    result: Any


class Example(NamedTuple):
    """A check, the calls that it shows, and where it was read."""

    check: Check
    seen: tuple[Seen, ...]
    place: Place


class Context(NamedTuple):
    """What all examples of a file share."""

    folder: Path
    kind: EntryKind
    compare: object
    """Field `compare` of the file, None when it is left out."""
    files: tuple[TextFile, ...]


def read_examples(top: Section, context: Context) -> tuple[Example, ...]:
    """Return the examples of a task file.

    Raises:
        TaskError: one of them is malformed, or two have the same id.
    """
    sections = top.sections("examples", form.EXAMPLES[context.kind])
    examples = tuple(_example(section, index, context) for index, section in enumerate(sections, start=1))
    ids = [example.check.id for example in examples]
    for index, example in enumerate(examples):
        if example.check.id in ids[:index]:
            raise example.place.at("id").error(f"expected an id of its own, {example.check.id!r} is taken")
    return examples


def build(record: type[R], place: Place, *, strict: bool = False, **fields: Any) -> R:
    """Return the record made of fields that came from a file.

    Raises:
        TaskError: the record refuses a value.
    """
    try:
        return record.model_validate(fields, strict=strict)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise (place.at(name) if name else place).error(first["msg"]) from error


def _example(section: Section, index: int, context: Context) -> Example:
    given, expected, seen = _READERS[context.kind](section, context)
    own = section.table["compare"] if "compare" in section else context.compare
    any_of = bool(section.given("stdout_any", "expected_any", "expected_any_py"))
    comparator = _comparator(own, section.place.at("compare"), context.kind, any_of=any_of)
    name = section.text("id") or f"example-{index}"
    check = build(Check, section.place, id=name, input=given, expected=expected, comparator=comparator)
    return Example(check, seen, section.place)


def _comparator(given: object, place: Place, kind: EntryKind, *, any_of: bool) -> Comparator:
    options: dict[str, Any] = {"kind": _DEFAULT_KIND[kind]}
    if isinstance(given, str):
        options["kind"] = given
    elif isinstance(given, dict):
        options.update(Section(place, given, form.COMPARE).table)
    elif given is not None:
        raise place.error(f"expected one of {', '.join(form.COMPARE_KINDS)}, or a table")
    if options["kind"] not in form.COMPARE_KINDS:
        raise place.error(f"expected one of {', '.join(form.COMPARE_KINDS)}, got {ascii(options['kind'])[:40]}")
    if options["kind"] == "floats":
        options = {**_FLOATS_TOLERANCE, **options}
    return build(Comparator, place, strict=True, **options, any_of=any_of)


class _Read(NamedTuple):
    given: CheckInput
    expected: Expected
    seen: tuple[Seen, ...] = ()


def _program(section: Section, _context: Context) -> _Read:
    stdin = ProgramInput(stdin=section.text("stdin") or "")
    if not section.given("stdout", "stdout_any"):
        raise section.place.error("expected stdout (or stdout_any)")
    accepted: list[Value] = [*section.texts("stdout_any")]
    if "stdout_any" in section:
        if not accepted:
            raise section.place.at("stdout_any").error("expected at least one accepted output")
        return _Read(stdin, Expected(value=accepted, has_value=True))
    return _Read(stdin, Expected(stdout=section.text("stdout")))


def _function(section: Section, _context: Context) -> _Read:
    name, args = _arguments(section)
    chosen = section.given("expected", "expected_py", "expected_any", "expected_any_py")
    if not chosen:
        raise section.place.error("expected one of expected, expected_py, expected_any, expected_any_py")
    result = _value(section, chosen)
    if chosen.startswith("expected_any") and (not isinstance(result, list) or not result):
        raise section.place.at(chosen).error("expected a list of accepted results, not empty")
    seen = Seen(name, args, result[0] if chosen.startswith("expected_any") else result)
    given = FunctionInput(args=_encoded(args, section.place))
    return _Read(given, Expected(value=_one(result, section.place.at(chosen)), has_value=True), (seen,))


def _class(section: Section, _context: Context) -> _Read:
    chosen = section.given("calls", "unittest")
    if chosen == "unittest":
        if section.given("init", "init_py"):
            raise section.place.at("init").error("expected no init beside unittest: the test cases construct the class")
        source = section.text("unittest") or ""
        _check_source(source, section.place.at("unittest"))
        return _Read(UnittestInput(source=source), Expected(passes=True))
    if not chosen:
        raise section.place.error("expected calls (or unittest)")
    init = _list_of(section, section.given("init", "init_py"))
    calls: list[MethodCall] = []
    results: list[Value] = []
    seen = [Seen("__init__", init, None)]
    for inner in section.sections("calls", form.CALL):
        name, args = _arguments(inner)
        name = name or inner.text("method") or ""
        if not name.isidentifier():
            raise inner.place.at("method").error("expected the name of a method")
        wanted = inner.given("expected", "expected_py")
        result = _value(inner, wanted) if wanted else None
        calls.append(MethodCall(method=name, args=_encoded(args, inner.place)))
        results.append(_one(result, inner.place))
        seen.append(Seen(name, args, result))
    given = CallsInput(init=_encoded(init, section.place), calls=tuple(calls))
    return _Read(given, Expected(value=results, has_value=True), tuple(seen))


def _script(section: Section, context: Context) -> _Read:
    own = read_files(section, "files", context.folder)
    names = {file.name for file in own}
    files = (*(file for file in context.files if file.name not in names), *own)
    outputs = section.mapping("outputs")
    if not outputs:
        raise section.place.at("outputs").error("expected a table of the files that must be written")
    expected = tuple(_output(name, value, section.place.at("outputs"), context) for name, value in outputs.items())
    stdin = section.text("stdin") or ""
    return _Read(FilesInput(files=files, argv=section.texts("argv"), stdin=stdin), Expected(files=expected))


_READERS = {"program": _program, "function": _function, "class": _class, "script": _script}


def _output(name: str, value: object, place: Place, context: Context) -> ExpectedFile:
    text = _file_text(name, value, place, context.folder)
    given = value.get("format") if isinstance(value, dict) else None
    form_ = given if given is not None else _FORMATS.get(PurePosixPath(name).suffix.lower(), "text")
    if form_ not in form.FILE_FORMATS:
        raise place.at(name).error(f"expected the format to be one of {', '.join(form.FILE_FORMATS)}")
    return build(ExpectedFile, place.at(name), name=name, text=text, format=form_)


def read_files(section: Section, field: str, folder: Path) -> tuple[TextFile, ...]:
    """Return the input files of a table `{name = text, name = {path = ...}}`, in the order of the table."""
    table = section.mapping(field) or {}
    place = section.place.at(field)
    return tuple(TextFile(name=name, text=_file_text(name, value, place, folder)) for name, value in table.items())


def check_file_name(name: str, place: Place) -> None:
    """Raise unless a file name is plain, relative and without `..`.

    Raises:
        TaskError: it is not.
    """
    if not _FILE_NAME.fullmatch(name) or any(part in (".", "..") for part in name.split("/")):
        raise place.error(f"expected a relative file name of letters, digits, . _ - and /, got {ascii(name)[:60]}")


def _file_text(name: str, value: object, place: Place, folder: Path) -> str:
    check_file_name(name, place.at(name))
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise place.at(name).error("expected the text of the file, or a table with path")
    section = Section(place.at(name), value, form.FILE)
    path = section.text("path")
    if section.given("text", "path") == "":
        raise section.place.error("expected text or path")
    if path is None:
        return section.text("text") or ""
    check_file_name(path, section.place.at("path"))
    return _beside(folder, path, section.place.at("path"))


def _beside(folder: Path, path: str, place: Place) -> str:
    target = folder / path
    try:
        if not target.resolve().is_relative_to(folder.resolve()):
            raise place.error("expected a file inside the task file's folder")
        if target.exists() and not target.is_file():
            raise place.error("expected a regular file")
        if target.stat().st_size > MAX_FILE:
            raise place.error(f"expected a file of at most {MAX_FILE} bytes")
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise place.error(f"expected a text in UTF-8 (byte {error.start} is not)") from error
    except OSError as error:
        raise place.error(f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a name with a NUL character
        raise place.error(f"cannot be read: {error}") from error


def _arguments(section: Section) -> tuple[str, tuple[Any, ...]]:
    """Return the called name ('' when only arguments are given) and the arguments."""
    chosen = section.given("call", "args", "args_py")
    if chosen != "call":
        return "", _list_of(section, chosen)
    if "method" in section:
        raise section.place.at("method").error("expected only one of call, method")
    try:
        return call(section.text("call") or "")
    except ValueError as error:
        raise section.place.at("call").error(str(error)) from error


def _list_of(section: Section, chosen: str) -> tuple[Any, ...]:
    if not chosen:
        return ()
    value = _value(section, chosen)
    if not isinstance(value, list | tuple):
        raise section.place.at(chosen).error("expected a list of arguments")
    return tuple(value)


def _value(section: Section, chosen: str) -> Any:
    """Return a TOML or JSON value as it is, or the Python literal in a field that ends in `_py`."""
    if not chosen.endswith("_py"):
        return section.table[chosen]
    try:
        return literal(section.text(chosen) or "")
    except ValueError as error:
        raise section.place.at(chosen).error(f"expected a Python literal: {error}") from error


def _one(value: Any, place: Place) -> Value:
    try:
        return encode(value)
    except RecordError as error:
        raise place.error(error.message, hint="Use a string, or a Python literal in a field ending in _py.") from error


def _encoded(values: tuple[Any, ...], place: Place) -> tuple[Value, ...]:
    return tuple(_one(value, place) for value in values)


def _check_source(source: str, place: Place) -> None:
    complaint = source_complaint(source)
    if complaint:
        raise place.error(complaint)
    if "TestCase" not in source:
        raise place.error("expected Python source of unittest.TestCase classes, there is none")
