"""The work of `auditcoder doctor`."""

from __future__ import annotations

import json as json_module
import os
import platform
import shutil
from importlib import metadata
from typing import NamedTuple

from rich.text import Text

from auditcoder import __version__
from auditcoder.backbones.folders import models_folder
from auditcoder.backbones.manifest import weights_entry
from auditcoder.backbones.profiles import Profile, list_profiles
from auditcoder.backbones.weights import find_weights
from auditcoder.cli.exits import ENVIRONMENT, OK
from auditcoder.cli.terminal import terminal
from auditcoder.errors import SandboxError
from auditcoder.sandbox.executor import DEFAULT_LEVEL
from auditcoder.sandbox.probe import probe

RUNTIME = "xllamacpp"
GIGABYTE = 1e9


class Finding(NamedTuple):
    """One thing that was looked at."""

    name: str
    ok: bool
    said: str
    needs: tuple[str, ...] = ()
    """What is missing and how to get it; may be given for what is good enough, too."""
    required: bool = True
    """Whether a solve on the embedded model needs it."""


def doctor(*, json: bool) -> int:
    """Print what this machine gives and return the exit code."""
    found = (machine(), python(), isolation(), runtime(), *(weights(one) for one in embedded_profiles()))
    ready = all(one.ok for one in found if one.required)
    if json:
        print(json_module.dumps({"ready": ready, "findings": [one._asdict() for one in found]}, indent=2))
    else:
        show(found, ready=ready)
    return OK if ready else ENVIRONMENT


def show(found: tuple[Finding, ...], *, ready: bool) -> None:
    """Print the findings for people."""
    console = terminal()
    for one in found:
        mark, style = ("ok", "green") if one.ok else ("no", "red") if one.required else ("-", "dim")
        console.print(Text.assemble((f"{mark:3}", style), (f"{one.name:16}", "bold"), one.said), soft_wrap=True)
        for need in one.needs:
            console.print(Text(f"    {need}", style="dim"), soft_wrap=True)
    console.print("ready: auditcoder solve works here" if ready else "not ready: see what is missing above")


def machine() -> Finding:
    """Return system, cores and memory."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIGABYTE
    said = f"{platform.system()} {platform.release()}, {platform.machine()}, {cores} cores, {memory:.0f} GB of memory"
    return Finding("machine", platform.system() == "Linux", said)


def python() -> Finding:
    """Return the versions of Python and of this package."""
    return Finding("python", True, f"Python {platform.python_version()}, auditcoder {__version__}")


def isolation() -> Finding:
    """Return the isolation that was observed, and what a higher level needs."""
    try:
        report = probe()
    except SandboxError as error:
        return Finding("isolation", False, error.message, (error.hint,))
    layers = f"level {report.level} of 4: {report.rung}, {report.uid}" + (", quota" if report.quota else "")
    strong = report.level >= DEFAULT_LEVEL
    weak = () if strong else ("solve runs generated code here only with --allow-weak-isolation",)
    return Finding("isolation", strong, layers, (*report.missing, *weak))


def runtime() -> Finding:
    """Return whether the runtime of the embedded model is installed."""
    try:
        return Finding("runtime", True, f"{RUNTIME} {metadata.version(RUNTIME)}")
    except metadata.PackageNotFoundError:
        need = "pip install 'auditcoder[embedded]', or choose another model: auditcoder models list"
        return Finding("runtime", False, f"{RUNTIME} is not installed", (need,))


def embedded_profiles() -> tuple[Profile, ...]:
    """Return the profiles whose weights can be fetched."""
    return tuple(profile for profile in list_profiles() if profile.engine == "embedded" and profile.weights)


def weights(profile: Profile) -> Finding:
    """Return whether the weights of a profile are here; a solve fetches them, so they are not required."""
    entry = weights_entry(profile.weights)
    if (path := find_weights(entry)) is not None:
        return Finding(profile.name, True, f"weights at {path}", required=False)
    size = f"{entry.bytes / GIGABYTE:.1f} GB, fetched at the first use"
    needs = (f"auditcoder models fetch {profile.name}", room(models_folder()))
    return Finding(profile.name, False, f"weights not here ({size})", needs, required=False)


def room(folder: os.PathLike[str]) -> str:
    """Return how much room there is where weights are stored."""
    place = str(folder)
    while not os.path.isdir(place):  # noqa: PTH112  (the folder is made at the first fetch)
        place = os.path.dirname(place)  # noqa: PTH120
    return f"{shutil.disk_usage(place).free / GIGABYTE:.1f} GB free for them at {folder}"
