"""`auditcoder methods`: what can make a program: AuditCoder, its variants, its rivals, and the switches of each."""

from __future__ import annotations

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

EXAMPLES = """\
Examples:

- `auditcoder methods`
- `auditcoder solve examples --method auditcoder-plan`
- `auditcoder solve examples --feedback resample --k 3`
- `auditcoder solve examples --method pycapsule --k 30 -c options.fixes=3`
- `auditcoder solve examples --method fresh-start --k 30 --max-calls 4`
"""


@guarded
def command(*, json: o.Json = False, debug: o.Debug = False) -> int:
    """List what `solve --method` takes: AuditCoder, its variants with their settings, rivals with their switches.

    The values of `--feedback` are among the variants: `auditcoder-feedback-POLICY`, and the default `error`.
    """
    from auditcoder.cli import methods_work

    return methods_work.methods(json=json)
