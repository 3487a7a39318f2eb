"""One or two worked demonstrations per predictor: for a small model they bring the content, the schema only the form.

All are tasks of our own and in no evaluation set. Optimizers replace them (`predictor.demos`).
"""

from __future__ import annotations

from typing import Any

import dspy

from auditcoder.signatures.boundary import BoundaryCase
from auditcoder.signatures.local_checks import StepCall
from auditcoder.signatures.planner import Step

_MEETINGS = (
    "A room is booked for the intervals [start, end) in `bookings`, in any order, overlaps allowed. "
    "Return the length of the longest free gap between bookings, or 0 if there is none."
)
_ROPES = (
    "The first line holds n. Each of the next n lines holds a rope's name and length. "
    "Print the names of all ropes that are longer than the average length, sorted, one per line."
)
_FUNCTION = "Define the function `def longest_gap(bookings: list[list[int]]) -> int:`. It returns the answer."
_PROGRAM = "A complete program: reads standard input, prints the answer to standard output."


def demos(*rows: dict[str, Any]) -> list[dspy.Example]:
    """Return demonstrations as DSPy keeps them."""
    return [dspy.Example(**row) for row in rows]


OUTLINE = demos(
    {
        "task": _MEETINGS,
        "entry": _FUNCTION,
        "steps": [
            Step(
                name="merge_bookings", goal="merge overlapping or touching bookings into sorted blocks", kind="greedy"
            ),
            Step(name="largest_gap", goal="find the largest distance between neighbouring blocks", kind="simulation"),
        ],
    },
    {
        "task": _ROPES,
        "entry": _PROGRAM,
        "steps": [
            Step(
                name="parse_ropes", goal="read name and length of every rope from the input text", kind="input-output"
            ),
            Step(name="longer_than_average", goal="list the sorted names of ropes above the average", kind="numerical"),
        ],
    },
)
DETAIL = demos(
    {
        "task": _MEETINGS,
        "step": "merge_bookings: merge overlapping or touching bookings into sorted blocks",
        "available": "bookings: list[list[int]]",
        "takes": ["bookings"],
        "gives": "blocks",
        "type": "list[list[int]]",
        "requires": "all(b[0] <= b[1] for b in bookings)",
        "ensures": "len(result) <= len(bookings)",
    },
    {
        "task": _ROPES,
        "step": "longer_than_average: list the sorted names of ropes above the average",
        "available": "stdin: str\nropes: list[tuple[str, float]]",
        "takes": ["ropes"],
        "gives": "names",
        "type": "list[str]",
        "requires": "len(ropes) > 0",
        "ensures": "result == sorted(result)",
    },
)
REPLAN = demos(
    {
        "task": _MEETINGS,
        "entry": _FUNCTION,
        "plan": "- longest_gap (greedy): find the gap",
        "complaints": "- step longest_gap has the name of the entry point\n- one step repeats the whole task",
        "steps": OUTLINE[0].steps,
    }
)
BOUNDARY = demos(
    {
        "task": _MEETINGS,
        "examples": "input: longest_gap([[1, 3], [6, 8]])\noutput: 3",
        "cases": [
            BoundaryCase(input="longest_gap([])", expected="0"),
            BoundaryCase(input="longest_gap([[1, 3], [3, 5]])", expected="0"),
        ],
    }
)
DERIVE = demos(
    {
        "task": _MEETINGS,
        "examples": "input: longest_gap([[1, 3], [6, 8]])\noutput: 3",
        "input": "longest_gap([[5, 9], [1, 4], [3, 5]])",
        "steps": "Blocks: [1,4] and [3,5] overlap, [5,9] touches, so one block [1,9]; no gap is left.",
        "expected": "0",
    }
)
STEP_CALLS = demos(
    {
        "task": _MEETINGS,
        "function": "def largest_gap(blocks: list[list[int]]) -> int:",
        "goal": "find the largest distance between neighbouring blocks, or 0 with fewer than two",
        "contract": "- pre1 (before): blocks == sorted(blocks)\n- post1 (after): result >= 0",
        "calls": [
            StepCall(arguments="[[[1, 3], [6, 8], [9, 12]]]", result="3"),
            StepCall(arguments="[[]]", result="0"),
        ],
    }
)
PREDICT = demos(
    {
        "function": "def merge_bookings(bookings: list[list[int]]) -> list[list[int]]:",
        "goal": "merge overlapping or touching bookings into sorted blocks",
        "call": "merge_bookings([[6, 8], [1, 3], [3, 5]])",
        "steps": "Sorted: [1,3], [3,5], [6,8]; the first two touch at 3 and become [1,5]; [6,8] stands apart.",
        "result": "[[1, 5], [6, 8]]",
    }
)
VERIFY = demos(
    {
        "goal": "find the largest distance between neighbouring blocks",
        "contract": "- goal (after): find the largest distance between blocks\n- post1 (after): result >= 0\n"
        "- D3 (approach): S2 `largest_gap` is computed by simulation",
        "code": "def largest_gap(blocks):\n    return max(b[0] - a[0] for a, b in zip(blocks, blocks[1:]))",
        "failing": "Input: longest_gap([[1, 3], [6, 8]])\nExpected: 3\nObserved: 5",
        "calls": "- largest_gap([[1, 3], [6, 8]]) -> 5",
        "reason": "The gap runs from the end of a block (3) to the next start (6), so 3; the code subtracts starts.",
        "verdict": "reject",
        "obligation": "goal",
        "condition": "len(blocks) > 1",
    },
    {
        "goal": "merge overlapping or touching bookings into sorted blocks",
        "contract": "- goal (after): merge overlapping or touching bookings into sorted blocks\n"
        "- D2 (approach): S1 `merge_bookings` is computed by greedy",
        "code": "def merge_bookings(bookings):\n    blocks = []\n    for s, e in sorted(bookings):\n"
        "        if blocks and s <= blocks[-1][1]:\n            blocks[-1][1] = max(blocks[-1][1], e)\n"
        "        else:\n            blocks.append([s, e])\n    return blocks",
        "failing": "Input: longest_gap([[1, 3], [6, 8]])\nExpected: 3\nObserved: 5",
        "calls": "- merge_bookings([[1, 3], [6, 8]]) -> [[1, 3], [6, 8]]",
        "reason": "Called with two separate bookings it gives the same two blocks, sorted, which is right.",
        "verdict": "accept",
        "obligation": "goal",
        "condition": "",
    },
)
RENEGOTIATE = demos(
    {
        "task": _MEETINGS,
        "value": "blocks: list[list[int]]",
        "provider": "def merge_bookings(bookings: list[list[int]]) -> list[list[int]]:\n"
        "Goal: merge overlapping bookings into sorted blocks\n- post1 (after): len(result) <= len(bookings)",
        "consumer": "def largest_gap(blocks: list[list[int]]) -> int:\n"
        "Goal: find the largest distance between neighbouring blocks\n- pre1 (before): blocks == sorted(blocks)",
        "evidence": "Calls in the failing check:\n- merge_bookings([[6, 8], [1, 3]]) -> [[6, 8], [1, 3]]",
        "reason": "The blocks are sorted by their start, as merging promises.",
        "choice": "provider-ensures",
        "type": "",
    }
)
BRANCH = demos(
    {
        "task": _MEETINGS,
        "function": "def largest_gap(blocks: list[list[int]]) -> int:\n"
        "Goal: find the largest distance between neighbouring blocks\n- goal (after): find the largest distance",
        "approach": "- S2 `largest_gap` is computed by greedy",
        "evidence": "Input: longest_gap([[1, 3], [6, 8], [20, 21]])\nExpected: 12\nObserved: 3",
        "steps": [
            Step(name="list_gaps", goal="list the distance from each block's end to the next start", kind="simulation"),
            Step(name="pick_largest", goal="give the largest of the distances, or 0 without any", kind="numerical"),
        ],
    }
)
