"""What a traced run showed: values by line, or the variables around the blocks it went through."""

from __future__ import annotations

import builtins
import inspect
import types
from collections import deque
from typing import Any

from auditcoder.sandbox.worker.trace_peek import Spaces, UnseenError, address, length, look, spaces_of
from auditcoder.sandbox.worker.trace_points import Aim, Entry, Head, Jump, Moment, Points, Read, Test, Turn
from auditcoder.sandbox.worker.trace_targets import NAME_LIMIT, Target
from auditcoder.sandbox.worker.trace_values import FIRST, LAST, MOST, render, render_around

globals()["__builtins__"] = dict(vars(builtins))

BLOCK_LIMIT = 200
"""Characters of a variable in a block; of a longer text both ends. LDB shows 100 (section 3), as an option."""
MOST_VARIABLES = 30
_LAZY = (int, bool, float, str, type(None))
"""Types whose objects never change: their text can wait."""
_HIDDEN = (types.FunctionType, types.ModuleType, types.BuiltinFunctionType, type)
_IN_FUNCTION = inspect.CO_OPTIMIZED


_Key = tuple[int, str, str]
"""Line, kind, name."""


class Series:
    """Values of one thing in order: all of few, of many the first and the last ones."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[Any] = []
        self._last: deque[Any] = deque(maxlen=LAST)

    def add(self, value: Any) -> None:
        """Take one more value; what can change is made a text at once."""
        self.count += 1
        kept = value if type(value) in _LAZY or type(value) is _Text else _Text(render(value))
        if len(self._first) < MOST:
            self._first.append(kept)
        self._last.append(kept)

    def texts(self) -> list[str]:
        """Return the texts that are shown."""
        shown = self._first if self.count <= MOST else [*self._first[:FIRST], *self._last]
        return [value.text if type(value) is _Text else render(value) for value in shown]


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text


class Outcomes:
    """Outcomes of a condition in order, equal ones in a row as one."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[list[Any]] = []
        self._last: deque[list[Any]] = deque(maxlen=LAST)

    def add(self, value: bool) -> None:
        """Take one more outcome."""
        if self._last and self._last[-1][0] is value:
            self._last[-1][1] += 1
            return
        self.count += 1
        run = [value, 1]
        if len(self._first) < MOST:
            self._first.append(run)
        self._last.append(run)

    def texts(self) -> list[str]:
        """Return the runs that are shown, each with its length."""
        shown = self._first if self.count <= MOST else [*self._first[:FIRST], *self._last]
        return [f"{value} x{times}" if times > 1 else str(value) for value, times in shown]


