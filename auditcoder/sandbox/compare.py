"""The judge's comparison, made in the supervisor: what was observed against what a check expects.

The rules are those of `docs/guide/tasks.md`. `apps` is the rule of the judge behind the published APPS results:
equal stripped lines, or token-wise equality with numbers within 1e-12 and yes/no/true/false apart from case.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from auditcoder.records.task import CallsInput, Check, Comparator, ExpectedFile
from auditcoder.records.values import Value
from auditcoder.sandbox.text_diff import number_tokens_equal, text_difference
from auditcoder.sandbox.values_diff import Tolerance, difference
from auditcoder.sandbox.values_view import show, unwrap

_EQUAL = ""


@dataclass(frozen=True)
class Observed:
    """What one run on one check gave: raw standard output, and what the entry kind returns besides."""

    stdout: bytes | None
    value: Value = None
    """function: the encoded result; class: the list of results of the calls."""
    has_value: bool = False
    files: tuple[tuple[str, bytes], ...] = ()
    """script: collected output files."""
    unittest_ok: bool = False


class Comparison(NamedTuple):
    """Whether a check is passed, and the first difference for people and prompts (untrusted text, short)."""

    equal: bool
    message: str


def compare(check: Check, observed: Observed) -> Comparison:
    """Return whether `observed` satisfies the check. Never raises, whatever the program produced.

    An input-only check compares equal: it counts for clean exits only (core.md section 2).
    """
    expected, comparator = check.expected, check.comparator
    if expected.input_only:
        return Comparison(True, "")
    if expected.passes:
        return _result(_EQUAL if observed.unittest_ok else "the unit tests do not all pass")
    if expected.files:
        return _result(_files_difference(expected.files, observed, comparator))
    if expected.stdout is not None:
        return _result(_stdout_difference(expected.stdout, observed.stdout, comparator))
    return _result(_expected_value_difference(check, observed))


def _result(message: str) -> Comparison:
    return Comparison(message == _EQUAL, message)


def _expected_value_difference(check: Check, observed: Observed) -> str:
    """Compare with the expected value, or with each accepted one; the reported difference is that to the first."""
    expected = check.expected.value
    if not check.comparator.any_of:
        return _value_difference(check, expected, observed)
    accepted = unwrap(expected)
    if accepted.kind not in ("list", "tuple") or not isinstance(accepted.body, list) or not accepted.body:
        return "the check's expected value is no list of accepted values"
    found = [_value_difference(check, value, observed) for value in accepted.body]
    if _EQUAL in found:
        return _EQUAL
    return found[0] if len(found) == 1 else f"{found[0]} (none of {len(found)} accepted values fits)"


def _value_difference(check: Check, expected: Value, observed: Observed) -> str:
    comparator = check.comparator
    if not observed.has_value:
        if observed.stdout is not None and check.input.kind in ("program", "files"):
            return _stdout_difference(_as_text(expected), observed.stdout, comparator)
        return "no result was observed"
    want, got = unwrap(expected), unwrap(observed.value)
    if comparator.kind not in ("value", "apps") and isinstance(want.body, str) and isinstance(got.body, str):
        return text_difference(want.body, got.body, comparator)
    if isinstance(check.input, CallsInput):
        return _calls_difference(check.input, expected, observed.value, _tolerance(comparator))
    return difference(expected, observed.value, _tolerance(comparator))


def _calls_difference(calls: CallsInput, expected: Value, observed: Value, tolerance: Tolerance) -> str:
    """Compare call by call, so that the message can name the call."""
    want, got = unwrap(expected).body, unwrap(observed).body
    if not isinstance(want, list) or not isinstance(got, list) or len(want) != len(got) or len(want) > len(calls.calls):
        return difference(expected, observed, tolerance, "results of the calls")
    for index, (call, one, other) in enumerate(zip(calls.calls, want, got, strict=False), start=1):
        found = difference(one, other, tolerance, f"call {index}, {call.method}")
        if found:
            return found
    return _EQUAL


def _as_text(value: Value) -> str:
    return value if isinstance(value, str) else show(value)


def _tolerance(comparator: Comparator) -> Tolerance:
    return Tolerance(comparator.rel_tol, comparator.abs_tol, comparator.bool_is_int, comparator.case_blind)


def _stdout_difference(expected: str, observed: bytes | None, comparator: Comparator) -> str:
    if observed is None:
        return "no output was observed"
    if comparator.kind == "exact":
        return _bytes_difference(expected, observed)
    try:
        text = observed.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"the output is not valid UTF-8 (byte {error.start})"
    return text_difference(expected, text, comparator)


def _bytes_difference(expected: str, observed: bytes) -> str:
    want = expected.encode("utf-8", "surrogatepass")
    if want == observed:
        return _EQUAL
    place = next(
        (i for i, (a, b) in enumerate(zip(want, observed, strict=False)) if a != b), min(len(want), len(observed))
    )
    return f"byte {place}: expected {want[place : place + 20]!r}, got {observed[place : place + 20]!r}"


def _files_difference(expected: tuple[ExpectedFile, ...], observed: Observed, comparator: Comparator) -> str:
    there = dict(observed.files)
    for file in expected:
        if file.name not in there:
            return f"file {file.name}: it was not written"
        found = _file_difference(file, there[file.name], comparator)
        if found:
            return f"file {file.name}: {found}"
    return _EQUAL


def _file_difference(file: ExpectedFile, content: bytes, comparator: Comparator) -> str:
    if file.format == "bytes" or comparator.kind == "exact":
        return _bytes_difference(file.text, content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return f"not valid UTF-8 (byte {error.start})"
    if file.format == "json":
        return _json_difference(file.text, text, _tolerance(comparator))
    if file.format == "csv":
        return _csv_difference(file.text, text, comparator)
    return text_difference(file.text, text, comparator)


def _json_difference(expected: str, observed: str, tolerance: Tolerance) -> str:
    try:
        want = _parse_json(expected)
    except (ValueError, RecursionError) as error:
        return f"the check's expected text is no JSON: {error}"
    try:
        got = _parse_json(observed)
    except (ValueError, RecursionError) as error:
        return f"not valid JSON: {str(error)[:120]}"
    return difference(want, got, tolerance, "content")


def _parse_json(text: str) -> Value:
    """Return JSON text in encoded form, so that objects compare as dicts (the last of repeated keys counts)."""

    def pairs(items: list[tuple[str, Any]]) -> Value:
        return {"t": "dict", "v": [[key, value] for key, value in dict(items).items()]}

    parsed: Value = json.loads(text, object_pairs_hook=pairs)
    return parsed


def _csv_difference(expected: str, observed: str, comparator: Comparator) -> str:
    try:
        want, got = _rows(expected), _rows(observed)
    except csv.Error as error:
        return f"not readable as CSV: {error}"
    for number, (one, other) in enumerate(zip_longest(want, got), start=1):
        if one is None or other is None:
            return f"row {number}: expected {_row(one)}, got {_row(other)}"
        if len(one) != len(other):
            return f"row {number}: expected {len(one)} cells, got {len(other)}"
        for column, (a, b) in enumerate(zip(one, other, strict=True), start=1):
            if not _cells_equal(a, b, comparator):
                return f"row {number}, column {column}: expected {a[:80]!r}, got {b[:80]!r}"
    return _EQUAL


def _rows(text: str) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text, newline="")) if row]


def _row(row: list[str] | None) -> str:
    return "nothing" if row is None else repr(",".join(row)[:80])


def _cells_equal(want: str, got: str, comparator: Comparator) -> bool:
    if want == got or (comparator.case_blind and want.casefold() == got.casefold()):
        return True
    return number_tokens_equal(want.strip(), got.strip(), comparator)
