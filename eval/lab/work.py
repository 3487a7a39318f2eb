"""What one worker does: it takes cells of a study and makes their runs."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from auditcoder.errors import AuditCoderError, ConfigError
from auditcoder.eval.lab.attempt import SYSTEMIC, Attempt, attempt, shared_profile
from auditcoder.eval.lab.grid import Cell
from auditcoder.eval.suites.reference import is_reference, resolve
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.tasks.loader import load_task


class Order(NamedTuple):
    """A cell as it goes to a worker."""

    cell: Cell
    out: str
    """Folder of the study."""
    data: str = ""
    """Folder with the benchmark packs; empty: where the environment says."""
    threads: int = 0
    """Of an embedded model; 0: all that there are."""
    ledger: bytes | None = None
    """What there is of its ledger, for a worker that does not see the folder; None for one that does."""


class Done(NamedTuple):
    """What a worker gives back."""

    order: Order
    attempt: Attempt
    ledger: bytes | None = None
    """The whole ledger, where the order had one."""
    stop: str = ""
    """A fault that every other run would meet too: the study stops."""
    hint: str = ""


class Lost(NamedTuple):
    """A worker ended before it gave an answer."""

    order: Order
    why: str


class Worker:
    """Makes runs, from any of its threads; one sandbox serves them all. It is made on first use and lives on."""

    def __init__(self) -> None:
        self._executor: SandboxExecutor | None = None

    def make(self, order: Order) -> Done:
        """Return what came of a cell; an error of its own is a result, as every run of a study counts (rule 20)."""
        folder = Path(order.out) / order.cell.place
        try:
            if order.ledger is not None:
                _put(folder, order.ledger)
            task, config = single_task(order.cell.task, order.data), order.cell.config()
            profile = shared_profile(config.model, order.threads)
            made = attempt(task, config, folder, self._sandbox(), profile)
        except SYSTEMIC as error:
            return Done(order, Attempt("failed", made=True, error=error.code), stop=error.message, hint=error.hint)
        except AuditCoderError as error:
            return Done(order, Attempt("failed", made=True, error=error.code), stop="", hint=error.message)
        return Done(order, made, _got(folder) if order.ledger is not None else None)

    def close(self) -> None:
        """End the sandbox."""
        if self._executor is not None:
            self._executor.close()

    def _sandbox(self) -> SandboxExecutor:
        if self._executor is None:
            self._executor = SandboxExecutor()
        return self._executor


@lru_cache(maxsize=4096)
def single_task(name: str, data: str) -> Task:
    """Return the task that a reference or a task file stands for.

    Raises:
        TaskError: there is none, or it is malformed.
        ConfigError: the reference stands for several.
    """
    if not is_reference(name):
        return load_task(Path(name))
    tasks = resolve(name, data or None)
    if len(tasks) != 1:
        raise ConfigError(f"{name} stands for {len(tasks)} tasks", hint="The list of a study names single tasks.")
    return tasks[0]


def _put(folder: Path, ledger: bytes) -> None:
    path = folder / LEDGER_NAME
    if ledger and not (path.is_file() and path.stat().st_size > len(ledger)):
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ledger)


def _got(folder: Path) -> bytes:
    path = folder / LEDGER_NAME
    return path.read_bytes() if path.is_file() else b""
