"""`auditcoder doctor`: what this machine can do, and what is missing."""

from __future__ import annotations

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder doctor`
- `auditcoder doctor --json`
"""


@guarded
def command(*, json: o.Json = False, debug: o.Debug = False) -> int:
    """Show what this machine gives: isolation, embedded model, Python, cores; and how to get what is missing.

    The exit code is 0 when generated code can be run in isolation and the embedded model can be used, else 3.
    """
    from auditcoder.cli import doctor_work

    return doctor_work.doctor(json=json)
