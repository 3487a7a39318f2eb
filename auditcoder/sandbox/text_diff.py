"""Compare texts: by lines, tokens, numbers in tokens, or by the APPS rule."""

from __future__ import annotations

import math
import re
from itertools import zip_longest

from auditcoder.records.task import Comparator

# Possessive throughout: nothing is ever given back, so a token of any length and shape is read once.
_INTEGER = re.compile(r"([+-]?)([0-9]++)(?:\.0*+)?+")
_WHOLE = re.compile(r"[+-]?[0-9]++")
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,9}+)?+|[+-]?(?:inf|infinity|nan)", re.IGNORECASE
)
_WORDS = frozenset({"yes", "no", "true", "false"})
_APPS_TOLERANCE = 1e-12


def text_difference(expected: str, observed: str, comparator: Comparator) -> str:
    """Return the first difference between two texts under the comparator's kind, or '' when they are equal.

    `value` and `file` (the defaults of their places) mean `lines` here.
    """
    kind = comparator.kind
    if kind == "exact":
        return "" if expected == observed else _lines_difference(expected.split("\n"), observed.split("\n"), exact=True)
    if kind == "apps":
        return _apps_difference(expected, observed)
    if comparator.case_blind:
        expected, observed = expected.casefold(), observed.casefold()
    if kind in ("tokens", "floats"):
        return _tokens_difference(expected.split(), observed.split(), comparator if kind == "floats" else None)
    return _plain_lines(expected, observed, unordered=comparator.unordered)


def _plain_lines(expected: str, observed: str, *, unordered: bool) -> str:
    want, got = _lines(expected), _lines(observed)
    if unordered:
        want, got = sorted(want), sorted(got)
    return _lines_difference(want, got)


def _lines(text: str) -> list[str]:
    """Split at line feeds only: other separators are content."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _lines_difference(want: list[str], got: list[str], *, exact: bool = False) -> str:
    for number, (one, other) in enumerate(zip_longest(want, got), start=1):
        if one != other:
            return f"line {number}: expected {_quoted(one, other)}, got {_quoted(other, one)}"
    return "the texts differ" if exact else ""


def _tokens_difference(want: list[str], got: list[str], floats: Comparator | None) -> str:
    for number, (one, other) in enumerate(zip_longest(want, got), start=1):
        if one == other:
            continue
        if one is None or other is None or floats is None or not number_tokens_equal(one, other, floats):
            return f"token {number}: expected {_quoted(one, other)}, got {_quoted(other, one)}"
    return ""


def number_tokens_equal(want: str, got: str, comparator: Comparator) -> bool:
    """Return whether two tokens are equal numbers; an integer is compared by its digits, never through floats."""
    if not _NUMBER.fullmatch(want) or not _NUMBER.fullmatch(got):
        return False
    if _WHOLE.fullmatch(want):
        return _integer_form(want) == _integer_form(got)
    one, other = float(want), float(got)
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=comparator.rel_tol, abs_tol=comparator.abs_tol)


def _integer_form(token: str) -> str | None:
    match = _INTEGER.fullmatch(token)
    if match is None:
        return None
    digits = match[2].lstrip("0")
    return (match[1].strip("+") + digits) if digits else "0"


def _apps_difference(expected: str, observed: str) -> str:
    """Return the difference under the rule of the APPS pack: rule 1 on stripped lines, else rule 2 on tokens."""
    want, got = _stripped(expected), _stripped(observed)
    if want == got:
        return ""
    tokens, others = expected.split(), observed.split()
    if len(tokens) == len(others) and all(map(_apps_tokens_equal, tokens, others)):
        return ""
    return _lines_difference(want, got)


def _stripped(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


def _apps_tokens_equal(want: str, got: str) -> bool:
    if want == got:
        return True
    if want.lower() in _WORDS:
        return want.lower() == got.lower()
    try:
        return abs(float(want) - float(got)) <= _APPS_TOLERANCE
    except ValueError:
        return False


def _quoted(text: str | None, other: str | None) -> str:
    """Return the text quoted and cut; long texts are shown from shortly before the first differing character."""
    if text is None:
        return "nothing"
    if len(text) <= 80:
        return repr(text)
    same = next((i for i, (a, b) in enumerate(zip(text, other or "", strict=False)) if a != b), len(other or ""))
    start = max(0, min(same, len(text)) - 20)
    return f"{'…' if start else ''}{text[start : start + 60]!r}{'…' if start + 60 < len(text) else ''}"
