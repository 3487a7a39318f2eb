"""The list of methods, as text and as JSON."""

from __future__ import annotations

import json as json_text
from typing import Any, NamedTuple

from auditcoder.programs.methods import METHODS

_OURS = "Plans responsibilities, writes each, and repairs in bounded transactions."


class Listed(NamedTuple):
    """One method: its name, what it does, and (name, default, what it decides) of every switch."""

    name: str
    does: str
    options: tuple[tuple[str, Any, str], ...] = ()


def listed() -> tuple[Listed, ...]:
    """Return AuditCoder and every rival method, in the order of the registry."""
    rivals = (
        Listed(
            name,
            _first_line(method.__doc__),
            tuple(
                (option, field.default, _first_line(field.description))
                for option, field in method.Options.model_fields.items()
            ),
        )
        for name, method in METHODS.items()
    )
    return (Listed("auditcoder", _OURS), *rivals)


def methods(*, json: bool) -> int:
    """Print the methods; return the exit code."""
    found = listed()
    if json:
        print(json_text.dumps([_plain(one) for one in found], indent=2))
        return 0
    for one in found:
        print(f"{one.name:<14}{one.does}")
        for option, default, what in one.options:
            print(f"{'':<14}  options.{option}={default}  {what}")
    return 0


def _plain(one: Listed) -> dict[str, Any]:
    options = [{"name": name, "default": default, "decides": what} for name, default, what in one.options]
    return {"name": one.name, "does": one.does, "options": options}


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
