"""The weights of an embedded profile: found on this machine, or fetched once and verified."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from auditcoder.backbones.folders import file_sha256, models_folder
from auditcoder.backbones.manifest import WeightsEntry, weights_entry
from auditcoder.backbones.profiles import Profile
from auditcoder.errors import ConfigError, ModelFetchError

FOLDER_VARIABLE = "AUDITCODER_MODELS"


class FetchProgress(NamedTuple):
    """How far a fetch is."""

    source: str
    """Where the bytes come from, or `verify`."""
    done: int
    total: int


OnFetch = Callable[[FetchProgress], None]


def weights_file(profile: Profile, *, progress: OnFetch | None = None) -> Path:
    """Return the file of an embedded profile, fetched on first use.

    Raises:
        ConfigError: the profile has no weights, or names a file that is not there.
        ModelFetchError: no source delivered it.
    """
    if profile.path:
        path = Path(profile.path).expanduser()
        if not path.is_file():
            raise ConfigError(f"Profile '{profile.name}': no file at {path}", field="path")
        return path
    entry = weights_entry(profile.weights)
    found = find_weights(entry)
    if found is None:
        raise ModelFetchError(f"no weights {entry.name}")
    return found


def find_weights(entry: WeightsEntry) -> Path | None:
    """Return a verified copy of the file on this machine: in the named folder first, then in the cache."""
    for folder in _folders():
        path = folder / entry.file
        if path.is_file() and path.stat().st_size == entry.bytes and file_sha256(path) == entry.sha256:
            return path
    return None


def _folders() -> list[Path]:
    named = os.environ.get(FOLDER_VARIABLE)
    return [*([Path(named).expanduser()] if named else []), models_folder()]
