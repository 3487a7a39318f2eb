"""The work of `auditcoder models list|fetch|check`."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from auditcoder.backbones.manifest import weights_entry
from auditcoder.backbones.profiles import Profile, get_profile
from auditcoder.backbones.profiles import list_profiles as known_profiles
from auditcoder.backbones.weights import find_weights, weights_file
from auditcoder.cli.exits import ENVIRONMENT, OK, usage_error
from auditcoder.cli.fetching import FetchBar
from auditcoder.cli.showing.part import table
from auditcoder.cli.terminal import terminal
from auditcoder.cli.text import clean
from auditcoder.errors import BackboneError
from auditcoder.paths import is_file

OTHER_FORMS = "Also: ollama/MODEL, openai/MODEL, PROVIDER/MODEL, http://HOST:PORT/v1#MODEL, gguf:FILE"


class Listed(NamedTuple):
    """One profile of the list."""

    profile: Profile
    weights: str
    """`here` or `not fetched` (embedded), else empty."""


def list_profiles(config: Path | None, *, json: bool) -> int:
    """Print the profiles and return the exit code."""
    listed = [Listed(profile, weights_state(profile)) for profile in known_profiles(config)]
    if json:
        print(json_module.dumps([as_json(one) for one in listed], indent=2))
        return OK
    shown = table("profile", "model", ">context", ">USD per M in", ">out", "weights")
    for profile, weights in listed:
        model = profile.model or profile.weights or Path(profile.path).name
        prices = (f"{profile.price_in:g}", f"{profile.price_out:g}")
        shown.add_row(profile.name, model, str(profile.context_tokens), *prices, weights)
    console = terminal()
    console.print(shown)
    console.print(OTHER_FORMS, style="dim", soft_wrap=True)
    return OK


def weights_state(profile: Profile) -> str:
    """Return whether the weights of an embedded profile are on this machine; empty for a server."""
    if profile.engine != "embedded":
        return ""
    here = is_file(Path(profile.path)) if profile.path else find_weights(weights_entry(profile.weights)) is not None
    return "here" if here else "not fetched"


def as_json(one: Listed) -> dict[str, object]:
    """Return one profile as plain JSON; a key is never in it, only the name of its variable."""
    return {**one.profile.model_dump(mode="json"), "weights_state": one.weights or None}


def fetch(name: str, config: Path | None, *, quiet: bool) -> int:
    """Fetch the weights of an embedded profile, print where they are, and return the exit code.

    Raises:
        ConfigError: there is no such profile, or it needs no weights.
        ModelFetchError: no source delivered them.
    """
    profile = get_profile(name, config)
    if profile.engine != "embedded":
        raise usage_error(f"profile {name} runs on a server: it has no weights to fetch", "Try: auditcoder models list")
    with FetchBar(terminal(stderr=True), quiet=quiet) as bar:
        path = weights_file(profile, progress=bar)
    print(path)
    return OK


def check(name: str, config: Path | None, *, json: bool) -> int:
    """Ask a profile, print what it does, and return the exit code: 3 when it cannot be used.

    Raises:
        ConfigError: there is no such profile.
        BackboneError: it cannot be used (with `json` the object says so).
    """
    from auditcoder.backbones.probe import check_profile  # DSPy: only this command of the three needs it

    with FetchBar(terminal(stderr=True), quiet=json) as bar:
        found = check_profile(name, config, progress=bar)
    if json:
        print(json_module.dumps(found.model_dump(mode="json"), indent=2))
    elif not found.reachable:
        raise BackboneError(f"{name}: {found.error}", hint=found.hint, profile=name)
    else:
        rows = {key: value for key, value in found.model_dump().items() if value not in (None, "")}
        console = terminal()
        for key, value in rows.items():
            console.print(Text.assemble((f"{key.replace('_', ' '):22}", "dim"), clean(str(value))), soft_wrap=True)
    return OK if found.reachable else ENVIRONMENT
