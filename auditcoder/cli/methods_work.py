"""The list of methods and variants, as text and as JSON."""

from __future__ import annotations

import json as json_text
from typing import Any, NamedTuple

from auditcoder.programs.methods import METHODS
from auditcoder.programs.variants import VARIANTS

_WIDTH = 32


class Listed(NamedTuple):
    """What `--method` takes: its name, what it does, and (name, value, what it decides) of every switch."""

    name: str
    does: str
    options: tuple[tuple[str, Any, str], ...] = ()
    """Of a rival, with defaults."""
    settings: tuple[tuple[str, Any], ...] = ()
    """Of a variant of AuditCoder: the settings that it stands for."""

    @property
    def variant(self) -> bool:
        """Return whether it is AuditCoder with settings of its own."""
        return self.name in VARIANTS


def listed() -> tuple[Listed, ...]:
    """Return AuditCoder with its variants, and every rival method, in the order of the registries."""
    variants = (Listed(name, one.does, settings=tuple(one.settings.items())) for name, one in VARIANTS.items())
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
    return (*variants, *rivals)


def methods(*, json: bool) -> int:
    """Print the methods; return the exit code."""
    found = listed()
    if json:
        print(json_text.dumps([_plain(one) for one in found], indent=2))
        return 0
    for variant, title in ((True, "AuditCoder and its variants"), (False, "rival methods")):
        print(f"{title}:")
        for one in found:
            if one.variant == variant:
                _tell(one)
    return 0


def _tell(one: Listed) -> None:
    print(f"  {one.name:<{_WIDTH}}{one.does}")
    if one.settings:
        print(f"{'':<{_WIDTH}}    {', '.join(f'{name}={_word(value)}' for name, value in one.settings)}")
    for option, default, what in one.options:
        print(f"{'':<{_WIDTH}}    options.{option}={_word(default)}  {what}")


def _word(value: object) -> str:
    """Return a value as `-c` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(one: Listed) -> dict[str, Any]:
    options = [{"name": name, "default": default, "decides": what} for name, default, what in one.options]
    kind = "variant" if one.variant else "rival"
    return {
        "name": one.name, "kind": kind, "does": one.does, "settings": dict(one.settings), "options": options,
    }  # fmt: skip


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