class LineLog:
    """Collects values by line. Keeps no frame alive."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._series: dict[_Key, Series | Outcomes] = {}
        self._orders: dict[_Key, tuple[int, int]] = {}
        self._turns: dict[tuple[int, int], tuple[int, int | None]] = {}
        self._aims: dict[int, dict[str, object]] = {}

    def entered(self, frame: types.FrameType, head: Head | None) -> None:
        """Take the arguments of a function that begins."""
        if head is not None:
            self._look(head.line, head.at, "call", head.parameters, spaces_of(frame))

    def statement(self, frame: types.FrameType, at: int) -> None:
        """A statement begins: the moments say what is to be seen."""

    def moment(self, frame: types.FrameType, at: int, moment: Moment) -> None:
        """Take what a moment of interest shows."""
        match moment:
            case Read():
                self._look(moment.line, at, "assign", moment.targets, spaces_of(frame), frame)
            case Test():
                self._outcome(frame, at, moment)
            case Entry():
                self._turns[id(frame), moment.loop] = (0, _extent(moment, frame))
            case Turn():
                key = (id(frame), moment.loop)
                made, extent = self._turns.get(key, (0, None))
                self._turns[key] = (made + 1, extent)
                self._look(moment.line, moment.at, "loop", moment.targets, spaces_of(frame))
            case Aim():
                spaces = spaces_of(frame)
                self._aims[id(frame)] = {target.name: _address(target, spaces) for target in moment.targets}
            case Jump():
                turn, extent = self._turns.get((id(frame), moment.loop), (0, None))
                skipped = moment.word == "break" and extent is not None and extent >= turn
                text = f"{turn} ({extent - turn} skipped)" if skipped and extent is not None else str(turn)
                self._add(moment.line, (at, 0), "jump", moment.word, _Text(text))

    def returned(self, frame: types.FrameType, at: int, value: Any) -> None:
        """Take what a function returns from the statement on a line."""
        if at in self._points.returns:
            self._add(self._points.origin[at], (at, 0), "return", "", value)

    def yielded(self, frame: types.FrameType, at: int, value: Any) -> None:
        """Take what a generator gives."""
        self._add(self._points.origin[at], (at, 0), "yield", "", value)

    def raised(self, frame: types.FrameType, at: int, error: BaseException) -> None:
        """Take an exception that came up in a statement."""
        self._add(self._points.origin[at], (at, 0), "raise", "", error)

    def left(self, frame: types.FrameType) -> None:
        """A function ended."""

    def records(self) -> list[dict[str, Any]]:
        """Return what was seen, by line, then in the order of the program text."""
        keys = sorted(self._series, key=lambda key: (key[0], self._orders[key]))
        return [
            {"r": "line", "l": key[0], "k": key[1], "n": key[2], "v": series.texts(), "c": series.count}
            for key in keys
            for series in [self._series[key]]
        ]

    def _outcome(self, frame: types.FrameType, at: int, moment: Test) -> None:
        key = (moment.line, "condition", "")
        self._orders.setdefault(key, (moment.at, -1))
        self._series.setdefault(key, Outcomes()).add(moment.truth)
        if moment.targets:
            self._look(moment.line, moment.at, "assign", moment.targets, spaces_of(frame), frame)

    def _look(
        self,
        line: int,
        at: int,
        kind: str,
        targets: tuple[Target, ...],
        spaces: Spaces,
        frame: types.FrameType | None = None,
    ) -> None:
        aims = self._aims.pop(id(frame), {})
        for index, target in enumerate(targets):
            try:
                value = look(target.peek, spaces)
            except UnseenError:
                continue
            if target.rule == "always" or _is_shown(target, aims.get(target.name), _address(target, spaces)):
                self._add(line, (at, index), kind, target.name, value)

    def _add(self, line: int, order: tuple[int, int], kind: str, name: str, value: Any) -> None:
        if line:
            key = (line, kind, name)
            self._orders[key] = min(order, self._orders.get(key, order))
            self._series.setdefault(key, Series()).add(value)


def _address(target: Target, spaces: Spaces) -> object:
    """Return where a target leads, None where that cannot be seen."""
    try:
        return address(target.peek, spaces)
    except UnseenError:
        return None


def _is_shown(target: Target, before: object, now: object) -> bool:
    return now != before if target.rule == "other-object" else now is not None and now == before


def _extent(moment: Entry, frame: types.FrameType) -> int | None:
    """Return how many iterations a loop will have, where that can be seen."""
    if moment.over is None:
        return None
    try:
        return length(moment.over, spaces_of(frame))
    except UnseenError:
        return None


class _Block:
    def __init__(self, index: int, block: int, function: str, before: list[list[str]]) -> None:
        self.index, self.block, self.function, self.before = index, block, function, before
        self.after: list[list[str]] = []


class BlockLog:
    """Collects the variables before and after each executed block, those of the first and last blocks.

    Args:
        points: What the lines mean.
        blocks: Block by line of the program text.
        kept: Blocks that are kept at most.
    """

    def __init__(self, points: Points, blocks: dict[int, int], kept: int) -> None:
        self._origin, self._heads, self._blocks = points.origin, points.heads, blocks
        self._open: dict[int, _Block] = {}
        self._first: list[_Block] = []
        self._most = kept - kept // 2
        self._last: deque[_Block] = deque(maxlen=kept // 2)
        self.count = 0

    def entered(self, frame: types.FrameType, head: Head | None) -> None:
        """Forget an earlier frame in the same place: a generator that was given up never leaves."""
        self._open.pop(id(frame), None)

    def statement(self, frame: types.FrameType, at: int) -> None:
        """Close the block that the frame was in and open the next one, when a statement begins another block."""
        block, current = self._blocks.get(self._origin[at]), self._open.get(id(frame))
        if block is None or (current is not None and current.block == block):
            return
        if at in self._heads and not frame.f_code.co_flags & _IN_FUNCTION:
            return  # a function of one line is defined; its block has not begun
        variables = _variables(frame)
        if current is not None:
            current.after = variables
        opened = _Block(self.count, block, _function(frame), variables)
        self._open[id(frame)] = opened
        self.count += 1
        if len(self._first) < self._most:
            self._first.append(opened)
        else:
            self._last.append(opened)

    def moment(self, frame: types.FrameType, at: int, moment: Moment) -> None:
        """Moments are of no interest here."""

    def returned(self, frame: types.FrameType, at: int, value: Any) -> None:
        """What is returned is seen in the block's code."""

    def yielded(self, frame: types.FrameType, at: int, value: Any) -> None:
        """The block goes on later."""

    def raised(self, frame: types.FrameType, at: int, error: BaseException) -> None:
        """The block may go on."""

    def left(self, frame: types.FrameType) -> None:
        """Close the last block of a frame."""
        current = self._open.pop(id(frame), None)
        if current is not None:
            current.after = _variables(frame)

    def records(self) -> list[dict[str, Any]]:
        """Return the blocks that are kept, in the order of their begin."""
        return [
            {"r": "block", "i": each.index, "b": each.block, "f": each.function, "x": each.before, "y": each.after}
            for each in [*self._first, *self._last]
        ]


def _variables(frame: types.FrameType) -> list[list[str]]:
    """Return (name, text) of the variables of a frame that hold data."""
    space = spaces_of(frame)[0]
    names = [name for name in space if type(name) is str and name.isidentifier() and not name.startswith("__")]
    held = [(name, space[name]) for name in names]
    shown = [(name, value) for name, value in held if not any(type(value) is kind for kind in _HIDDEN)]
    return [[name[:NAME_LIMIT], render_around(value, BLOCK_LIMIT)] for name, value in shown[:MOST_VARIABLES]]


def _function(frame: types.FrameType) -> str:
    return frame.f_code.co_qualname.replace(".<locals>", "")
