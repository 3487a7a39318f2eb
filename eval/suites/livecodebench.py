"""LiveCodeBench, read from its published JSON lines: problems over standard input, or a method of `Solution`."""

from __future__ import annotations

import ast
import base64
import io
import json
import pickle
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from auditcoder.errors import TaskError
from auditcoder.eval.suites.data import Row, data_folder, field, pack_files, picked, read_rows
from auditcoder.records.task import (
    CallsInput,
    Check,
    Comparator,
    EntryPoint,
    Expected,
    FunctionSignature,
    Limits,
    MethodCall,
    ProgramInput,
    Task,
)
from auditcoder.records.values import encode
from auditcoder.tasks.signatures import signature_of

NAME = "livecodebench"
FILES = "*.jsonl*"
LIMITS = Limits(cpu_seconds=6.0, memory_mb=1024)
SOLUTION = "Solution"
PRELUDE = "from typing import Any, Dict, List, Optional, Set, Tuple"
MOST_BYTES = 1 << 30
"""Of a task's hidden tests when unpacked."""
_EXACT = Comparator(kind="floats", rel_tol=0, abs_tol=0)
"""Token by token, numbers by their value."""


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these question ids in their order, or all; visible are the public test cases.

    Raises:
        TaskError: the data is absent or malformed, or a question is not there.
    """
    folder = data_folder(data_dir) / NAME
    return tuple(_task(one, row, folder) for one, row in picked(rows(folder), ids, folder))


def rows(folder: Path) -> dict[str, Row]:
    """Return the rows by question id. Hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    return {field(row, "question_id", str, path): row for path in pack_files(folder, FILES) for row in read_rows(path)}


def _task(question: str, row: Row, folder: Path) -> Task:
    statement = field(row, "question_content", str, folder).strip() + "\n"
    starter = str(row.get("starter_code") or "").strip()
    cases = cases_in(field(row, "public_test_cases", str, folder), folder)
    checks = [check_of(f"example-{number}", case, row, folder) for number, case in enumerate(cases, start=1)]
    if starter:
        statement += f"\nComplete this class:\n\n```python\n{starter}\n```\n"
    return Task(
        id=f"{NAME}-{question}",
        statement=statement,
        entry=entry_of(row, folder),
        examples=tuple(checks),
        limits=LIMITS,
        prelude=PRELUDE if starter else "",
    )


def entry_of(row: Row, folder: Path) -> EntryPoint:
    """Return how a program for a question is entered.

    Raises:
        TaskError: its starter code does not show the method.
    """
    starter = str(row.get("starter_code") or "").strip()
    if not starter:
        return EntryPoint(kind="program")
    return EntryPoint(kind="class", name=SOLUTION, methods=(_method(starter, _method_name(row, folder), folder),))


def _method_name(row: Row, folder: Path) -> str:
    try:
        name = json.loads(field(row, "metadata", str, folder)).get("func_name")
    except (ValueError, AttributeError, RecursionError) as error:
        raise TaskError(f"{folder}: metadata is malformed", field="metadata") from error
    if not isinstance(name, str):
        raise TaskError(f"{folder}: metadata without func_name", field="metadata")
    return name.rpartition(".")[2]


def _method(starter: str, name: str, folder: Path) -> FunctionSignature:
    try:
        tree = ast.parse(f"{starter}\n        pass\n")
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
        return signature_of(functions[0]).signature
    except (SyntaxError, ValueError, IndexError) as error:
        raise TaskError(f"{folder}: starter code without the method {name}", field="starter_code") from error


def cases_in(text: str, folder: Path) -> list[Row]:
    """Return the test cases in a field: JSON, or JSON that was pickled, compressed and written in base 64.

    Raises:
        TaskError: it is neither.
    """
    try:
        cases = json.loads(text if text.lstrip().startswith("[") else _unpacked(text))
    except (ValueError, zlib.error, EOFError, RecursionError, pickle.UnpicklingError) as error:
        raise TaskError(f"{folder}: test cases are malformed: {error}", field="test_cases") from error
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise TaskError(f"{folder}: expected a list of test cases", field="test_cases")
    return cases


def _unpacked(text: str) -> str:
    packed = zlib.decompressobj()
    raw = packed.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    found = _Texts(io.BytesIO(raw)).load()
    if packed.unconsumed_tail or not isinstance(found, str):
        raise ValueError("expected a pickled text")
    return found


class _Texts(pickle.Unpickler):
    """Reads plain values only: whatever needs a class or a function is refused."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed here")


def check_of(check_id: str, case: Row, row: Row, folder: Path) -> Check:
    """Return the check of a test case.

    Raises:
        TaskError: it is malformed.
    """
    given, output = field(case, "input", str, folder), field(case, "output", str, folder)
    if case.get("testtype") != "functional":
        return Check(id=check_id, input=ProgramInput(stdin=given), expected=Expected(stdout=output), comparator=_EXACT)
    args = tuple(encode(_json(line, folder)) for line in given.split("\n") if line.strip())
    calls = CallsInput(calls=(MethodCall(method=_method_name(row, folder), args=args),))
    expected = Expected(value=[encode(_json(output, folder))], has_value=True)
    return Check(id=check_id, input=calls, expected=expected, comparator=Comparator(bool_is_int=True))


def _json(text: str, folder: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{folder}: an argument is no JSON: {text[:60]!r}", field="test_cases") from error
