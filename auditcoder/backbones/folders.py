"""Where files of ours live on this machine, and the hashes of large files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

_BLOCK = 1 << 22


def cache_folder() -> Path:
    """Return the folder for everything that can be fetched or computed again (`AUDITCODER_CACHE`)."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("AUDITCODER_CACHE") or Path(base) / "auditcoder")


def models_folder() -> Path:
    """Return the folder that fetched weights are stored in."""
    return cache_folder() / "models"


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file; kept beside the cache while path, size and times stay the same."""
    stat = path.stat()
    stamp = f"{path.absolute()}|{stat.st_size}|{stat.st_mtime_ns}|{stat.st_ino}"
    store = cache_folder() / "hashes" / f"{hashlib.sha256(stamp.encode()).hexdigest()[:32]}.json"
    if (known := _read_hash(store, stamp)) is not None:
        return known
    digest = hash_file(path)
    write_atomically(store, json.dumps({"stamp": stamp, "sha256": digest}).encode())
    return digest


def hash_file(path: Path, size: int | None = None, each: Callable[[int], None] | None = None) -> str:
    """Return the SHA-256 of the first `size` bytes of a file (all by default), telling `each` the bytes done."""
    digest, left, done = hashlib.sha256(), path.stat().st_size if size is None else size, 0
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            digest.update(block)
            left, done = left - len(block), done + len(block)
            if each is not None:
                each(done)
    return digest.hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Put a file in place whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)


def _read_hash(store: Path, stamp: str) -> str | None:
    try:
        entry = json.loads(store.read_bytes())
        return str(entry["sha256"]) if entry["stamp"] == stamp else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
