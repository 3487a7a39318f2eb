"""From what was seen of a child to the verdict on each of its checks; the first rule that applies decides.

Order: output-limit, timeout, memory, runtime-error, then the comparison. `harness-error` is decided by the
executor and `policy-reject` before any run.
"""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Sequence
from typing import NamedTuple

from auditcoder.records.execution import CheckResult, Frame, Outcome
from auditcoder.records.task import Check, FilesInput, Limits, UnittestInput
from auditcoder.records.values import Value
from auditcoder.sandbox import settings
from auditcoder.sandbox.child_run import ChildRun
from auditcoder.sandbox.clock import Reading
from auditcoder.sandbox.compare import Observed, compare
from auditcoder.sandbox.promised_tests import count_tests, promised_tests
from auditcoder.sandbox.records import Fault, Item, RecordStream, Tests

_NEAR_LIMIT = 0.95
_BROKEN_RUNNER = 124


class Ruling(NamedTuple):
    """An outcome with its sub-kind, before it is put on a check."""

    outcome: Outcome
    detail: str
    message: str = ""
    frames: tuple[Frame, ...] = ()


_STOPS: dict[str, Ruling] = {
    "stdout": Ruling("output-limit", "stdout", "the standard output is over the limit"),
    "result": Ruling("output-limit", "result", "the result is over the limit"),
    "cpu": Ruling("timeout", "cpu", "the CPU time is over the limit"),
    "idle": Ruling("timeout", "idle", "it waited longer than the time limit"),
}


def of_fault(fault: Fault) -> Ruling:
    """Return the ruling on an uncaught exception."""
    outcome: Outcome = "runtime-error"
    detail = fault.type
    if fault.errno in (errno.EFBIG, errno.ENOSPC):
        outcome, detail = "output-limit", "file" if fault.errno == errno.EFBIG else "quota"
    elif fault.memory:
        outcome = "memory"
    return Ruling(outcome, detail, fault.message, fault.frames)


def of_end(run: ChildRun, records: RecordStream, limits: Limits) -> Ruling | None:
    """Return the ruling on how a child ended; None when it ended as it should."""
    if run.stop in _STOPS:
        return _STOPS[run.stop]
    if run.stop == "protocol":
        return Ruling("runtime-error", "protocol", records.broken)
    if os.WIFSIGNALED(run.status):
        return _of_signal(os.WTERMSIG(run.status), run, limits)
    code = os.WEXITSTATUS(run.status)
    if records.fault is not None:
        return of_fault(records.fault)
    if code == _BROKEN_RUNNER and records.state != "end":
        return Ruling("runtime-error", "no-end", "the program ended the run by force")
    if code:
        return Ruling("runtime-error", f"exit {code}", f"exit status {code}")
    if records.state != "end":
        return Ruling("runtime-error", "no-end", "the process ended before the run did")
    return None


def _of_signal(number: int, run: ChildRun, limits: Limits) -> Ruling:
    if number == signal.SIGXFSZ:
        return Ruling("output-limit", "file", "a file is over the limit")
    if number == signal.SIGXCPU or (number == signal.SIGKILL and run.cpu >= limits.cpu_seconds):
        return _STOPS["cpu"]
    if number == signal.SIGKILL and run.peak_mb >= _NEAR_LIMIT * limits.memory_mb:
        return Ruling("memory", "killed", "killed near the memory limit")
    return Ruling("runtime-error", f"signal {number}", f"ended by signal {number}")


def of_program(check: Check, run: ChildRun, records: RecordStream, limits: Limits) -> CheckResult:
    """Return the verdict on a program or script check."""
    ruling = of_end(run, records, limits)
    text = run.stdout.decode("utf-8", "replace")
    observed: Value = text[: settings.OBSERVED]
    cut = len(text) > settings.OBSERVED
    if isinstance(check.input, FilesInput):
        if ruling is None and run.file_over:
            ruling = Ruling("output-limit", "file", "an output file is over the limit")
        observed, cut = _files_observed(run)
    if ruling is None:
        ruling = _compared(check, Observed(stdout=run.stdout, files=run.files))
    base = _result(check, run, ruling)
    return base.model_copy(
        update={"observed": observed, "has_observed": True, "truncated": base.truncated or cut or run.stop == "stdout"}
    )


def _files_observed(run: ChildRun) -> tuple[Value, bool]:
    budget = settings.OBSERVED
    listed: list[Value] = []
    for name, data in run.files:
        text = data.decode("utf-8", "replace")
        listed.append([name, text[: max(0, budget)]])
        budget -= len(text)
    return listed, budget < 0


def of_tests(check: Check, run: ChildRun, records: RecordStream, limits: Limits) -> CheckResult:
    """Return the verdict on a unittest check."""
    ruling = of_end(run, records, limits)
    if records.load_fault is not None and run.stop == "":
        ruling = of_fault(records.load_fault)
    elif ruling is None and records.tests is not None and isinstance(check.input, UnittestInput):
        ruling = _of_test_run(records.tests, check, check.input.source)
    return _result(check, run, ruling or Ruling("runtime-error", "no-end"))


