"""The rungs of isolation, best first, and what a worker is told for each (docs/guide/sandbox.md)."""

from __future__ import annotations

import json
import os
from typing import Literal, NamedTuple

from auditcoder.sandbox import settings

Drop = Literal["uid", "caps", "none"]
_FIRST_UID = 0x70000000


class Rung(NamedTuple):
    """One combination of layers."""

    level: int
    name: str
    namespaces: bool
    landlock: bool
    seccomp: bool
    drop: Drop


_LADDER = (
    Rung(4, "namespaces + Landlock + seccomp", True, True, True, "caps"),
    Rung(3, "namespaces + seccomp", True, False, True, "caps"),
    Rung(2, "Landlock + seccomp", False, True, True, "caps"),
    Rung(1, "seccomp + other uid", False, False, True, "uid"),
    Rung(0, "limits + seccomp", False, False, True, "caps"),
    Rung(0, "limits", False, False, False, "none"),
)


def ladder() -> tuple[Rung, ...]:
    """Return the rungs that make sense for the current user.

    Root changes to an unused uid inside namespaces. Without namespaces it keeps its uid but no capability, since
    another uid may be unable to read the interpreter's library. Level 1 needs another uid, hence root.
    """
    if os.geteuid() != 0:
        return tuple(rung for rung in _LADDER if rung.drop != "uid")
    return tuple(rung._replace(drop="uid") if rung.namespaces else rung for rung in _LADDER)


def setup_message(rung: Rung, root: str, preload: tuple[str, ...]) -> bytes:
    """Return the setup of a worker that stands on a rung, as `worker.setup.Setup.from_json` reads it."""
    shown = [(path, path) for path in settings.interpreter_places()]
    packages = settings.package_places()
    # Inside the private root packages get neutral names: their real parents may be places that /tmp links hide.
    paths = [f"/site/{index}" for index in range(len(packages))] if rung.namespaces else packages
    return json.dumps(
        {
            "namespaces": rung.namespaces,
            "user_namespace": rung.namespaces and os.geteuid() != 0,
            "landlock": rung.landlock,
            "seccomp": rung.seccomp,
            "drop": rung.drop,
            "uid": _FIRST_UID + int.from_bytes(os.urandom(3), "big"),  # own process count: no other worker shares it
            "root": root,
            "shown": shown + list(zip(packages, paths, strict=True)),
            "paths": paths,
            "preload": preload,
            "work_mb": settings.WORK_MB,
            "work_inodes": settings.WORK_INODES,
        }
    ).encode()
