"""The one exception tree. Every error names a stable code and says what to do next.

AuditCoderError
├── TaskError            a task file or benchmark item that cannot be used
├── BackboneError        a model that cannot be reached, loaded or used
│   ├── BackboneUnavailableError
│   ├── BackboneAuthError
│   ├── ContextOverflowError
│   ├── UnusableAnswerError
│   └── ModelFetchError
├── SandboxError         the isolation failed (never: the program failed)
│   ├── IsolationTooWeakError
│   └── HarnessError
├── LedgerError          a ledger that is broken, or does not fit the run
│   ├── LedgerCorruptError
│   ├── LedgerUnreadableError
│   └── LedgerDivergedError
├── RecordError          a malformed record
│   └── UnsupportedFormatError
├── BudgetSpentError     the run may make no further model request
├── PredicateError       a predicate that was refused or could not be evaluated
├── AssemblyError        units that cannot be linked into one program
├── LabError             a study that cannot go on
└── ConfigError          a configuration value that cannot be used
    └── UsageError       a command line that names what is not there
"""

from __future__ import annotations


class AuditCoderError(Exception):
    """Base of all errors of ours: `code` is stable, `message` is for people, `hint` says what to do next."""

    code = "error"
    exit_code = 3

    def __init__(self, message: str, *, hint: str = "", **fields: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.fields = fields

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class TaskError(AuditCoderError):
    """A task is malformed; fields: `file`, `field`, `expected`."""

    code = "task"
    exit_code = 2


class ConfigError(AuditCoderError):
    """A configuration value cannot be used; fields: `file`, `field`."""

    code = "config"
    exit_code = 2


class UsageError(ConfigError):
    """A command names a run, event, node or line that is not there, or does not fit together."""

    code = "usage"


class BackboneError(AuditCoderError):
    """A backbone cannot be used; fields: `profile`, `role` where known."""

    code = "backbone"


class BackboneUnavailableError(BackboneError):
    """The server is down, refuses, times out, or the runtime is not installed."""

    code = "backbone-unavailable"


class BackboneAuthError(BackboneError):
    """The key is missing or refused."""

    code = "backbone-auth"


class ContextOverflowError(BackboneError):
    """The prompt does not fit the context window; fields: `prompt_tokens`, `context_tokens` where known."""

    code = "context-overflow"


class UnusableAnswerError(BackboneError):
    """A model answer that cannot be used: cut, of another form, or without code; field: `text`."""

    code = "unusable-answer"


class ModelFetchError(BackboneError):
    """No source delivered the weights with the pinned SHA-256; field: `tried`."""

    code = "model-fetch"


class SandboxError(AuditCoderError):
    """The isolation itself failed; never used for a program that failed."""

    code = "sandbox"


class IsolationTooWeakError(SandboxError):
    """This machine cannot give the level that was asked for; fields: `level`, `wanted`, `missing`."""

    code = "isolation-too-weak"


class HarnessError(SandboxError):
    """The worker was lost twice on the same request, or could not be started."""

    code = "harness"


class LedgerError(AuditCoderError):
    """Base of ledger errors."""

    code = "ledger"


class LedgerCorruptError(LedgerError):
    """The hash chain is broken; field: `seq`."""

    code = "ledger-corrupt"
    exit_code = 1


class LedgerUnreadableError(LedgerError):
    """A file that is no ledger at all: empty, or without one line as a ledger has them; field: `file`."""

    code = "ledger-unreadable"


class LedgerDivergedError(LedgerError):
    """A resumed run no longer does what the ledger says it did; field: `seq`."""

    code = "ledger-diverged"


class RecordError(AuditCoderError):
    """A record is malformed."""

    code = "record"
    exit_code = 1


class UnsupportedFormatError(RecordError):
    """A record has a major format version that this auditcoder does not read; field: `format`."""

    code = "unsupported-format"
    exit_code = 3


class PredicateError(AuditCoderError):
    """A predicate was refused by the policy, ran out of budget, or failed to evaluate."""

    code = "predicate"
    exit_code = 1


class BudgetSpentError(AuditCoderError):
    """The calls or tokens that a run may spend are spent; the run ends with its current program."""

    code = "budget-spent"


class AssemblyError(AuditCoderError):
    """Units cannot be linked: nobody owns a text, or two nodes define one unit; fields: `unit`, `nodes`."""

    code = "assembly"
    exit_code = 1


class LabError(AuditCoderError):
    """A study met a fault that every further run would meet; what was paid for is kept."""

    code = "lab"
