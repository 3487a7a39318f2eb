"""Workers as local processes: each serves several runs at once, and one that dies is replaced."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from auditcoder.eval.lab.work import Done, Lost, Order, Worker

_SPAWN = multiprocessing.get_context("spawn")
"""Never by fork: a loaded model has threads of its own."""


class LocalWorkers:
    """Implements the seam of `lab.loop` on this machine.

    Args:
        processes: How many; each loads an embedded model for itself.
        threads: Runs at once in each, more than one only pays with a model elsewhere.
    """

    def __init__(self, processes: int, threads: int) -> None:
        self._processes, self._threads = processes, threads
        self._crew: list[_Member] = []

    def run(self, orders: Iterable[Order]) -> Iterator[Done | Lost]:
        """Yield what comes of the orders, as it comes; further orders are taken when there is room for them."""
        waiting = iter(orders)
        try:
            while True:
                self._give(waiting)
                busy = {member.pipe: member for member in self._crew if member.held}
                if not busy:
                    return
                for pipe in wait(list(busy)):
                    yield from self._take(busy[pipe])  # type: ignore[index]
        finally:
            self.close()

    def pids(self) -> list[int]:
        """Return the process ids of the workers."""
        return [member.process.pid for member in self._crew if member.process.pid is not None]

    def close(self) -> None:
        """End every worker; what they had paid for is in the ledgers."""
        for member in self._crew:
            member.pipe.close()
            member.process.terminate()
        for member in self._crew:
            member.process.join()
        self._crew = []

    def _give(self, waiting: Iterator[Order]) -> None:
        """Fill every worker, starting those that are missing."""
        while len(self._crew) < self._processes or any(len(member.held) < self._threads for member in self._crew):
            order = next(waiting, None)
            if order is None:
                return
            room = [member for member in self._crew if len(member.held) < self._threads]
            if not room or (len(self._crew) < self._processes and min(len(each.held) for each in room) > 0):
                room = [self._hire()]
            member = min(room, key=lambda each: len(each.held))
            member.held[order.cell.place] = order
            with suppress(OSError):  # it died: its pipe says so when it is read
                member.pipe.send(order)

    def _hire(self) -> _Member:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_serve, args=(theirs, self._threads), daemon=True)
        process.start()
        theirs.close()
        member = _Member(process, ours, {})
        self._crew.append(member)
        return member

    def _take(self, member: _Member) -> Iterator[Done | Lost]:
        try:
            done = member.pipe.recv()
        except (EOFError, OSError):
            member.process.join()
            self._crew.remove(member)
            for order in member.held.values():
                yield Lost(order, f"its worker ended with status {member.process.exitcode}")
            return
        member.held.pop(done.order.cell.place, None)
        yield done


class _Member(NamedTuple):
    """A worker process: the parent's end of its pipe, and the orders that it has."""

    process: BaseProcess
    pipe: Connection
    held: dict[str, Order]


def _serve(pipe: Connection, threads: int) -> None:
    """Be a worker until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    worker, sending = Worker(), threading.Lock()

    def make(order: Order) -> None:
        done = worker.make(order)
        with sending, suppress(OSError):
            pipe.send(done)

    with ThreadPoolExecutor(threads) as pool:
        running = []
        with suppress(EOFError, OSError):
            while True:
                running.append(pool.submit(make, pipe.recv()))
    for one in running:
        one.result()
    worker.close()
