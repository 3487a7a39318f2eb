"""Why the harness finds another outcome than the recorded one, program by program, as far as it was looked into."""

from __future__ import annotations

from auditcoder.eval.truth.finding import Finding

REASONS: dict[str, str] = {}


def reason(finding: Finding) -> str:
    """Return why the two differ; empty where it is not known."""
    return REASONS.get(f"{finding.suite}/{finding.id}", "")
