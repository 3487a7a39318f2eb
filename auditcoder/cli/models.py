"""`auditcoder models`: the backbones, their weights, and whether they answer."""

from __future__ import annotations

from typing import Annotated

import typer

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded

app = typer.Typer(
    help="List the model profiles, fetch embedded weights, and check that a profile answers.", no_args_is_help=True
)
Profile = Annotated[str, typer.Argument(metavar="PROFILE", help="Name of a profile.")]


@app.command("list", epilog="Example: `auditcoder models list --json`")
@guarded
def list_models(*, config: o.ProfilesFile = None, json: o.Json = False, debug: o.Debug = False) -> int:
    """List the profiles: model, context, price, and whether the weights are here."""
    from auditcoder.cli import models_work

    return models_work.list_profiles(config, json=json)


@app.command("fetch", epilog="Example: `auditcoder models fetch embedded-small`")
@guarded
def fetch(
    profile: Profile = "embedded", *, config: o.ProfilesFile = None, quiet: o.Quiet = False, debug: o.Debug = False
) -> int:
    """Fetch the weights of an embedded profile; resumes, and verifies their SHA-256."""
    from auditcoder.cli import models_work

    return models_work.fetch(profile, config, quiet=quiet)


@app.command("check", epilog="Example: `auditcoder models check ollama/qwen3-coder`")
@guarded
def check(
    profile: Profile = "embedded", *, config: o.ProfilesFile = None, json: o.Json = False, debug: o.Debug = False
) -> int:
    """Ask a profile one short question, and show its answer and speed, or what is wrong."""
    from auditcoder.cli import models_work

    return models_work.check(profile, config, json=json)
