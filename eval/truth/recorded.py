"""Programs that models wrote, with the outcome that the pack's makers found when they ran them again."""

from __future__ import annotations

from pathlib import Path

from auditcoder.eval.suites.data import data_folder, field, read_rows
from auditcoder.eval.truth.program import HEADER, Program

PACKS = ("apps", "classeval", "humaneval", "mbpp")
_HEADED = ("humaneval", "mbpp")


def recorded(suite: str, data: Path | str | None = None) -> list[Program]:
    """Return the recorded programs of a suite, ids counted from 0 in the pack's file; none where it has none.

    Raises:
        TaskError: the data is absent or malformed.
    """
    if suite not in PACKS:
        return []
    path = data_folder(data) / "llm-programs" / f"{suite}.jsonl"
    return [
        Program(
            f"{suite}:{number}",
            suite,
            str(row.get("task_id")).rpartition("/")[2].rpartition("_")[2],
            (f"{HEADER}\n" if suite in _HEADED else "") + field(row, "code", str, path),
            field(row, "rerun", str, path),
            stdin=suite == "apps",
        )
        for number, row in enumerate(read_rows(path))
    ]
