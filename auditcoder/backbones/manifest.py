"""The weights manifest: which files the profiles use, their SHA-256, and where the bytes can be had."""

from __future__ import annotations

import difflib
from functools import cache
from importlib import resources

from auditcoder.errors import ConfigError
from auditcoder.records.base import Record


class Hub(Record):
    """The file at its publisher."""

    repo: str
    file: str


class Part(Record):
    """A package whose one data member is a piece of the file. A container of bytes: never installed or imported."""

    package: str
    version: str
    filename: str
    wheel_bytes: int
    wheel_sha256: str
    member: str
    member_bytes: int
    member_sha256: str


class WeightsEntry(Record):
    """One file. Its SHA-256 is what is trusted, not the place that it came from."""

    name: str
    file: str
    bytes: int
    sha256: str
    quantization: str
    license: str
    hub: Hub
    parts: tuple[Part, ...]
    """In order; the members concatenated are the file."""


class Manifest(Record):
    """All files that a profile can name."""

    models: tuple[WeightsEntry, ...]


@cache
def load_manifest() -> Manifest:
    """Return the manifest that ships with the package."""
    return Manifest.model_validate_json(resources.files("auditcoder.backbones").joinpath("weights.json").read_bytes())


def weights_entry(name: str) -> WeightsEntry:
    """Return the entry of that name.

    Raises:
        ConfigError: there is none.
    """
    entries = {entry.name: entry for entry in load_manifest().models}
    if name not in entries:
        near = difflib.get_close_matches(name, entries, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(sorted(entries))}"
        raise ConfigError(f"There are no weights named '{name}'", hint=hint, field="weights")
    return entries[name]
