"""Which runs a `solve` call means: new ones, stopped ones to go on with, and ones that are done already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from auditcoder.cli.exits import usage_error
from auditcoder.cli.runs import StartedRun, is_run, newest, opened, started_runs
from auditcoder.eval.suites.reference import is_reference, resolve
from auditcoder.paths import exists, is_dir, short
from auditcoder.records.config import RunConfig
from auditcoder.records.task import Task
from auditcoder.tasks.loader import load_task, load_tasks


class Job(NamedTuple):
    """One task, and the run folder that is gone on with (None: a new run)."""

    task: Task
    config: RunConfig
    folder: Path | None = None
    finished: bool = False
    """The run in `folder` needs nothing more."""


def new_jobs(names: Sequence[str], config: RunConfig, data: Path | None) -> tuple[Job, ...]:
    """Return a new run for every task that is named.

    Raises:
        TaskError: something that is named is no task.
        ConfigError: nothing is named, or a run folder.
    """
    for name in names:
        if is_run(Path(name)):
            raise usage_error(f"{name} is a run, not a task", f"Go on with it: auditcoder solve --resume {name}")
    if not names:
        raise usage_error("no task is named", "For example: auditcoder solve examples/vowel_count.toml")
    return tuple(Job(task, config) for name in names for task in tasks_of(name, data))


def resumed_jobs(names: Sequence[str], config: RunConfig, data: Path | None, out: Path) -> tuple[Job, ...]:
    """Return the runs to go on with: the run folders that are named, else the newest unfinished run of each task.

    Of several tasks, those that are finished under this configuration are done and those without a run start anew.

    Raises:
        TaskError: something that is named is neither a run nor a task.
        ConfigError: there is no run to go on with.
    """
    runs = [] if names and all(is_run(Path(name)) for name in names) else started_runs(out)
    if not names:
        return (going_on(newest(runs, None, finished=False), f"no unfinished run in {short(out)}"),)
    jobs: list[Job] = []
    for name in names:
        if is_run(Path(name)):
            jobs.append(job_of(opened(Path(name))))
            continue
        if not exists(Path(name)) and not is_reference(name):
            hint = "Is --out the folder it was started with?"
            raise usage_error(f"no run folder and no task file at {short(name)}", hint)
        tasks = tasks_of(name, data)
        alone = len(names) == len(tasks) == 1
        jobs += [only(runs, tasks[0], out)] if alone else [one_of_many(runs, task, config) for task in tasks]
    return tuple(jobs)


def only(runs: list[StartedRun], task: Task, out: Path) -> Job:
    """Return the newest unfinished run of the one task that is named, whatever its configuration."""
    return going_on(newest(runs, task, finished=False), f"no unfinished run of {task.id} in {short(out)}")


def one_of_many(runs: list[StartedRun], task: Task, config: RunConfig) -> Job:
    """Return the run of one task of a batch: unfinished, else finished, else a new one."""
    same = [run for run in runs if run.config == config]
    found = newest(same, task, finished=False) or newest(same, task, finished=True)
    return job_of(found) if found else Job(task, config)


def going_on(run: StartedRun | None, otherwise: str) -> Job:
    """Return the job that goes on with a run.

    Raises:
        ConfigError: there is none.
    """
    if run is None:
        raise usage_error(otherwise, "Start one without --resume, or name the run folder (and --out).")
    return job_of(run)


def standings(jobs: Sequence[Job], out: Path) -> Iterator[str]:
    """Yield one line for each job of a `--resume`: whether it goes on, is finished, or starts anew."""
    for job in jobs:
        if job.folder is None:
            yield f"{job.task.id}: no run of it with these settings in {out}: starting a new one"
        elif job.finished:
            yield f"{job.task.id}: finished already: {job.folder}"
        else:
            yield f"{job.task.id}: going on with {job.folder}"


def job_of(run: StartedRun) -> Job:
    """Return the job of a started run; its task and configuration are those in its ledger."""
    return Job(run.task, run.config, run.folder, run.finished)


def tasks_of(name: str, data: Path | None) -> tuple[Task, ...]:
    """Return the tasks that a name means: a suite reference, a task file, or a folder of task files."""
    path = Path(name)
    if is_reference(name) and not exists(path):
        if data is not None and not is_dir(data):
            raise usage_error(f"{short(data)}: no such folder", "Check --data and AUDITCODER_DATA.")
        return tuple(resolve(name, data))
    return load_tasks(path) if is_dir(path) else (load_task(path),)