def _of_test_run(tests: Tests, check: Check, source: str) -> Ruling:
    """The first bad test decides; names are checked against the source, as tests can be made to vanish."""
    if tests.bad and tests.fault is not None and not tests.failed:
        ruling = of_fault(tests.fault)
        return ruling._replace(message=f"{tests.first}: {ruling.message}")
    if tests.bad and tests.fault is not None:
        return Ruling("wrong-answer", "", f"{tests.first}: {tests.fault.message}", tests.fault.frames)
    missing = tests.ran < max(1, count_tests(source)) or bool(promised_tests(source) - tests.names)
    skipped = tests.skipped > 0 and "skip" not in source.lower()
    if tests.bad or missing or skipped:
        return Ruling("wrong-answer", "", "not every test was run to its end")
    return _compared(check, Observed(stdout=None, unittest_ok=True))


def of_batch(checks: Sequence[Check], run: ChildRun, records: RecordStream, limits: Limits) -> list[CheckResult]:
    """Return the verdicts that one child of a batch settled, from the first check on; the rest needs a new child."""
    if records.load_fault is not None and run.stop == "":
        return [_result(check, run, of_fault(records.load_fault)) for check in checks]
    ending = of_end(run, records, limits)
    if not records.loaded and ending is not None:
        return [_result(check, run, ending) for check in checks]
    settled = [
        _of_item(check, item, run, _Span(records, index))
        for index, (check, item) in enumerate(zip(checks, records.items, strict=False))
    ]
    if run.stop == "more" and settled:
        return settled
    if len(settled) < len(checks):
        settled.append(_under_way(checks[len(settled)], run, records, ending or Ruling("output-limit", "result")))
    elif ending is not None:
        # All results came, but the process did not end as it should: the last one pays.
        settled[-1] = _result(checks[-1], run, ending)
    return settled


def _under_way(check: Check, run: ChildRun, records: RecordStream, ruling: Ruling) -> CheckResult:
    last = records.items[-1] if records.items else None
    before = Reading(sum(lap.cpu for lap in run.laps), sum(lap.wall for lap in run.laps))
    own = run._replace(
        stdout=run.stdout[last.out if last else 0 :],
        stderr=run.stderr[last.err if last else 0 :],
        cpu=max(0.0, run.cpu - before.cpu),
        wall=max(0.0, run.wall - before.wall),
    )
    return _result(check, own, ruling)


class _Span:
    """The part of a batch's output that belongs to one item, as counted by the runner."""

    def __init__(self, records: RecordStream, index: int) -> None:
        before = records.items[index - 1] if index else None
        self.out = slice(before.out if before else 0, records.items[index].out)
        self.err = slice(before.err if before else 0, records.items[index].err)
        self.index = index


def _of_item(check: Check, item: Item, run: ChildRun, span: _Span) -> CheckResult:
    stdout = run.stdout[span.out]
    if item.fault is not None:
        ruling, observed, has = of_fault(item.fault), None, False
    elif item.too_big:
        ruling, observed, has = _STOPS["result"], None, False
    else:
        ruling = _compared(check, Observed(stdout=stdout, value=item.value, has_value=True))
        observed, has = item.value, True
    cut = has and len(json.dumps(observed)) > settings.OBSERVED
    lap = run.laps[span.index] if span.index < len(run.laps) else None
    base = _result(check, run, ruling)
    return base.model_copy(
        update={
            "observed": {"t": "cut", "v": "size"} if cut else observed,
            "has_observed": has,
            "stdout": _head(stdout),
            "stderr": _head(run.stderr[span.err]),
            "truncated": cut or len(stdout) > settings.HEAD,
            "cpu_seconds": round(lap.cpu, 6) if lap else 0.0,
            "wall_seconds": round(lap.wall, 6) if lap else 0.0,
        }
    )


def _compared(check: Check, observed: Observed) -> Ruling:
    result = compare(check, observed)
    return Ruling("pass", "") if result.equal else Ruling("wrong-answer", "", result.message)


def _result(check: Check, run: ChildRun, ruling: Ruling) -> CheckResult:
    return CheckResult(
        check=check.id,
        outcome=ruling.outcome,
        detail=ruling.detail,
        message=ruling.message,
        frames=ruling.frames,
        stdout=_head(run.stdout),
        stderr=_head(run.stderr),
        truncated=len(run.stdout) > settings.HEAD or run.stderr_cut or len(run.stderr) > settings.HEAD,
        cpu_seconds=round(run.cpu, 6),
        wall_seconds=round(max(0.0, run.wall), 6),
        peak_mb=round(run.peak_mb, 3),
    )


def _head(data: bytes) -> str:
    return data[: 4 * settings.HEAD].decode("utf-8", "replace")[: settings.HEAD]
