"""The public names of the package, found when they are asked for: importing the package itself loads nothing more."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PUBLIC = {
    "Task": "auditcoder.records.task",
    "Verification": "auditcoder.audit.verification",
    "load_run": "auditcoder.ledger.outputs",
    "verify_ledger": "auditcoder.audit.verify",
    "verify_run": "auditcoder.audit.verify",
}
"""Each name with the module that holds it."""


def public(name: str) -> Any:
    """Return what a public name of the package means.

    Raises:
        AttributeError: the package has no such name.
    """
    if name not in PUBLIC:
        raise AttributeError(f"module 'auditcoder' has no attribute {name!r}")
    return getattr(import_module(PUBLIC[name]), name)
