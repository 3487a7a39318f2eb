"""Hidden tests of QF-Small6: the published test functions, run on the written files in a process of their own."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

from auditcoder.errors import TaskError
from auditcoder.eval.hidden.judging import PASSED
from auditcoder.eval.hidden.tests import HiddenTests
from auditcoder.eval.suites import qf
from auditcoder.eval.suites.data import Row, field
from auditcoder.records.task import Check, EntryPoint, Expected, FilesInput

_LIBRARY = """
import math as math_
import sys as sys_
import types as types_


class Approx:
    def __init__(self, value, rel=1e-6, abs=1e-12):
        self.value, self.rel, self.abs = value, rel or 0.0, abs or 0.0

    def __eq__(self, other):
        return math_.isclose(other, self.value, rel_tol=self.rel, abs_tol=self.abs)


def fixture(*given, **named):
    return given[0] if given and callable(given[0]) else lambda function: function


def parametrize(names, rows, **named):
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [dict(zip(names, row if len(names) > 1 else (row,))) for row in rows]

    def mark(function):
        function.rows = [dict(a, **b) for a in getattr(function, "rows", [{}]) for b in rows]
        return function

    return mark


pytest_ = types_.ModuleType("pytest")
pytest_.approx, pytest_.fixture = Approx, fixture
pytest_.mark = types_.SimpleNamespace(parametrize=parametrize)
sys_.modules["pytest"] = pytest_
"""
_DRIVER = f"""
import contextlib as contextlib_
import inspect as inspect_
import io as io_


def filled(function, known):
    names = [name for name in inspect_.signature(function).parameters if name != "self"]
    return {{name: known[name] if name in known else made(name) for name in names}}


def made(name):
    function = globals()[name]
    return function(**filled(function, {{}}))


def run_test(name):
    case, _, method = name.rpartition(".")
    function = getattr(globals()[case](), method) if case else globals()[method]
    for row in getattr(function, "rows", [{{}}]):
        function(**filled(function, row))


with contextlib_.redirect_stdout(io_.StringIO()):
    run_test(sys_.argv[1])
print("{PASSED}")
"""
"""The part of pytest that the published tests use; their own names do not end in an underscore."""


def qf_hidden(task_id: str, data_dir: Path | str | None = None) -> HiddenTests:
    """Return the tests of a task: each is a run of the grader on the input and output files.

    Raises:
        TaskError: the task is unknown, or the pack does not hold its tests.
    """
    folder = qf.folder_of(task_id, data_dir)
    tests = qf.local(field(published(folder), "test_outputs_py", str, folder))
    files = qf.given_files(folder)
    checks = tuple(
        Check(
            id=f"hidden-{number}-{name}",
            input=FilesInput(files=files, argv=(name,)),
            expected=Expected(stdout=f"{PASSED}\n"),
        )
        for number, name in enumerate(_names(tests), start=1)
    )
    entry = EntryPoint(kind="script", outputs=qf.outputs(qf.statement(folder)))
    grader = f"{_LIBRARY}\n{tests}\n{_DRIVER}"
    return HiddenTests(f"{qf.NAME}-{task_id}", entry, checks, grader=grader, given=FilesInput(files=files))


def published(folder: Path) -> Row:
    """Return the tests and the solution of a task.

    Raises:
        TaskError: the pack does not hold them, or they are malformed.
    """
    found = sorted(folder.glob(qf.TESTS))
    if not found:
        raise TaskError(f"{qf.NAME}-{folder.name}: its tests are held out", field="id")
    try:
        row = json.loads(found[0].read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TaskError(f"{found[0]}: benchmark data is not readable: {error}", file=str(found[0])) from error
    if not isinstance(row, dict):
        raise TaskError(f"{found[0]}: expected an object", file=str(found[0]))
    return row


def _names(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.name
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from (
                f"{node.name}.{part.name}"
                for part in node.body
                if isinstance(part, ast.FunctionDef) and part.name.startswith("test")
            )
