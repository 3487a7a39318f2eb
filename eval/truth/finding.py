"""What the harness finds about a program, against what is known."""

from __future__ import annotations

import time
from pathlib import Path

from auditcoder.core.protocols import Executor
from auditcoder.eval.hidden.apps import apps_hidden
from auditcoder.eval.hidden.judging import judge
from auditcoder.eval.suites.registry import suite
from auditcoder.eval.truth.program import Program
from auditcoder.records.base import Record

_KINDS = {"pass": "pass", "wrong-answer": "wrong", "runtime-error": "error", "timeout": "timeout", "memory": "memory"}
SKIPPED = "skipped"


class Finding(Record):
    """One program judged."""

    id: str
    suite: str
    task: str
    expected: str
    found: str
    """`pass`, `wrong`, `error`, `timeout`, `memory`, `output-limit`; `skipped: ...` where it could not be judged."""
    test: str = ""
    """The first hidden test that is not passed."""
    seconds: float = 0.0

    @property
    def judged(self) -> bool:
        """Return whether it could be judged."""
        return not self.found.startswith(SKIPPED)

    @property
    def agrees(self) -> bool:
        """Return whether both say that the program passes, or both that it does not."""
        return (self.expected == "pass") == (self.found == "pass")

    @property
    def agrees_in_kind(self) -> bool:
        """Return whether they also agree on how it fails, where the pack says so."""
        kind = self.expected.partition(":")[0]
        return self.agrees if kind == "fail" else kind == self.found


def find(program: Program, executor: Executor, data: Path | str | None = None) -> Finding:
    """Return what the hidden tests of its task say about a program; the first failing test ends it.

    Raises:
        TaskError: the task is unknown or the data is malformed.
        SandboxError: the isolation failed.
    """
    known = suite(program.suite)
    missing = known.missing(program.task, data)
    base = Finding(id=program.id, suite=program.suite, task=program.task, expected=program.expected, found="")
    if missing:
        return base.model_copy(update={"found": f"{SKIPPED}: needs {', '.join(missing)}"})
    untested = known.untested(data)
    if program.task in untested:
        return base.model_copy(update={"found": f"{SKIPPED}: {untested[program.task]}"})
    [task] = known.load([program.task], data)
    hidden = apps_hidden(int(program.task), data, mode="stdin") if program.stdin else known.hidden(program.task, data)
    began = time.monotonic()
    result = judge(program.code, task, hidden, executor, to_the_end=False)
    bad = next((one for one in result.outcomes if one.outcome != "pass"), None)
    kind = "pass" if bad is None else _KINDS.get(bad.outcome, bad.outcome)
    told = {"found": kind, "test": bad.check if bad else "", "seconds": round(time.monotonic() - began, 3)}
    return base.model_copy(update=told)
