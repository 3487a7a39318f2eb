"""The record format that a run needs: the lowest that holds what its configuration lets it record."""

from __future__ import annotations

from auditcoder.records.config import RunConfig

_SINCE_1_2 = ("method", "options", "max_calls", "max_tokens", "agents", "repair", "feedback")


def needed_format(config: RunConfig) -> str:
    """Return the format version of a run with this configuration.

    A run that uses nothing new is written in the format that readers of it know, byte for byte as before.
    """
    fields = RunConfig.model_fields
    grown = any(getattr(config, name) != fields[name].default for name in _SINCE_1_2)
    return "1.2" if grown else "1.1"
