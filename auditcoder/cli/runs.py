"""Run folders: their names, and finding the run to go on with."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from auditcoder.errors import AuditCoderError, ConfigError, UsageError
from auditcoder.ledger.chain import LEDGER_NAME, read_ledger
from auditcoder.paths import exists, is_dir, is_file, short
from auditcoder.records.base import sha256_json
from auditcoder.records.config import RunConfig
from auditcoder.records.events import RunFinished, RunStarted
from auditcoder.records.task import Task


class StartedRun(NamedTuple):
    """A run folder whose ledger has begun."""

    folder: Path
    task: Task
    config: RunConfig
    finished: bool
    changed: float
    """When its ledger was written last."""


def folder_name(task: Task, config: RunConfig, now: datetime, nonce: int = 0) -> str:
    """Return `<task-id>-<YYYYmmdd-HHMMSS>-<short hash>`; the hash is over task, configuration and nonce."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", task.id).strip("-")[:60] or "task"
    digest = sha256_json([task.content_hash(), config.content_hash(), now.isoformat(), nonce])
    return f"{name}-{now:%Y%m%d-%H%M%S}-{digest[:6]}"


def new_folder(out: Path, task: Task, config: RunConfig, now: datetime) -> Path:
    """Return a folder that was just made for a run.

    Raises:
        ConfigError: it cannot be made.
    """
    for nonce in range(100):
        folder = out / folder_name(task, config, now, nonce)
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise ConfigError(
                f"{short(folder)} cannot be made: {error.strerror}", hint="Choose another --out."
            ) from error
        return folder
    raise ConfigError(f"no free name for a run of {task.id} in {out}", hint="Choose another --out.")


def discard_unbegun(folder: Path) -> bool:
    """Remove a run folder in which nothing was recorded yet; return whether it was one."""
    ledger = folder / LEDGER_NAME
    if not folder.is_dir() or (ledger.exists() and ledger.stat().st_size) or set(folder.iterdir()) - {ledger}:
        return False
    ledger.unlink(missing_ok=True)
    folder.rmdir()
    return True


def is_run(path: Path) -> bool:
    """Return whether this is a run folder."""
    return is_file(path / LEDGER_NAME)


def runs_of(path: Path) -> list[Path]:
    """Return the run folders that are meant: the folder itself, that of the ledger, or those in it, by name.

    Raises:
        UsageError: there are none.
    """
    if path.name == LEDGER_NAME and is_file(path):
        return [path.parent]
    if is_run(path):
        return [path]
    found = sorted(file.parent for file in path.rglob(LEDGER_NAME) if is_file(file)) if is_dir(path) else []
    if not found:
        missing = "holds no run" if exists(path) else "is not there"
        raise UsageError(f"{short(path)} {missing}", hint=f"A run folder holds a file {LEDGER_NAME}.")
    return found


def opened(folder: Path) -> StartedRun:
    """Return what the ledger of a run folder says it is.

    Raises:
        LedgerError: there is no ledger, or it was changed, or it ended before its first event.
    """
    events = read_ledger(folder).events
    if not events or not isinstance(events[0], RunStarted):
        raise UsageError(f"{folder} holds a run that had not begun", hint="Start it again without --resume.")
    first = events[0]
    changed = (folder / LEDGER_NAME).stat().st_mtime
    return StartedRun(folder, first.task, first.config, isinstance(events[-1], RunFinished), changed)


def started_runs(out: Path) -> list[StartedRun]:
    """Return the readable runs in a folder, newest first; what is broken is left out."""
    found: list[StartedRun] = []
    for folder in sorted(out.iterdir()) if is_dir(out) else []:
        if is_run(folder):
            try:
                found.append(opened(folder))
            except AuditCoderError:
                continue
    return sorted(found, key=lambda run: (run.changed, run.folder.name), reverse=True)


def newest(runs: list[StartedRun], task: Task | None, *, finished: bool) -> StartedRun | None:
    """Return the newest run of this very task (of any task when None) that is finished, or not."""
    for run in runs:
        if run.finished == finished and (task is None or run.task == task):
            return run
    return None
