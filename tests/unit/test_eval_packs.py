"""SciCode, QF, BigCodeBench and LiveCodeBench on small made-up packs: loaded, judged, and nothing hidden shown."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditcoder.errors import TaskError
from auditcoder.eval.hidden import hidden_tests, judge
from auditcoder.eval.suites import livecodebench, qf, scicode
from auditcoder.eval.suites.reference import resolve
from auditcoder.eval.suites.registry import suite
from auditcoder.records.task import CallsInput, Task
from auditcoder.sandbox.executor import SandboxExecutor

CANARY = "canary-77d0"
STEPS: list[dict[str, Any]] = [
    {
        "step": "1.1",
        "required_dependencies": "import math",
        "step_description_prompt": "Return the square root.",
        "step_background": "It is not negative.",
        "function_header": "def root(x):\n    '''The root.'''",
        "test_cases": [f"x = 4.0  # {CANARY}\nassert np.allclose(root(x), target)"],
    },
    {
        "step": "1.2",
        "required_dependencies": "",
        "step_description_prompt": "Return the cube.",
        "step_background": None,
        "function_header": "def cube(x):\n    '''The cube.'''",
        "test_cases": ["assert np.allclose(cube(2.0), target)"],
    },
]
TARGETS = [{"step": "1.1", "test": 0, "kind": "value", "value": 2.0}]
LIBRARY_TASK = {
    "task_id": "BigCodeBench/7",
    "complete_prompt": 'import json\n\ndef size(text):\n    """Length.\n\n    >>> size("[1]")\n    1\n    """\n',
    "canonical_solution": "    return len(json.loads(text))\n",
    "test": f"import unittest\n\nclass TestCases(unittest.TestCase):\n    def test_two(self):\n"
    f"        self.assertEqual(size('[1, 2]'), 2, '{CANARY}')\n    def test_none(self):\n"
    "        self.assertEqual(size('[]'), 0)\n",
    "entry_point": "size",
    "libs": "['json']",
}


def _packed(cases: list[dict[str, Any]]) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(cases)))).decode()


QUESTIONS = [
    {
        "question_id": "abc1_a",
        "question_content": "Print the sum.",
        "starter_code": "",
        "public_test_cases": json.dumps([{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}]),
        "private_test_cases": _packed([{"input": "20 22\n", "output": "42\n", "testtype": "stdin"}]),
        "metadata": "{}",
    },
    {
        "question_id": "2000",
        "question_content": "Return the longer text.",
        "starter_code": "class Solution:\n    def longer(self, one: str, other: str) -> str:",
        "public_test_cases": json.dumps([{"input": '"a"\n"bb"', "output": '"bb"', "testtype": "functional"}]),
        "private_test_cases": _packed(
            [{"input": f'"{CANARY}"\n""', "output": f'"{CANARY}"', "testtype": "functional"}]
        ),
        "metadata": json.dumps({"func_name": "longer"}),
    },
]
QF_TASK = "zero-coupon-bootstrapping"
QF_TESTS = f"""import json
import pytest

@pytest.fixture
def results():
    return json.load(open("/app/output/results.json"))

@pytest.mark.parametrize("key,value", [("total", 6.0), ("count", 3)])
def test_{CANARY.replace("-", "_")}(results, key, value):
    assert results[key] == pytest.approx(value, rel=1e-6)

class TestKeys:
    def test_no_more(self, results):
        assert set(results) == {{"total", "count"}}
