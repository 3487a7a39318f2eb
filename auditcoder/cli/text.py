"""Text of models and programs, made fit for a terminal."""

from __future__ import annotations

import unicodedata


def unchecked(examples: int) -> str:
    """Return what is said of a program where no check could say anything: no example, or no readable own check."""
    return f"not checked: the {'method has no check of its own' if examples else 'task has no examples'}"


def clean(text: str, limit: int = 0) -> str:
    """Return the text without control and formatting characters (escape codes), cut at `limit` if that is not 0."""
    shown = "".join(char if char in "\n\t" or not hidden(char) else "�" for char in text)
    return f"{shown[: limit - 1]}…" if limit and len(shown) > limit else shown


def one_line(text: str, limit: int = 0) -> str:
    """Return the text on one line, cleaned and cut."""
    return clean(" ".join(text.split()), limit)


def hidden(char: str) -> bool:
    """Return whether a character could steer the terminal or is no character at all."""
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def counted(count: int, thing: str) -> str:
    """Return `1 line`, `2 lines`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def caller(role: str, node: str, agent: str = "") -> str:
    """Return who asks a model: `generator S1`; of a rival method its agent with the role, `coder (generator)`."""
    return f"{agent} ({role})" if agent else f"{role} {node}".strip()
