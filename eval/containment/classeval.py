"""ClassEval programs as subjects: reference solution split by method, the pack's unit tests as Q, one check a test."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditcoder.errors import TaskError
from auditcoder.eval.containment.classes import split_class
from auditcoder.eval.containment.docstrings import class_examples
from auditcoder.eval.containment.subject import Subject
from auditcoder.eval.suites.data import data_folder, field
from auditcoder.records.task import Check, EntryPoint, Expected, UnittestInput

FILE = "ClassEval_data_60.json"
LEFT_OUT = (17, 48, 58)
"""Programs whose tests depend on the date, the network or chance (the pack's own notes)."""


def subjects(data_dir: Path | str | None = None) -> Iterator[Subject]:
    """Yield every ClassEval program whose tests are deterministic, in the pack's order.

    Raises:
        TaskError: the data is absent or malformed.
    """
    path = data_folder(data_dir) / "classeval" / FILE
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaskError(f"{path}: benchmark data is absent or not readable: {error}", file=str(path)) from error
    for row in rows:
        if int(str(row["task_id"]).rpartition("_")[2]) not in LEFT_OUT:
            yield _subject(row, path)


def _subject(row: dict[str, Any], path: Path) -> Subject:
    name = field(row, "class_name", str, path)
    code = field(row, "solution_code", str, path)
    imports = [line for line in field(row, "import_statement", list, path) if line not in code]
    docs = docs_of(row, path)
    split = split_class("\n".join([*imports, code]), name, docs)
    cases = [case.strip() for case in field(row, "test_classes", list, path)]
    return Subject(
        id=str(row["task_id"]).lower().replace("_", "-"),
        pack="classeval",
        entry=EntryPoint(kind="class", name=name),
        graph=split.graph,
        parts=split.parts,
        layout=split.layout,
        checks=tuple(unit_checks(field(row, "test", str, path), cases)),
        examples=tuple(class_examples({node.id: docs.get(node.goal, "") for node in split.graph.nodes[1:]})),
    )


def docs_of(row: dict[str, Any], path: Path) -> dict[str, str]:
    """Return the docstring of every method that the skeleton gives one; none where it does not parse."""
    try:
        tree = ast.parse(field(row, "skeleton", str, path))
    except SyntaxError:
        return {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {function.name: ast.get_docstring(function) or "" for function in functions}


def unit_checks(source: str, cases: list[str]) -> Iterator[Check]:
    """Yield one check for every test method of the named test cases, in order.

    A check's source is the test module with this one test only; what else the module and the case define stays.
    """
    tree = ast.parse(source)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    others = [node for node in tree.body if not (isinstance(node, ast.ClassDef) and node.name in cases)]
    before = "\n".join(ast.unparse(node) for node in others)
    for case in (node for node in classes if node.name in cases):
        tests = [part for part in case.body if _is_test(part)]
        for test in tests:
            body = [part for part in case.body if part is test or not _is_test(part)]
            alone = copy.copy(case)
            alone.body = body
            text = f"{before}\n\n\n{ast.unparse(alone)}\n"
            assert isinstance(test, ast.FunctionDef)
            yield Check(
                id=f"{case.name}.{test.name}",
                origin="internal",
                input=UnittestInput(source=text),
                expected=Expected(passes=True),
            )


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test")
