"""What one run of an assembled program on checks returned, seen from outside its process (core.md section 3)."""

from __future__ import annotations

from typing import Literal

from auditcoder.records.base import Record
from auditcoder.records.values import Value

Outcome = Literal[
    "pass", "wrong-answer", "runtime-error", "timeout", "memory", "output-limit", "policy-reject", "harness-error"
]


class Frame(Record):
    """One traceback frame of generated code: line (1-based) of the assembled program, function name."""

    line: int
    function: str


class CheckResult(Record):
    """The verdict on one check."""

    check: str
    """Check id."""
    outcome: Outcome
    detail: str = ""
    """Sub-kind: `cpu`, `idle`, an exception's type name, `exit 3`, `signal 9`, `protocol`, ..."""
    observed: Value = None
    """The observed value: function result, list of call results, stdout text, or list of [name, text] files."""
    has_observed: bool = False
    message: str = ""
    """Exception message, first difference, or what the comparator says; untrusted text, cut."""
    frames: tuple[Frame, ...] = ()
    """Outermost first; frames of generated code only."""
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    """stdout, stderr or the observed value was cut."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    """Adjusted: run-queue wait is left out."""
    peak_mb: float = 0.0
    """Over the worker's baseline."""

    @property
    def clean_exit(self) -> bool:
        """Return whether the program ended by itself without an error, right or wrong."""
        return self.outcome in ("pass", "wrong-answer")


class ExecutionReport(Record):
    """Results of one program on an ordered tuple of checks."""

    program: str
    """SHA-256 of the program text."""
    results: tuple[CheckResult, ...]
    isolation: str = ""
    """Id of the isolation report."""
    state_dependent: bool = False
    """A confirmation run, one child per check in another order, gave a different result."""


class RecordedCall(Record):
    """One call of an owned unit during the recording run."""

    unit: str
    """Qualified name in the assembled program."""
    args: tuple[Value, ...] = ()
    """Positional arguments (without self), snapshot before the call."""
    result: Value = None
    exception: str = ""
    """Type name when the call raised."""


class Recording(Record):
    """Calls of owned units in one run on one check, in order of their start."""

    check: str
    calls: tuple[RecordedCall, ...] = ()
    complete: bool = True
    """False when a size or count cap was reached, or the run did not end."""


class UnitCost(Record):
    """Share of one function in an advisory measurement run."""

    unit: str
    cpu_seconds: float = 0.0
    """Self time."""
    peak_mb: float = 0.0


class Measurement(Record):
    """Advisory per-function CPU (self time) and memory peak of one check; never a verdict."""

    check: str
    costs: tuple[UnitCost, ...] = ()
    complete: bool = True


class IsolationReport(Record):
    """What isolation this machine was observed to give (notes on the ladder: docs/guide/sandbox.md)."""

    level: int
    """4 namespaces + Landlock + seccomp + dropped rights ... 0 limits only."""
    rung: str
    namespaces: str = ""
    seccomp: bool = False
    landlock_abi: int = 0
    uid: str = ""
    proc: bool = False
    quota: bool = False
    missing: tuple[str, ...] = ()
    """What a higher level would need, and how to get it."""
