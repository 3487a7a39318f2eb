"""Loaders and hidden tests on small made-up packs of the published formats."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditcoder.errors import TaskError
from auditcoder.eval.hidden import HiddenTests, apps_hidden, hidden_tests, judge
from auditcoder.eval.suites import apps, humaneval
from auditcoder.eval.suites.reference import is_reference, resolve
from auditcoder.records.task import FunctionInput, ProgramInput, Task
from auditcoder.sandbox.executor import SandboxExecutor

CANARY = "canary-5f1c"

ROWS: list[dict[str, Any]] = [
    {
        "id": 11,
        "description": "Repeat the text.",
        "starter_code": "\ndef repeat(text, times=2):\n\t",
        "sample_io": [{"input": "a b\n3", "output": ["a ba ba b"]}, {"input": "x", "output": ["xx"]}],
        "test_list": [{"input": f"{CANARY}\n1", "output": [CANARY]}, {"input": "c", "output": ["cc"]}],
    },
    {
        "id": 12,
        "description": "Print the sum.",
        "difficulty": "interview",
        "starter_code": "",
        "sample_io": [{"input": "1 2\n", "output": ["3\n"]}],
        "test_list": [{"input": "4 5\n", "output": ["9"]}, {"input": f"0 0\n{CANARY}", "output": ["0"]}],
    },
    {
        "id": 13,
        "description": "Print any number below 5.",
        "starter_code": "",
        "sample_io": [{"input": "", "output": ["4"]}],
        "test_list": [{"input": "", "output": ["1"]}],
    },
    {
        "id": 1613,
        "description": "Strip.",
        "starter_code": "\ndef strip(text, markers):\n\t",
        "sample_io": [{"input": "a # b\nc\n['#']", "output": ["a\nc"]}, {"input": "a\n[oops", "output": ["a"]}],
        "test_list": [],
    },
    {
        "id": 14,
        "description": "Halve a number, refuse others.",
        "starter_code": "\ndef half(n):\n\t",
        "sample_io": [{"input": "3", "output": [1.5]}, {"input": "word", "output": [[]]}],
        "test_list": [],
    },
]
NOTES = [
    {"id": 11, "style": "function", "fn_name": "repeat", "arg_kinds": "SL"},
    {"id": 12, "style": "stdio"},
    {"id": 13, "style": "stdio", "special_checker": "any number below 5"},
    {"id": 1613, "style": "function", "fn_name": "strip", "arg_kinds": "SL"},
    {"id": 14, "style": "function", "fn_name": "half", "arg_kinds": "M"},
]
CALLS = [
    {
        "id": 11,
        "fn_name": "repeat",
        "cases": [{"args": [CANARY, 1], "expected": CANARY}, {"args": ["c"], "expected": "cc"}],
    }
]
PROMPT = 'import math\n\n\ndef helper(x):\n    return x + 1\n\n\ndef grow(x: float, times: int):\n    """Grow."""\n'
OFFICIAL = [
    {
        "task_id": "HumanEval/0",
        "prompt": PROMPT,
        "entry_point": "grow",
        "canonical_solution": f"    {CANARY!r}\n    return x + times\n",
        "test": f"def check(candidate):\n    assert candidate(1, 2) == 3, {CANARY!r}\n    assert candidate(0, 0) == 0",
    },
]
VISIBLE = [
    {
        "task_id": "HumanEval/0",
        "sample_io": [
            "assert grow(1.5, 2) == 3.5",
            "assert round(grow(1, 2), 2) == 3.0",
            "assert grow(helper(1), 2) == 4",
            "assert other(1) == 2",
            "assert grow(1, 1)",
            "not python (",
            "",
        ],
        "test": CANARY,
    },
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "apps").mkdir()
    (tmp_path / "humaneval").mkdir()
    _write(tmp_path / "apps" / apps.ROWS, [*ROWS, ROWS[0]])
    _write(tmp_path / "apps" / apps.NOTES, NOTES)
    _write(tmp_path / "apps" / "call_args.jsonl", CALLS)
    _write(tmp_path / "humaneval" / humaneval.VISIBLE, VISIBLE)
    with gzip.open(tmp_path / "humaneval" / humaneval.OFFICIAL, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in OFFICIAL)
    return tmp_path


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def executor() -> Iterator[SandboxExecutor]:
    with SandboxExecutor(minimum_level=0, allow_weak=True) as made:
        yield made


def test_no_task_holds_anything_hidden(data: Path) -> None:
    tasks = [*apps.load(None, data), *humaneval.load(None, data)]
    assert [task.id for task in tasks] == ["apps-11", "apps-12", "apps-13", "apps-1613", "apps-14", "humaneval-0"]
    assert all(CANARY not in task.model_dump_json() for task in tasks)


def test_the_canary_is_really_in_the_hidden_tests(data: Path) -> None:
    for task in (*apps.load([11, 12], data), *humaneval.load(None, data)):
        hidden = hidden_tests(task, data)
        assert any(CANARY in check.model_dump_json() for check in hidden.checks)
        assert CANARY not in repr(hidden)


def _args(task: Task) -> list[tuple[Any, ...]]:
    return [check.input.args for check in task.examples if isinstance(check.input, FunctionInput)]


def test_apps_examples_are_typed_again(data: Path) -> None:
    repeat, strip, half = apps.load([11, 1613, 14], data)
    assert _args(repeat) == [("a b", 3), ("x",)]
    assert repeat.entry.signature is not None
    assert repeat.entry.signature.render() == "repeat(text: str, times: int) -> str"
    assert "def repeat(text, times=2):" in repeat.statement
    assert _args(strip) == [("a # b\nc", ["#"])]
    assert _args(half) == [(3,), ("word",)]
    assert [check.expected.value for check in half.examples] == [1.5, []]


def test_apps_programs_and_tasks_with_several_answers(data: Path) -> None:
    total, free = apps.load([12, 13], data)
    assert total.examples[0].input == ProgramInput(stdin="1 2\n")
    assert (total.examples[0].expected.stdout, total.examples[0].comparator.kind) == ("3\n", "apps")
    assert free.examples[0].expected.input_only
    assert free.examples[0].note


def test_humaneval_examples_prelude_and_signature(data: Path) -> None:
    (task,) = humaneval.load([0], data)
    assert _args(task) == [(1.5, 2), (1, 2)]
    assert [check.comparator.abs_tol for check in task.examples] == [1e-9, 0.005]
    assert task.prelude == "import math\n\n\ndef helper(x):\n    return x + 1"
    assert task.entry.signature is not None
    assert task.entry.signature.render() == "grow(x: float, times: int) -> float"
    assert PROMPT.strip() in task.statement


def test_numbers_leave_out_what_no_test_decides(data: Path) -> None:
    assert apps.numbers(data) == (11, 12, 14, 1613)
    assert apps.numbers(data, level="interview") == (12,)
    assert apps.numbers(data, level="none") == ()
    assert humaneval.numbers(data) == (0,)


def test_references(data: Path) -> None:
    assert [task.id for task in resolve("apps:12,11", data)] == ["apps-12", "apps-11"]
    assert [task.id for task in resolve("humaneval:all", data)] == ["humaneval-0"]
    assert is_reference("apps:1")
    assert not is_reference("examples/apps.toml")
    assert not is_reference("C:task.toml")


REFUSED = [("apps:x", "there is no task x"), ("apps:", "no task reference"), ("nosuite:1", "no task reference"),
           ("apps:1,,2", "no task reference"),
           ("apps:99", "there is no task 99"), ("humaneval:99", "there is no task 99")]  # fmt: skip


@pytest.mark.parametrize(("reference", "part"), REFUSED, ids=[r for r, _ in REFUSED])
def test_references_that_mean_nothing(data: Path, reference: str, part: str) -> None:
    with pytest.raises(TaskError) as caught:
        resolve(reference, data)
    assert part in caught.value.message
    assert caught.value.hint


def test_absent_data_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUDITCODER_DATA", raising=False)
    with pytest.raises(TaskError, match="AUDITCODER_DATA"):
        resolve("apps:11")
    monkeypatch.setenv("AUDITCODER_DATA", str(tmp_path / "none"))
    with pytest.raises(TaskError, match="no such folder"):
        resolve("apps:11")
    monkeypatch.setenv("AUDITCODER_DATA", str(tmp_path))
    with pytest.raises(TaskError, match="data is absent"):
        resolve("humaneval:0")


BROKEN = ["{", "[1]", '{"id": "x"}', '{"id": 11}', '{"id": 11, "description": "d", "sample_io": 5}', "\ufffd",
          '{"id": 11, "description": "d", "starter_code": "def f(x):", "sample_io": [{"input": "1"}]}',
          '{"id": 11, "description": "d", "starter_code": "def f(x):", "sample_io": [{"input": "1", "output": []}]}',
          '{"id": 11, "description": "d", "starter_code": "nothing", "sample_io": []}']  # fmt: skip


@pytest.mark.parametrize("text", BROKEN)
def test_broken_packs_are_our_error(data: Path, text: str) -> None:
    (data / "apps" / apps.ROWS).write_text(text, encoding="utf-8")
    with pytest.raises(TaskError):
        apps.load([11], data)


JUDGED = [
    ("apps-11", "def repeat(text, times=2):\n    return text * times\n", True),
    ("apps-11", "def repeat(text, times=3):\n    return text * times\n", False),
    ("apps-12", "print(sum(map(int, input().split())))\n", True),
    ("apps-12", "print(9)\n", False),
    ("humaneval-0", PROMPT + "    return x + times\n", True),
    ("humaneval-0", PROMPT + "    return x * times\n", False),
    ("humaneval-0", PROMPT + "    raise SystemExit(0)\n", False),
    ("humaneval-0", "import os\n" + PROMPT + "    os._exit(0)\n", False),
    (
        "humaneval-0",
        "class Same:\n    def __eq__(self, other):\n        return False\n" + PROMPT + "    return Same()\n",
        False,
    ),
]


@pytest.mark.parametrize(
    ("task_id", "program", "passed"), JUDGED, ids=[f"{i}-{j[0]}-{j[2]}" for i, j in enumerate(JUDGED)]
)
def test_hidden_tests_judge(data: Path, executor: SandboxExecutor, task_id: str, program: str, passed: bool) -> None:
    (task,) = resolve(task_id.replace("-", ":"), data)
    result = judge(program, task, hidden_tests(task, data), executor)
    assert result.passed is passed
    assert (result.passes == len(result.outcomes)) is passed


def test_recorded_stdin_programs_are_judged_through_stdin(data: Path, executor: SandboxExecutor) -> None:
    (task,) = apps.load([11], data)
    program = "import sys\nlines = sys.stdin.read().split('\\n')\nprint(lines[0] * int((lines + [2])[1]))\n"
    assert judge(program, task, apps_hidden(11, data, mode="stdin"), executor).passed
    assert not judge(program, task, apps_hidden(11, data), executor).passed


def test_tests_of_another_task_are_refused(data: Path, executor: SandboxExecutor) -> None:
    (task,) = apps.load([11], data)
    with pytest.raises(TaskError, match="cannot judge"):
        judge("", task, apps_hidden(12, data), executor)


def test_own_tasks_have_no_hidden_tests(data: Path) -> None:
    (task,) = apps.load([11], data)
    with pytest.raises(TaskError, match="no hidden tests"):
        hidden_tests(task.model_copy(update={"id": "vowel-count"}), data)


def test_several_answers_are_marked(data: Path) -> None:
    (task,) = apps.load([13], data)
    hidden = hidden_tests(task, data)
    assert isinstance(hidden, HiddenTests)
    assert hidden.several_answers
    assert not hidden.checks[0].expected.input_only
