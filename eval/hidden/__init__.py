"""Hidden tests: evaluation only. No task, program, optimizer or core function ever holds one."""

from auditcoder.eval.hidden.apps import CALLS, apps_hidden
from auditcoder.eval.hidden.judging import judge
from auditcoder.eval.hidden.lookup import hidden_tests
from auditcoder.eval.hidden.tests import HiddenOutcome, HiddenResult, HiddenTests
from auditcoder.eval.hidden.visible import without_visible

__all__ = [
    "CALLS",
    "HiddenOutcome",
    "HiddenResult",
    "HiddenTests",
    "apps_hidden",
    "hidden_tests",
    "judge",
    "without_visible",
]
