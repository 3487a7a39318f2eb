"""Why a rival method ended by a rule of its own, in the words of the record."""

from __future__ import annotations

from auditcoder.core.spending import CALLS_SPENT, TOKENS_SPENT

LIMIT = "the method's own limit is reached"
ONE_PROGRAM = "the method makes one program"
BAR_PASSED = "enough suites pass whole"
REPEATED = "every program repeats its error"
METHOD_ENDS: tuple[str, ...] = (CALLS_SPENT, TOKENS_SPENT, LIMIT, ONE_PROGRAM, BAR_PASSED, REPEATED)
"""Every reason that a rival method may give besides a full pass, no checks, and the repair budget."""
