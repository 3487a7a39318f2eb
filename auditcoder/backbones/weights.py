"""The weights of an embedded profile: found on this machine, or fetched once and verified."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from auditcoder.backbones.folders import file_sha256, models_folder, write_atomically
from auditcoder.backbones.manifest import WeightsEntry, weights_entry
from auditcoder.backbones.partial import FetchProgress, OnFetch, PartialFile
from auditcoder.backbones.profiles import Profile, get_profile
from auditcoder.backbones.sources import Source, SourceError, default_sources
from auditcoder.errors import ConfigError, ModelFetchError
from auditcoder.paths import is_file, short

__all__ = ["FetchProgress", "OnFetch", "fetch_entry", "fetch_weights", "find_weights", "weights_file"]

FOLDER_VARIABLE = "AUDITCODER_MODELS"


def weights_file(profile: Profile, *, progress: OnFetch | None = None) -> Path:
    """Return the file of an embedded profile, fetched on first use.

    Raises:
        ConfigError: the profile has no weights, or names a file that is not there.
        ModelFetchError: no source delivered it.
    """
    if profile.path:
        path = Path(profile.path).expanduser()
        if not is_file(path):
            raise ConfigError(f"Profile '{profile.name}': no file at {short(path)}", field="path")
        return path
    if profile.engine != "embedded":
        raise ConfigError(f"Profile '{profile.name}' runs on a server: there are no weights to fetch", field="weights")
    entry = weights_entry(profile.weights)
    return find_weights(entry) or fetch_entry(entry, progress=progress)


def fetch_weights(name: str, *, config: Path | None = None, progress: OnFetch | None = None) -> Path:
    """Return the verified weights file of the profile of that name, fetched if it is not there yet."""
    return weights_file(get_profile(name, config), progress=progress)


def find_weights(entry: WeightsEntry) -> Path | None:
    """Return a verified copy of the file on this machine: in the named folder first, then in the cache."""
    for folder in _folders():
        path = folder / entry.file
        if is_file(path) and path.stat().st_size == entry.bytes and file_sha256(path) == entry.sha256:
            return path
    return None


def fetch_entry(
    entry: WeightsEntry,
    *,
    folder: Path | None = None,
    sources: Sequence[Source] | None = None,
    progress: OnFetch | None = None,
) -> Path:
    """Return the file after fetching it from the first source that delivers it.

    An interrupted fetch goes on where it was, from whatever source; what comes out is accepted by its SHA-256 alone.

    Raises:
        ModelFetchError: none delivered it; `tried` says what each one said.
    """
    target = PartialFile(entry, folder or models_folder(), progress)
    with target.locked():
        if (found := _there(target)) is not None:
            return found
        target.check_space()
        tried = []
        for source in default_sources() if sources is None else sources:
            if (reason := _try(source, target)) is None:
                _leave_notice(target)
                return target.final
            tried.append((source.name, reason))
    raise _failed(entry, target.final.parent, tuple(tried))


def _there(target: PartialFile) -> Path | None:
    # Another process may have finished it while we waited for the lock.
    path, entry = target.final, target.entry
    whole = path.is_file() and path.stat().st_size == entry.bytes and file_sha256(path) == entry.sha256
    return path if whole else None


def _try(source: Source, target: PartialFile) -> str | None:
    """Return why a source failed, or None when the file is in place."""
    try:
        target.tell(source.name)
        source.fetch(target)
    except SourceError as exc:
        return str(exc)
    if target.finish():
        return None
    missing = target.entry.bytes - target.size()
    return (
        "the bytes do not have the pinned SHA-256" if missing == target.entry.bytes else f"{missing} bytes are missing"
    )


def _failed(entry: WeightsEntry, folder: Path, tried: tuple[tuple[str, str], ...]) -> ModelFetchError:
    lines = "\n".join(f"  {name}: {reason}" for name, reason in tried) or "  (no source is enabled)"
    return ModelFetchError(
        f"The weights {entry.file} ({entry.bytes >> 20} MiB) could not be fetched:\n{lines}",
        hint=(
            f"Put the file into {folder} or a folder named by {FOLDER_VARIABLE} (repository {entry.hub.repo}), "
            "use --model gguf:FILE, or use a server: --model ollama/MODEL."
        ),
        tried=tried,
    )


def _leave_notice(target: PartialFile) -> None:
    notice = Path(__file__).with_name("MODEL_NOTICE.txt").read_bytes()
    write_atomically(target.final.with_suffix(".NOTICE.txt"), notice)


def _folders() -> list[Path]:
    named = os.environ.get(FOLDER_VARIABLE)
    return [*([Path(named).expanduser()] if named else []), models_folder()]
