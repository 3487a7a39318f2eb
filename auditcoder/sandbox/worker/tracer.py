"""The breakpoint tracer: values of a program's own lines in one advisory run (Breakpoint Debugging, section 2)."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from auditcoder.sandbox.worker.channel import Channel
from auditcoder.sandbox.worker.trace_engines import Engine, Follower, best_engine, follow
from auditcoder.sandbox.worker.trace_log import BlockLog, LineLog
from auditcoder.sandbox.worker.trace_points import rewrite
from auditcoder.sandbox.worker.trace_sink import MOST_EVENTS, Log, Sink, facts_of

globals()["__builtins__"] = dict(vars(builtins))


class Tracer:
    """Compiles a program so that its lines can be told apart, follows its run, and sends what it saw.

    Args:
        channel: Where the records go.
        watched: (first, last) lines of the parts that are watched; empty for the whole program.
        blocks: (line, block) of the lines whose variables are kept block by block; empty for values by line.
        kept: Executed blocks that are kept at most.
        engine: What the interpreter offers, by default its best.
    """

    doubles_calls = False

    def __init__(
        self,
        channel: Channel,
        watched: list[list[int]],
        blocks: list[tuple[int, int]],
        kept: int,
        engine: Engine | None = None,
    ) -> None:
        self._channel, self._watched, self._blocks, self._kept = channel, watched, blocks, kept
        self._engine: Engine = engine or best_engine()
        self._follower: Follower | None = None

    def compile(self, source: str, name: str) -> Any:
        """Return the code of the program; from here on its run is followed."""
        tree = ast.parse(source, name)
        points = rewrite(tree, [(first, last) for first, last in self._watched])
        code = compile(tree, name, "exec", dont_inherit=True)
        blocks = dict[int, int](self._blocks)
        log: Log = BlockLog(points, blocks, self._kept) if blocks else LineLog(points)
        self._follower = follow(Sink(points, log, facts_of(code, points)), self._engine)
        return code

    def finish(self) -> None:
        """Stop, and send what was seen."""
        follower = self._follower
        if follower is None:
            return
        undisturbed = follower.stop()
        sink = follower.sink
        if sink.events <= MOST_EVENTS:
            for record in sink.log.records():
                self._channel.send(record)
        count = sink.log.count if isinstance(sink.log, BlockLog) else 0
        self._channel.send({"r": "traced", "events": sink.events, "blocks": count, "undisturbed": undisturbed})
