"""What makes up one task of AeroComm-Small8."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

Kind = Literal["nominal", "boundary", "vectorised", "dtype", "invalid", "tolerance"]
KINDS: tuple[Kind, ...] = ("nominal", "boundary", "vectorised", "dtype", "invalid", "tolerance")
_REFERENCES = Path(__file__).parent / "references"


class Case(NamedTuple):
    """One call, with its result or with what must hold of it."""

    kind: Kind
    args: tuple[Any, ...]
    result: Any = None
    rel: float = 1e-9
    """Relative tolerance of the numbers in the result; what is no float is compared exactly."""
    absolute: float = 1e-9
    holds: str = ""
    """In place of a result: a Python expression over `result`."""
    refused: bool = False
    """In place of a result: the call raises ValueError."""


class Primitive(NamedTuple):
    """A task: its public specification, visible calls, and the cases that only the evaluation sees."""

    id: str
    signature: str
    statement: str
    sources: tuple[str, ...]
    """Public formula or standard that the specification is written from."""
    visible: tuple[Case, ...]
    hidden: tuple[Case, ...]

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return self.signature.partition("(")[0]

    @property
    def reference(self) -> str:
        """Return the program that was written with the specification. Evaluation only."""
        return (_REFERENCES / f"{self.name}.py").read_text(encoding="utf-8")
