"""Which boundary checks are admitted in full (core.md section 2, "Admission of boundary checks")."""

from __future__ import annotations

from auditcoder.records.config import RunConfig


def admission_of(config: RunConfig, *, weak: bool) -> str:
    """Return the admission policy that a configuration means for a weak or a strong backbone."""
    if config.boundary != "auto":
        return config.boundary
    return "none" if weak else "confirmed"
