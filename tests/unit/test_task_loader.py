from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from auditcoder.errors import TaskError
from auditcoder.records.task import CallsInput, Comparator, FilesInput, FunctionInput, ProgramInput, Task, UnittestInput
from auditcoder.records.values import decode
from auditcoder.tasks.loader import load_task, load_tasks
from auditcoder.tasks.schema import task_schema

DOCS = Path(__file__).parents[2] / "docs"


def loaded(folder: Path, text: str, name: str = "t.toml") -> Task:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load_task(path)


def refused(folder: Path, text: str, name: str = "t.toml") -> TaskError:
    with pytest.raises(TaskError) as caught:
        loaded(folder, text, name)
    return caught.value


def test_a_program(tmp_path: Path) -> None:
    task = loaded(tmp_path, 'statement = "Add."\n[[examples]]\nstdin = "1 2"\nstdout = "3"\n')
    assert (task.id, task.statement, task.entry.kind) == ("t", "Add.\n", "program")
    assert task.examples[0].input == ProgramInput(stdin="1 2")
    assert task.examples[0].expected.stdout == "3"
    assert task.examples[0].comparator == Comparator(kind="lines")


def test_a_function_from_one_call(tmp_path: Path) -> None:
    text = 'statement = "x"\n[[examples]]\ncall = "pair([1, 2], \'x\', {1: None})"\nexpected_py = "(1, {2})"\n'
    task = loaded(tmp_path, text)
    assert task.entry.name == "pair"
    assert task.entry.signature is not None
    assert task.entry.signature.render() == "pair(a: list[int], b: str, c: dict[int, None]) -> tuple[int, set[int]]"
    assert isinstance(task.examples[0].input, FunctionInput)
    assert [decode(arg) for arg in task.examples[0].input.args] == [[1, 2], "x", {1: None}]
    assert decode(task.examples[0].expected.value) == (1, {2})


SIGNATURES = [
    ("f(a, b)", "[1, 'x']", "2.5", "f(a: int, b: str) -> float"),
    ("def f(self, a: 'list[int]', b) -> str:", "[[1], None]", "'s'", "f(a: list[int], b: None) -> str"),
    ("f(a=0, b: int = 1) -> bool", "[[1.5, 2]]", "True", "f(a: list[float], b: int) -> bool"),
    ("f(a)", "[[[1, 'x'], []]]", "()", "f(a: list[list]) -> tuple"),
    ("f(a)", "[{'k': [True]}]", "[(1, 'a'), (2, 'b')]", "f(a: dict[str, list[bool]]) -> list[tuple[int, str]]"),
    ("f(a)", "[[]]", "frozenset({1})", "f(a: list) -> frozenset[int]"),
]


@pytest.mark.parametrize(("signature", "args", "expected", "rendered"), SIGNATURES, ids=[s[3] for s in SIGNATURES])
def test_missing_types_come_from_the_examples(
    tmp_path: Path, signature: str, args: str, expected: str, rendered: str
) -> None:
    document = {
        "statement": "x",
        "entry": {"signature": signature},
        "examples": [{"args_py": args, "expected_py": expected}],
    }
    task = loaded(tmp_path, json.dumps(document), "t.json")
    assert task.entry.signature is not None
    assert task.entry.signature.render() == rendered


def test_a_type_that_is_sometimes_none(tmp_path: Path) -> None:
    examples = [{"args": [1], "expected": None}, {"args": [2.5], "expected": "x"}]
    task = loaded(tmp_path, json.dumps({"statement": "x", "entry": {"name": "f"}, "examples": examples}), "t.json")
    assert task.entry.signature is not None
    assert task.entry.signature.render() == "f(a: float) -> str | None"


