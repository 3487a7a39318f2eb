"""The variants of AuditCoder that are compared: one program, and what each leaves out as settings of it."""

from __future__ import annotations

from collections.abc import Mapping

from auditcoder.errors import ConfigError

VARIANTS: Mapping[str, Mapping[str, str | int | bool]] = {
    "auditcoder": {},
    "auditcoder-agents": {"k": 0, "adaptive": False},
    "auditcoder-plan": {"agents": "generic", "k": 0, "adaptive": False},
    "auditcoder-no-binding": {"repair": "whole"},
}
"""By name, fields of `RunConfig` (paper, ablation): full; without repair; without algorithm agents too; and with
repairs of the whole program, the same evidence and the same number of rounds, instead of bounded ones."""


def preset(name: str) -> dict[str, str | int | bool]:
    """Return the settings of a variant; what it does not name is left to the user.

    Raises:
        ConfigError: there is no such variant.
    """
    if name not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise ConfigError(f"there is no variant {name}", hint=f"Variants: {known}.", field="variant")
    return dict(VARIANTS[name])
