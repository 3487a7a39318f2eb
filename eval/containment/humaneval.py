"""HumanEval programs as subjects: reference solution split by function, docstring examples and the pack's tests as Q.

In this study no test is hidden: nothing is generated, so nothing can be fitted to them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditcoder.eval.containment.functions import FunctionLayout, split_functions
from auditcoder.eval.containment.subject import Subject
from auditcoder.eval.suites import humaneval
from auditcoder.eval.suites.assertions import shown_by
from auditcoder.eval.suites.data import data_folder, field
from auditcoder.records.task import Check, Expected, FunctionInput, Task, UnittestInput
from auditcoder.records.values import encode

MOST_TESTS = 40
"""Tests of the pack that are taken, in their order."""


def subjects(data_dir: Path | str | None = None) -> Iterator[Subject]:
    """Yield every HumanEval program, in ascending order.

    Raises:
        TaskError: the data is absent or malformed.
    """
    path = data_folder(data_dir) / "humaneval" / humaneval.OFFICIAL
    rows = humaneval.rows_by_number(path)
    for task in humaneval.load(sorted(rows), data_dir):
        yield _subject(task, rows[int(task.id.rpartition("-")[2])], path)


def _subject(task: Task, row: dict[str, Any], path: Path) -> Subject:
    source = field(row, "prompt", str, path) + field(row, "canonical_solution", str, path)
    split = split_functions(source, task.entry.name)
    return Subject(
        id=task.id,
        pack="humaneval",
        entry=task.entry,
        graph=split.graph,
        parts=split.parts,
        layout=FunctionLayout(task.model_copy(update={"prelude": split.prelude})),
        checks=task.examples,
        reserve=_reserve(row, path),
    )


def _reserve(row: dict[str, Any], path: Path) -> tuple[Check, ...]:
    """Return the pack's tests as calls; where none can be read as one, the whole test as one check."""
    source, name = field(row, "test", str, path), field(row, "entry_point", str, path)
    calls = tuple(_tests(source))
    whole = f"{source}\n\nimport unittest\n\n\nclass PackTest(unittest.TestCase):\n    def test_pack(self):\n"
    given = UnittestInput(source=f"{whole}        check({name})\n")
    return calls or (Check(id="test", origin="internal", input=given, expected=Expected(passes=True)),)


def _tests(source: str) -> Iterator[Check]:
    """Yield the assertions `candidate(literals) == literal` of the pack's `check` function; others are left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == "check":
            asserts = [ast.unparse(part) for part in node.body if isinstance(part, ast.Assert)]
            shown = [found for text in asserts if (found := shown_by(text, "candidate"))]
            for number, one in enumerate(shown[:MOST_TESTS], start=1):
                yield Check(
                    id=f"test-{number}",
                    origin="internal",
                    input=FunctionInput(args=tuple(encode(arg) for arg in one.args)),
                    expected=Expected(value=encode(one.result), has_value=True),
                    comparator=one.comparator,
                )
