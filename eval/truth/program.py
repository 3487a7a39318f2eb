"""A program whose outcome is known."""

from __future__ import annotations

from typing import NamedTuple

HEADER = """from typing import *
import math
from heapq import *
import itertools
import re
import typing
import heapq
_str=str
"""
"""What the upstream authors put in front of HumanEval and MBPP programs."""


class Program(NamedTuple):
    """A program with what the harness should find."""

    id: str
    """`reference:<task>`, `faulty:<task>`, or `<pack>:<row>`."""
    suite: str
    task: str
    """Id within the suite."""
    code: str
    expected: str
    """`pass`, or the pack's own finding (`wrong`, `error:TypeError`, `timeout`, `fail`)."""
    stdin: bool = False
    """Judged through standard input, whatever the task's entry is."""
