"""`solve --dry-run`: what would be asked, of whom, how often; no model is loaded and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.text import Text

from auditcoder.cli.exits import OK
from auditcoder.cli.forecast import PlannedCalls, forecast
from auditcoder.cli.jobs import Job
from auditcoder.cli.request import SolveRequest
from auditcoder.cli.showing.part import table
from auditcoder.cli.terminal import terminal
from auditcoder.cli.wiring import role_profiles
from auditcoder.records.config import ROLES


def show_plans(jobs: Sequence[Job], request: SolveRequest) -> int:
    """Print the planned calls of every job that is not finished, and return the exit code."""
    plans = [(job, planned(job, request)) for job in jobs if not job.finished]
    if request.json:
        print(json.dumps({"plans": [as_json(job, calls) for job, calls in plans]}, indent=2))
        return OK
    console = terminal()
    for job, calls in plans:
        shown = table("step", "role", "profile", ">calls", title=f"{job.task.id} ({job.task.entry.kind})")
        for row in calls:
            cells = (row.step, row.role, profiles_of(job, row), span(row.least, row.most))
            shown.add_row(*(Text(cell) for cell in cells))
        shown.add_row("in all", "", "", span(*within(job, total(calls))))
        console.print(shown)
        if job.folder:
            console.print(Text(f"goes on with {job.folder}: what is recorded there is not asked again"))
    return OK


def planned(job: Job, request: SolveRequest) -> tuple[PlannedCalls, ...]:
    """Return the planned calls of one job."""
    profiles = role_profiles(job.config, request.settings.file)
    return forecast(job.task, job.config, weak=profiles["generator"].strength == "weak")


def profiles_of(job: Job, row: PlannedCalls) -> str:
    """Return the profiles that serve the roles of a row, each once."""
    return ", ".join(dict.fromkeys(job.config.profile_of(role) for role in ROLES if role in row.role.split(", ")))


def within(job: Job, calls: tuple[int, int | None]) -> tuple[int, int | None]:
    """Return least and most as a budget of calls or tokens cuts them; with one of tokens the least is one call."""
    (least, most), limit = calls, job.config.max_calls
    least = 1 if job.config.max_tokens is not None else least
    return (least, most) if limit is None else (min(least, limit), limit if most is None else min(most, limit))


def total(calls: Sequence[PlannedCalls]) -> tuple[int, int | None]:
    """Return least and most over all rows; None when one of them has no limit."""
    most = [row.most for row in calls]
    return sum(row.least for row in calls), None if None in most else sum(m for m in most if m is not None)


def span(least: int, most: int | None) -> str:
    """Return `1`, `1 to 4` or `0 or more`."""
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def as_json(job: Job, calls: Sequence[PlannedCalls]) -> dict[str, object]:
    """Return one plan as plain JSON."""
    least, most = within(job, total(calls))
    rows = [{**row._asdict(), "profile": profiles_of(job, row)} for row in calls]
    return {"task": job.task.id, "least": least, "most": most, "calls": rows}
