"""What the supervisor tells a worker at its start; plain data, no code."""

from __future__ import annotations

from typing import Any, NamedTuple


class Setup(NamedTuple):
    """The rung to stand on and the places to show. The worker gives exactly this or refuses to start."""

    namespaces: bool
    user_namespace: bool
    landlock: bool
    seccomp: bool
    drop: str
    """`uid` (change to `uid`), `caps` (give up all capabilities) or `none`."""
    uid: int
    root: str
    """An empty folder: mount point of the new root, or parent of the work folders where there are no namespaces."""
    shown: tuple[tuple[str, str], ...]
    """(path here, path inside) of what programs may read."""
    paths: tuple[str, ...]
    """`sys.path` entries to add, as seen from inside."""
    preload: tuple[str, ...]
    work_mb: int
    work_inodes: int

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Setup:
        """Return the setup that the supervisor wrote as JSON."""
        lists = {
            "shown": tuple((a, b) for a, b in data["shown"]),
            "paths": tuple(data["paths"]),
            "preload": tuple(data["preload"]),
        }
        return cls(**{**data, **lists})
