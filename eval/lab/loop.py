"""Runs a study: hands out what is not finished, tries again what a worker lost, and keeps a log of both."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from auditcoder.errors import LabError
from auditcoder.eval.lab.attempt import Attempt, is_begun
from auditcoder.eval.lab.grid import Cell
from auditcoder.eval.lab.work import Done, Lost, Order
from auditcoder.ledger.chain import LEDGER_NAME

LOG = "study.jsonl"
TRIES = 3
"""How often a run is handed out before it counts as lost with its workers."""


class Workers(Protocol):
    """The seam between a study and who makes its runs."""

    def run(self, orders: Iterable[Order]) -> Iterator[Done | Lost]:
        """Yield what comes of the orders, as it comes; orders are taken when there is room for them."""
        ...


class Progress(NamedTuple):
    """One step of a study."""

    cell: Cell
    attempt: Attempt
    tries: int
    left: int
    """Cells without a result."""


def run_study(
    cells: Sequence[Cell],
    out: Path,
    workers: Workers,
    *,
    data: str = "",
    threads: int = 0,
    sees_folder: bool = True,
    on_step: Callable[[Progress], None] = lambda step: None,
) -> list[Progress]:
    """Return what came of every cell, in their order. Finished runs are not made again; stopped ones go on.

    Args:
        cells: The frozen list.
        out: Folder of the study.
        workers: Who makes the runs.
        data: Folder with the benchmark packs.
        threads: Threads of an embedded model in each worker; 0: all that there are.
        sees_folder: Whether the workers see `out`; otherwise ledgers go to and fro.
        on_step: Told about every result.

    Raises:
        LabError: a fault that every run would meet; what was paid for is kept, and the study goes on when it is started
            again.
    """
    waiting = deque(Order(cell, str(out), data, threads) for cell in cells)
    tries: Counter[str] = Counter()
    results: dict[Cell, Progress] = {}

    def orders() -> Iterator[Order]:
        while waiting:
            order = waiting.popleft()
            tries[order.cell.place] += 1
            yield order if sees_folder else order._replace(ledger=_ledger(out / order.cell.place))

    stopped = hint = ""
    while waiting and not stopped:
        for got in workers.run(orders()):
            cell = got.order.cell
            if isinstance(got, Lost):
                _log(out, cell, "lost", got.why, tries[cell.place])
                if tries[cell.place] < TRIES:
                    waiting.append(got.order)
                    continue
                attempt = Attempt("failed", made=True, error="worker-lost")
            else:
                attempt = got.attempt
                if got.ledger is not None:
                    _keep(out / cell.place, got.ledger)
                if attempt.error:
                    _log(out, cell, attempt.error, got.stop or got.hint, tries[cell.place])
                if got.stop:
                    stopped, hint = got.stop, got.hint
                    break
            results[cell] = Progress(cell, attempt, tries[cell.place], len(cells) - len(results) - 1)
            on_step(results[cell])
    if stopped:
        raise LabError(stopped, hint=hint or "Mend it and start the study again: it goes on where it stopped.")
    return [results[cell] for cell in cells]


def _ledger(folder: Path) -> bytes:
    return (folder / LEDGER_NAME).read_bytes() if is_begun(folder) else b""


def _keep(folder: Path, ledger: bytes) -> None:
    if ledger:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LEDGER_NAME).write_bytes(ledger)


def _log(out: Path, cell: Cell, what: str, why: str, tries: int) -> None:
    line = {**cell._asdict(), "what": what, "why": why, "try": tries}
    with (out / LOG).open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")
