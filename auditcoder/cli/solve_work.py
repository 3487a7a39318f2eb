"""The work of `auditcoder solve`: jobs in order, each watched, then one report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from auditcoder.cli import reporting
from auditcoder.cli.configure import check_settings, run_config
from auditcoder.cli.dry_run import show_plans
from auditcoder.cli.exits import Interrupted
from auditcoder.cli.fetching import FetchBar
from auditcoder.cli.jobs import Job, new_jobs, resumed_jobs, standings
from auditcoder.cli.kept import mended
from auditcoder.cli.live.watch import Watcher
from auditcoder.cli.reporting import Outcome
from auditcoder.cli.request import SolveRequest
from auditcoder.cli.runs import discard_unbegun, is_run, new_folder
from auditcoder.cli.terminal import terminal
from auditcoder.cli.wiring import Environment, check_recorded_profiles, fetch_weights, run_task
from auditcoder.errors import AuditCoderError, BackboneAuthError, BackboneUnavailableError, IsolationTooWeakError
from auditcoder.programs.methods import check_method

SYSTEMIC = (BackboneUnavailableError, BackboneAuthError, IsolationTooWeakError)
"""What the next task would meet too, so a batch stops at it."""


def solve(request: SolveRequest) -> int:
    """Solve the tasks and return the exit code.

    Raises:
        AuditCoderError: nothing can be done (one task), or nothing more (several).
        Interrupted: Ctrl-C or SIGTERM; what was finished is in the ledgers.
    """
    config = run_config(request.settings)
    check_method(config)
    if request.resume:
        jobs = resumed_jobs(request.tasks, config, request.data, request.out)
    else:
        jobs = new_jobs(request.tasks, config, request.data)
    console = terminal(stderr=request.json)
    if request.resume:
        announce(jobs, request, console)
    if request.dry_run:
        return show_plans(jobs, request)
    outcomes = run_jobs(jobs, request, console)
    if request.json:
        reporting.report_json(outcomes)
    else:
        reporting.report(outcomes, console)
    return reporting.exit_code(outcomes)


def announce(jobs: Sequence[Job], request: SolveRequest, console: Console) -> None:
    """Say what a `--resume` goes on with.

    Raises:
        ConfigError: a run cannot be gone on with: it was started with other settings than those given, or with a
            profile that is not configured.
    """
    kept = [check_settings(job.folder, job.config, request.settings) for job in jobs if job.folder is not None]
    for line in [*standings(jobs, request.out), *filter(None, kept)] if not request.quiet else ():
        console.print(Text(line), soft_wrap=True)
    for job in jobs:
        if job.folder is not None and not job.finished:
            check_recorded_profiles(job.folder, job.config, request.settings.file)


def run_jobs(jobs: Sequence[Job], request: SolveRequest, console: Console) -> list[Outcome]:
    """Return what came of each job; in a batch an error ends its task, and only a systemic one the batch."""
    environment = Environment(request.settings.file, request.cache, request.weak)
    with FetchBar(console, quiet=request.quiet) as bar:
        for config in dict.fromkeys(job.config for job in jobs if not job.finished):
            fetch_weights(config, environment.profiles_file, bar)
    outcomes: list[Outcome] = []
    alone = len(jobs) == 1
    for number, job in enumerate(jobs, 1):
        folder = job.folder or new_folder(request.out, job.task, job.config, datetime.now().astimezone())
        place = "" if alone else f"[{number}/{len(jobs)}]"
        if place and not request.quiet and not console.is_terminal:
            console.print(f"{place} {job.task.id}", markup=False)
        try:
            outcomes.append(run_job(job, folder, environment, console, request, place))
        except KeyboardInterrupt as stop:
            discard_unbegun(folder)
            raise Interrupted(resume_command(folder, request, alone=alone)) from stop
        except AuditCoderError as error:
            discard_unbegun(folder)
            if alone or isinstance(error, SYSTEMIC):
                if resume := resume_command(folder, request, alone=alone):
                    error.add_note(f"resume with: {resume}")
                raise
            outcomes.append(Outcome(job.task.id, folder, error=error))
    return outcomes


def run_job(
    job: Job, folder: Path, environment: Environment, console: Console, request: SolveRequest, place: str
) -> Outcome:
    """Return the outcome of one job; a finished one is only read, and its output files mended.

    `place` is its `[2/8]` in a call with several.
    """
    if job.finished:
        record, again = mended(folder)
        if again and not request.quiet:
            told = f"{job.task.id}: {' and '.join(again)} missing or changed; written again from the ledger"
            console.print(Text(told), soft_wrap=True)
        return Outcome(job.task.id, folder, record)
    title = f"{place}  going on with {folder}" if job.folder else place
    with Watcher(console, quiet=request.quiet, title=title.strip()) as watcher:
        record = run_task(job.task, job.config, folder, environment, watcher, resume=job.folder is not None)
    return Outcome(job.task.id, folder, record)


def resume_command(folder: Path, request: SolveRequest, *, alone: bool) -> str:
    """Return the command line that goes on, with the run of one task or with the whole batch; empty when none began."""
    if not alone:
        given = [part for part in sys.argv[1:] if part != "--resume"]
        return shlex.join(["auditcoder", *given, "--resume"])
    if not is_run(folder):
        return ""
    options = ["--config", str(request.settings.file)] if request.settings.file else []
    options += ["--allow-weak-isolation"] if request.weak else []
    options += [] if request.cache else ["--no-cache"]
    return shlex.join(["auditcoder", "solve", "--resume", str(folder), *options])
