"""The comparison of a recorded observation made again, where the record holds all that it was made from."""

from __future__ import annotations

from auditcoder.records.execution import CheckResult
from auditcoder.records.task import Check, FilesInput, ProgramInput, UnittestInput
from auditcoder.sandbox import settings
from auditcoder.sandbox.compare import Comparison, Observed, compare

_LOST = "\ufffd"
"""Stands in a recorded text where the program wrote bytes that are no UTF-8."""


def rejudge(check: Check, result: CheckResult) -> Comparison | None:
    """Return the comparison of a result that says `pass` or `wrong-answer`, made again from what was observed.

    None where the record does not hold the whole observation: unit tests are judged by their runner, long values and
    outputs are cut, output that is no text is not kept byte for byte.
    """
    observed = _observed(check, result)
    return None if observed is None else compare(check, observed)


def head_of(observed: str) -> str:
    """Return the beginning of a program's observed output that a result keeps as its standard output."""
    return observed[: settings.HEAD]


def _observed(check: Check, result: CheckResult) -> Observed | None:
    if isinstance(check.input, UnittestInput) or not result.has_observed:
        return None
    if isinstance(check.input, ProgramInput):
        text = result.observed
        whole = isinstance(text, str) and len(text) < settings.OBSERVED and _LOST not in text
        return Observed(stdout=_bytes(str(text))) if whole else None
    if isinstance(check.input, FilesInput):
        return _files(result)
    if result.observed == {"t": "cut", "v": "size"}:
        return None
    return Observed(stdout=_bytes(result.stdout), value=result.observed, has_value=True)


def _files(result: CheckResult) -> Observed | None:
    listed = result.observed if isinstance(result.observed, list) else []
    files = [(str(item[0]), str(item[1])) for item in listed if isinstance(item, list) and len(item) == 2]
    texts = [text for _, text in files]
    if len(files) != len(listed) or sum(map(len, texts)) >= settings.OBSERVED or any(_LOST in text for text in texts):
        return None
    return Observed(stdout=_bytes(result.stdout), files=tuple((name, _bytes(text)) for name, text in files))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
