"""The variants of AuditCoder that are compared: one program, and what each leaves out as settings of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, get_args

from auditcoder.errors import ConfigError
from auditcoder.records.config import RunConfig

AUDITCODER = "auditcoder"
"""The full program, as it comes."""
Settings = Mapping[str, str | int | bool]


class Variant(NamedTuple):
    """Fields of `RunConfig` with their values, and what they come to."""

    settings: Settings
    does: str


def _policies(field: str, does: str) -> Iterator[tuple[str, Variant]]:
    """Yield a variant for each value of a setting but its default, so that a new value is a variant by itself."""
    known = RunConfig.model_fields[field]
    for value in get_args(known.annotation):
        if value != known.default:
            yield f"{AUDITCODER}-{field}-{value}", Variant({field: value}, f"AuditCoder, {does} {value}.")


VARIANTS: Mapping[str, Variant] = {
    AUDITCODER: Variant({}, "Plans responsibilities, writes each, and repairs in bounded transactions."),
    "auditcoder-agents": Variant({"k": 0, "adaptive": False}, "AuditCoder without repair."),
    "auditcoder-plan": Variant(
        {"agents": "generic", "k": 0, "adaptive": False},
        "AuditCoder's plan alone: no repair, and one prompt for all kinds of steps.",
    ),
    "auditcoder-no-binding": Variant(
        {"repair": "whole"}, "AuditCoder, a repair writes the whole program again: same evidence, same rounds."
    ),
    **dict(_policies("feedback", "repairs are shown by the policy")),
    **dict(_policies("locate", "findings are preferred by the policy")),
}
"""By name (paper, ablation): full; without repair; without algorithm agents too; with repairs of the whole program
instead of bounded ones; and one for each other policy of feedback and of localization."""
_TOLD = ("agents", "repair", "feedback", "locate")
"""Settings that make a variant where they differ from their default; no repair at all is the other one."""


def preset(name: str) -> dict[str, str | int | bool]:
    """Return the settings of a variant; what it does not name is left to the user.

    Raises:
        ConfigError: there is no such variant.
    """
    if name not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise ConfigError(f"there is no variant {name}", hint=f"Variants: {known}.", field="variant")
    return dict(VARIANTS[name].settings)


def made_by(config: RunConfig) -> str:
    """Return what makes the program of a run, in words: a rival's name, a variant's, or settings that are none."""
    if config.method != AUDITCODER:
        return config.method
    own = _own(config)
    for name, variant in VARIANTS.items():
        if own == _own(RunConfig.model_validate(dict(variant.settings))):
            return name
    told = [f"{field} {value}" for field, value in own.items() if value != RunConfig.model_fields[field].default]
    return f"{AUDITCODER} ({', '.join(told)})"


def _own(config: RunConfig) -> dict[str, str | int]:
    """Return the settings that tell variants apart; of the budget, whether there is any."""
    fields: dict[str, str | int] = {field: getattr(config, field) for field in _TOLD}
    return {**fields, "k": 1 if config.k or config.adaptive else 0}
