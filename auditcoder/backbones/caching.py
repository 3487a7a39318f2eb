"""Answers kept on disk across runs, by model file, sampling and request."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dspy.lm15 import Request, Response

from auditcoder.backbones.folders import cache_folder, write_atomically
from auditcoder.backbones.wire import request_json, response_from_json, response_json
from auditcoder.errors import RecordError
from auditcoder.records.base import sha256_json
from auditcoder.records.config import ModelFacts

OFF_VARIABLE = "AUDITCODER_NO_CACHE"


class AnswerCache:
    """Finished answers of repeatable requests. Errors and truncated answers are never kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, facts: ModelFacts, request: Request) -> Response | None:
        """Return the kept answer to this very request to this very model, or None."""
        try:
            return response_from_json(self._path(facts, request).read_bytes())
        except (OSError, RecordError):
            return None  # absent, or written by another version: ask again

    def put(self, facts: ModelFacts, request: Request, response: Response) -> None:
        """Keep an answer, if it is a whole one and asking again should give the same."""
        if response.finish_reason == "stop" and repeatable(request):
            write_atomically(self._path(facts, request), response_json(response).encode())

    def _path(self, facts: ModelFacts, request: Request) -> Path:
        identity: list[Any] = [facts.model, facts.sha256, facts.runtime, request_json(request)]
        key = sha256_json(identity)
        return self.folder / key[:2] / f"{key}.json"


def repeatable(request: Request) -> bool:
    """Return whether a request names all that decides its answer: greedy, or drawn with a seed."""
    config = request.config
    return config.temperature == 0 or config.seed is not None


def default_cache() -> AnswerCache | None:
    """Return the cache of this user, or None where `AUDITCODER_NO_CACHE` is set."""
    return None if os.environ.get(OFF_VARIABLE) else AnswerCache(cache_folder() / "answers")