def test_a_class_by_calls(tmp_path: Path) -> None:
    text = """
statement = "x"
entry = { name = "Stack" }
[[examples]]
init_py = "(3,)"
calls = [{ method = "push", args = [1] }, { call = "pop()", expected = 1 }, { method = "size", expected = 0 }]
"""
    task = loaded(tmp_path, text)
    assert task.entry.kind == "class"
    rendered = [method.render() for method in task.entry.methods]
    assert rendered == ["__init__(a: int) -> None", "push(a: int) -> None", "pop() -> int", "size() -> int"]
    check = task.examples[0]
    assert isinstance(check.input, CallsInput)
    assert check.input.init == (3,)
    assert check.expected.value == [None, 1, 0]


def test_a_class_by_unittest(tmp_path: Path) -> None:
    source = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        S()\n"
    document = {"statement": "x", "entry": {"name": "S"}, "examples": [{"unittest": source}]}
    task = loaded(tmp_path, json.dumps(document), "t.json")
    assert task.examples[0].input == UnittestInput(source=source)
    assert task.examples[0].expected.passes


def test_a_script(tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("a,b\n", encoding="utf-8")
    text = """
statement = "x"
[files]
"in.csv" = { path = "big.csv" }
"shared.txt" = "s"
[[examples]]
files = { "shared.txt" = "own" }
argv = ["-x"]
[examples.outputs]
"o.json" = "{}"
"o.csv" = { text = "1,2", format = "text" }
"""
    task = loaded(tmp_path, text)
    assert task.entry.kind == "script"
    assert task.entry.outputs == ("o.json", "o.csv")
    given = task.examples[0].input
    assert isinstance(given, FilesInput)
    assert [(file.name, file.text) for file in given.files] == [("in.csv", "a,b\n"), ("shared.txt", "own")]
    assert [(file.name, file.format) for file in task.examples[0].expected.files] == [
        ("o.json", "json"),
        ("o.csv", "text"),
    ]
    assert [file.name for file in task.files] == ["in.csv", "shared.txt"]


def test_comparators_limits_and_accepted_values(tmp_path: Path) -> None:
    text = """
statement = "x"
compare = "floats"
prelude = "import math"
limits = { cpu_seconds = 1, memory_mb = 64 }
[[examples]]
stdin = ""
stdout = "1.0"
[[examples]]
stdout_any = ["1 2", "2 1"]
compare = { kind = "tokens", case_blind = true }
"""
    task = loaded(tmp_path, text)
    assert task.examples[0].comparator == Comparator(kind="floats", rel_tol=1e-6, abs_tol=1e-6)
    assert task.examples[1].comparator == Comparator(kind="tokens", case_blind=True, any_of=True)
    assert task.examples[1].expected.value == ["1 2", "2 1"]
    assert (task.limits.cpu_seconds, task.limits.memory_mb, task.prelude) == (1.0, 64, "import math")


F = 'statement = "x"\nentry = { signature = "f(a: int) -> int" }\n[[examples]]\n'
C = 'statement = "x"\nentry = { name = "C", methods = ["m(a: int)"] }\n[[examples]]\n'
ERRORS = [
    ("no statement", "id = 'a'\n", "statement", "expected the text of the task"),
    ("typo", "statment = 'a'\n", "statment", "unknown field 'statment'"),
    ("not toml", "statement = \n", "", "expected valid TOML"),
    ("wrong type", "statement = 5\n", "statement", "expected a string, got a whole number (5)"),
    ("bad id", "id = '../x'\nstatement = 'a'\n", "id", "expected letters, digits"),
    ("bad kind", "statement = 'a'\nentry = { kind = 'func' }\n", "entry.kind", "expected one of program, function"),
    ("typo inside", "statement = 'a'\n[[examples]]\nstdn = '1'\nstdout = '1'\n", "examples[1].stdn", "unknown field"),
    ("nothing expected", "statement = 'a'\n[[examples]]\nstdin = '1'\n", "examples[1]", "expected stdout"),
    ("examples no list", "statement = 'a'\nexamples = 'x'\n", "examples", "expected a list, got a string"),
    ("example no table", "statement = 'a'\nexamples = ['x']\n", "examples[1]", "expected a table, got a string"),
    ("no name", "statement = 'a'\n[[examples]]\nargs = [1]\nexpected = 1\n", "entry.name", "the name of the function"),
    ("other call", F + "call = 'g(1)'\nexpected = 1\n", "examples[1].call", "expected a call of 'f'"),
    ("count", F + "args = [1, 2]\nexpected = 1\n", "examples[1]", "expected 1 arguments for f, got 2"),
    ("two ways", F + "args = [1]\ncall = 'f(1)'\nexpected = 1\n", "examples[1].args", "only one of call, args"),
    ("two results", F + "args = [1]\nexpected = 1\nexpected_py = '1'\n", "examples[1].expected_py", "only one of"),
    ("no result", F + "args = [1]\n", "examples[1]", "expected one of expected, expected_py"),
    ("no literal", F + "args = [1]\nexpected_py = 'x + 1'\n", "examples[1].expected_py", "expected a Python literal"),
    ("no call", F + "call = 'f'\nexpected = 1\n", "examples[1].call", "expected a call like"),
    ("keyword call", F + "call = 'f(a=1)'\nexpected = 1\n", "examples[1].call", "expected a call like"),
    ("date", F + "args = [2024-01-01]\nexpected = 1\n", "examples[1]", "a value of type date cannot be recorded"),
    ("any of nothing", F + "args = [1]\nexpected_any = []\n", "examples[1].expected_any", "a list of accepted"),
    ("same id", F + "id = 'e'\nargs = [1]\nexpected = 1\n" + "[[examples]]\nid = 'e'\nargs = [1]\nexpected = 1\n",
     "examples[2].id", "expected an id of its own"),
    ("bad compare", F + "args = [1]\nexpected = 1\ncompare = 'near'\n", "examples[1].compare", "expected one of value"),
    ("bad option", F + "args = [1]\nexpected = 1\ncompare = { abs_tol = '' }\n", "examples[1].compare.abs_tol", ""),
    ("bad signature", "statement = 'a'\nentry = { signature = 'f(a' }\n", "entry.signature", "a signature like"),
    ("starred", "statement = 'a'\nentry = { signature = 'f(*a)' }\n", "entry.signature", "positional parameters only"),
    ("keyword name", "statement = 'a'\nentry = { kind = 'function', name = 'def' }\n", "entry.name", "a Python name"),
    ("other name", "statement = 'a'\nentry = { name = 'g', signature = 'f()' }\n", "entry.name", "expected 'f'"),
    ("senseless field", "statement = 'a'\nentry = { kind = 'program', name = 'f' }\n", "entry.name", "means nothing"),
    ("files for a function", F + "args = [1]\nexpected = 1\n[files]\nx = 'y'\n", "files", "means nothing"),
    ("limits", "statement = 'a'\nlimits = { cpu_seconds = -1 }\n", "limits.cpu_seconds", "greater than 0"),
    ("limits text", "statement = 'a'\nlimits = { memory_mb = '64' }\n", "limits.memory_mb", "valid integer"),
    ("prelude", "statement = 'a'\nprelude = 'def'\n", "prelude", "expected Python source"),
    ("unknown method", C + "calls = [{ method = 'n' }]\n", "examples[1].calls", "the method 'n' is not among"),
    ("method count", C + "calls = [{ method = 'm' }]\n", "examples[1]", "expected 1 arguments for m, got 0"),
    ("no method", C + "calls = [{ args = [1] }]\n", "examples[1].calls[1].method", "expected the name of a method"),
    ("no test case", C + "unittest = 'x = 1'\n", "examples[1].unittest", "expected Python source of unittest"),
    ("no calls", C + "init = [1]\n", "examples[1]", "expected calls (or unittest)"),
    ("up", "statement = 'a'\n[[examples]]\noutputs = { '../o' = 'x' }\n", "examples[1].outputs.../o", "relative"),
    ("missing file", "statement = 'a'\n[[examples]]\noutputs = { o = { path = 'no.txt' } }\n",
     "examples[1].outputs.o.path", "cannot be read: No such file"),
    ("format", "statement = 'a'\n[[examples]]\noutputs = { o = { text = '', format = 'xml' } }\n",
     "examples[1].outputs.o", "expected the format to be one of text, csv"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "field", "part"), [e[1:] for e in ERRORS], ids=[e[0] for e in ERRORS])
def test_errors_name_file_field_and_what_was_expected(tmp_path: Path, text: str, field: str, part: str) -> None:
    error = refused(tmp_path, text)
    assert error.fields["file"] == str(tmp_path / "t.toml")
    assert error.fields["field"] == field
    assert part in error.message
    assert error.message.startswith(f"{tmp_path}/t.toml: ")  # the path as it was given


def test_a_typo_gets_the_nearest_name_as_a_hint(tmp_path: Path) -> None:
    assert refused(tmp_path, "statment = 'a'\n").hint.startswith("Did you mean 'statement'?")
    assert "Fields here: id, statement" in refused(tmp_path, "qqqq = 'a'\n").hint


FILES: list[tuple[str, str, bytes, str]] = [
    ("no such file", "none.toml", b"", "cannot be read"),
    ("other suffix", "t.yaml", b"x", "expected a file ending in .toml or .json"),
    ("binary", "t.toml", b"\xff\xfe", "expected a text in UTF-8 (byte 0 is not)"),
    ("list", "t.json", b"[]", "expected a table"),
    ("broken", "t.json", b"{", "expected valid JSON"),
    ("deep", "t.json", b"[" * 100_000, "expected valid JSON"),
    ("deep inside", "t.json", b'{"statement": ' + b"[" * 90 + b"]" * 90 + b"}", "nested too deeply"),
    ("surrogate", "t.json", b'{"statement": "\\ud800"}', "lone surrogates"),
    ("huge", "t.toml", b" " * (4 * 2**20 + 1), "at most"),
]


@pytest.mark.parametrize(("name", "content", "part"), [f[1:] for f in FILES], ids=[f[0] for f in FILES])
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes, part: str) -> None:
    path = tmp_path / name
    if content:
        path.write_bytes(content)
    with pytest.raises(TaskError, match=r"expected|cannot|lone|nested") as caught:
        load_task(path)
    assert part in caught.value.message


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    error = refused(folder, "statement = 'a'\n[[examples]]\noutputs = { o = { path = 'link' } }\n")
    assert "inside the task file's folder" in error.message


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="at least one"):
        load_tasks(tmp_path)
    loaded(tmp_path, "statement = 'b'\n", "b.toml")
    loaded(tmp_path, '{"statement": "a"}', "a.json")
    assert [task.id for task in load_tasks(tmp_path)] == ["a", "b"]
    loaded(tmp_path, "id = 'a'\nstatement = 'c'\n", "c.toml")
    with pytest.raises(TaskError, match=r"c\.toml: id: expected an id of its own"):
        load_tasks(tmp_path)
    with pytest.raises(TaskError, match="expected a folder"):
        load_tasks(tmp_path / "none")


def test_the_committed_schema_is_current_and_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(task_schema())
    committed: Any = json.loads((DOCS / "task.schema.json").read_text(encoding="utf-8"))
    assert committed == task_schema()


def test_the_schema_refuses_what_the_loader_refuses() -> None:
    validator = jsonschema.Draft202012Validator(task_schema())
    assert validator.is_valid({"statement": "x", "examples": [{"stdin": "", "stdout": "1"}]})
    assert not validator.is_valid({"statment": "x"})
    assert not validator.is_valid({"statement": "x", "examples": [{"stdin": ""}]})
    assert not validator.is_valid({"statement": "x", "examples": [{"stdin": "", "expected": 1}]})
    assert not validator.is_valid({"statement": "x", "entry": {"kind": "func"}})
    assert not validator.is_valid({"statement": "x", "compare": "near"})