"""


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    _lines(tmp_path / "scicode" / scicode.STEPS, STEPS)
    _lines(tmp_path / "scicode" / "targets_one.jsonl", TARGETS)
    _lines(tmp_path / "bigcodebench" / "tasks.jsonl", [LIBRARY_TASK])
    _lines(tmp_path / "livecodebench" / "test.jsonl", QUESTIONS)
    for name in qf.SMALL6:
        (tmp_path / "qf" / name / "data").mkdir(parents=True)
        (tmp_path / "qf" / name / qf.STATEMENT).write_text(
            "Sum the numbers of `/app/numbers.json` into `/app/output/results.json`: total and count.\n"
        )
        (tmp_path / "qf" / name / "data" / "numbers.json").write_text("[1, 2, 3]")
    published = {"test_outputs_py": QF_TESTS, "solution_py": "print('/app/x')\n"}
    (tmp_path / "qf" / QF_TASK / "tests_and_solution.json").write_text(json.dumps(published))
    return tmp_path


@pytest.fixture(scope="module")
def executor() -> Iterator[SandboxExecutor]:
    with SandboxExecutor(minimum_level=0, allow_weak=True) as made:
        yield made


TESTED = ("scicode:1.1", "bigcodebench:7", "livecodebench:abc1_a", "livecodebench:2000", f"qf:{QF_TASK}")


@pytest.mark.parametrize("reference", TESTED)
def test_nothing_hidden_is_in_a_task(data: Path, reference: str) -> None:
    [task] = resolve(reference, data)
    assert task.id == reference.replace(":", "-")
    assert CANARY not in task.model_dump_json()
    assert CANARY not in repr(hidden_tests(task, data))


def _judged(data: Path, reference: str, program: str, executor: SandboxExecutor) -> list[str]:
    [task] = resolve(reference, data)
    return [one.outcome for one in judge(program, task, hidden_tests(task, data), executor).outcomes]


QF_RIGHT = (
    "import json, os\nos.makedirs('output', exist_ok=True)\nnumbers = json.load(open('numbers.json'))\n"
    "json.dump({'total': sum(numbers), 'count': len(numbers)}, open('output/results.json', 'w'))\n"
)
JUDGED = [
    ("bigcodebench:7", "import json\ndef size(text):\n    return len(json.loads(text))\n", ["pass", "pass"]),
    ("bigcodebench:7", "def size(text):\n    return 2\n", ["pass", "wrong-answer"]),
    ("livecodebench:abc1_a", "print(sum(map(int, input().split())))\n", ["pass", "pass"]),
    ("livecodebench:abc1_a", "print(3)\n", ["pass", "wrong-answer"]),
    (
        "livecodebench:2000",
        "class Solution:\n    def longer(self, one, other):\n        return max(one, other, key=len)\n",
        ["pass", "pass"],
    ),
    ("livecodebench:2000", "class Solution:\n    def longer(self, one, other):\n        return other\n",
     ["pass", "wrong-answer"]),
    (f"qf:{QF_TASK}", QF_RIGHT, ["pass", "pass"]),
    (f"qf:{QF_TASK}", QF_RIGHT.replace("sum(numbers)", "7"), ["failed", "pass"]),
    (f"qf:{QF_TASK}", QF_RIGHT.replace("{'total'", "{'x': 1, 'total'"), ["pass", "failed"]),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "program", "outcomes"), JUDGED)
def test_programs_are_judged(
    data: Path, reference: str, program: str, outcomes: list[str], executor: SandboxExecutor
) -> None:
    found = _judged(data, reference, program, executor)
    assert [one if one == "pass" else "other" for one in found] == [
        one if one == "pass" else "other" for one in outcomes
    ]


def test_a_step_is_judged_by_its_targets(data: Path, executor: SandboxExecutor) -> None:
    pytest.importorskip("numpy")
    right = "import math\ndef root(x):\n    return math.sqrt(x)\n"
    assert _judged(data, "scicode:1.1", right, executor) == ["pass"]
    assert _judged(data, "scicode:1.1", right.replace("math.sqrt(x)", "x"), executor) != ["pass"]


def test_a_step_is_told_with_its_background_and_imports(data: Path) -> None:
    one, other = scicode.load(None, data)
    assert "It is not negative." in one.statement
    assert (one.prelude, one.entry.name, one.examples) == ("import math", "root", ())
    assert (other.prelude, other.entry.name) == ("", "cube")


def test_what_is_held_out_is_not_chosen(data: Path) -> None:
    assert suite("scicode").chosen(data) == ("1.1",)
    assert suite("qf").chosen(data) == (QF_TASK,)
    for reference in ("scicode:1.2", f"qf:{qf.SMALL6[0]}"):
        [task] = resolve(reference, data)
        with pytest.raises(TaskError, match="held out"):
            hidden_tests(task, data)


def test_a_script_sees_files_beside_it(data: Path) -> None:
    [task] = resolve(f"qf:{QF_TASK}", data)
    assert "/app" not in task.statement
    assert ([file.name for file in task.files], task.entry.outputs) == (["numbers.json"], ("output/results.json",))


def test_a_method_of_a_class_is_called_with_values(data: Path) -> None:
    [task] = resolve("livecodebench:2000", data)
    [example] = task.examples
    assert isinstance(example.input, CallsInput)
    assert (example.input.calls[0].method, example.input.calls[0].args) == ("longer", ("a", "bb"))


class _Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("made"),))


@pytest.mark.parametrize(
    "field",
    [
        "no base 64!", base64.b64encode(b"not compressed").decode(),
        base64.b64encode(zlib.compress(pickle.dumps(_Hostile()))).decode(),
        base64.b64encode(zlib.compress(pickle.dumps([1]))).decode(), "[1", "[1]",
        base64.b64encode(zlib.compress(b"cos\n.")).decode(), base64.b64encode(zlib.compress(b"")).decode(),
    ],
)  # fmt: skip
def test_malformed_test_cases_are_one_clear_error(
    field: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _lines(data / "livecodebench" / "test.jsonl", [{**QUESTIONS[0], "private_test_cases": field}])
    [task] = resolve("livecodebench:abc1_a", data)
    with pytest.raises(TaskError, match="test case"):
        hidden_tests(task, data)
    assert not Path("made").exists()


@pytest.mark.parametrize(
    "change",
    [{"starter_code": "class Solution:"}, {"metadata": "{"}, {"metadata": "[]"}, {"metadata": "{}"},
     {"public_test_cases": "[{}]"}],
)  # fmt: skip
def test_a_malformed_question_is_one_clear_error(change: dict[str, str], data: Path) -> None:
    _lines(data / "livecodebench" / "test.jsonl", [{**QUESTIONS[1], **change}])
    with pytest.raises(TaskError):
        livecodebench.load(None, data)


def test_the_needs_of_a_task_are_told_where_they_are_missing(data: Path) -> None:
    known = suite("bigcodebench")
    assert known.missing("7", data) == ()
    _lines(data / "bigcodebench" / "tasks.jsonl", [{**LIBRARY_TASK, "libs": "['no_such_module_here', 'json']"}])
    assert known.missing("7", data) == ("no_such_module_here",)
    _lines(data / "bigcodebench" / "tasks.jsonl", [{**LIBRARY_TASK, "libs": "import os"}])
    assert known.missing("7", data) == ()


def test_tasks_are_of_one_kind_each(data: Path) -> None:
    tasks: list[Task] = [task for reference in TESTED for task in resolve(reference, data)]
    assert [task.entry.kind for task in tasks] == ["function", "function", "program", "class", "script"]
