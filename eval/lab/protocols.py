"""Budgets that methods are compared under (methods/README, rules 10 and 11; the two protocols)."""

from __future__ import annotations

import re
from typing import Any

from auditcoder.errors import ConfigError

MOST_ROUNDS = 30
_SHAPE = re.compile(r"(k|calls|tokens):?([1-9]\d{0,9}|0)")


def protocol_settings(name: str) -> dict[str, Any]:
    """Return the settings of a run under a protocol.

    `k1`, `k:3`: so many reactions at most. `adaptive`: until four in a row bring nothing. `calls:8`, `tokens:8000`: so
    many requests or tokens; rounds are not counted then, and who cannot finish returns the present program.

    Raises:
        ConfigError: it is no protocol.
    """
    if name == "adaptive":
        return {"adaptive": True}
    match = _SHAPE.fullmatch(name)
    if match is None or (match[1] != "k" and match[2] == "0"):
        raise ConfigError(
            f"{name!r} is no protocol", hint="Protocols: k1, k:N, adaptive, calls:N, tokens:N.", field="protocol"
        )
    amount = int(match[2])
    if match[1] == "k":
        return {"k": amount}
    return {"k": MOST_ROUNDS, f"max_{match[1]}": amount}


def protocol_name(name: str) -> str:
    """Return the one spelling of a protocol.

    Raises:
        ConfigError: it is no protocol.
    """
    settings = protocol_settings(name)
    if settings.get("adaptive"):
        return "adaptive"
    for word in ("calls", "tokens"):
        if f"max_{word}" in settings:
            return f"{word}:{settings[f'max_{word}']}"
    return f"k{settings['k']}"
