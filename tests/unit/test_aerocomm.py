"""AeroComm-Small8: its references against other derivations, its cases, and what must not solve it. No data needed."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from auditcoder.errors import TaskError
from auditcoder.eval.hidden import hidden_tests, judge
from auditcoder.eval.suites.aerocomm.primitive import KINDS, Case
from auditcoder.eval.suites.aerocomm.suite import PRIMITIVES
from auditcoder.eval.suites.reference import resolve
from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from tests.aerocomm_oracle import ORACLES, answer

TASKS = {task.id: task for task in resolve("aerocomm:all")}
IDS = sorted(PRIMITIVES)


@pytest.fixture(scope="module")
def executor() -> Iterator[SandboxExecutor]:
    with SandboxExecutor(minimum_level=0, allow_weak=True) as made:
        yield made


def _task(name: str) -> Task:
    return TASKS[f"aerocomm-{name}"]


def _function(name: str) -> Callable[..., Any]:
    space: dict[str, Any] = {}
    exec(PRIMITIVES[name].reference, space)
    found: Callable[..., Any] = space[PRIMITIVES[name].name]
    return found


def _cases() -> list[tuple[str, Case]]:
    return [(name, case) for name in IDS for case in (*PRIMITIVES[name].visible, *PRIMITIVES[name].hidden)]


def test_there_are_eight_tasks_with_enough_cases_of_every_kind() -> None:
    assert len(PRIMITIVES) == 8
    for primitive in PRIMITIVES.values():
        kinds = Counter(case.kind for case in primitive.hidden)
        assert set(kinds) == set(KINDS)
        assert sum(kinds.values()) >= 9
    assert sum(len(primitive.hidden) for primitive in PRIMITIVES.values()) >= 72


@pytest.mark.parametrize("name", IDS)
def test_a_specification_names_its_sources_and_holds_no_hidden_case(name: str) -> None:
    task, primitive = _task(name), PRIMITIVES[name]
    assert all(source in task.statement for source in primitive.sources)
    assert primitive.sources
    shown = {repr(case.args) for case in primitive.visible}
    assert not shown & {repr(case.args) for case in primitive.hidden}
    assert len(task.examples) == len(primitive.visible)


def test_recorded_results_are_those_of_another_derivation() -> None:
    told = [(name, case) for name, case in _cases() if not case.refused and not case.holds]
    assert len(told) > 80
    for name, case in told:
        assert _close(answer(PRIMITIVES[name].name, case.args), case.result), (name, case.args)


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_close, one, other))
    return math.isclose(one, other, rel_tol=1e-15, abs_tol=1e-300) if isinstance(one, float) else bool(one == other)


def test_references_agree_with_another_derivation_on_random_arguments() -> None:
    draw = random.Random(7)
    for _ in range(60):
        radius, other = draw.uniform(6600, 50000), draw.uniform(6600, 50000)
        bits = [draw.randrange(2) for _ in range(2 * draw.randrange(1, 12))]
        arguments: dict[str, tuple[Any, ...]] = {
            "vis-viva": (radius, draw.uniform(0.51, 4) * radius),
            "hohmann": (radius, other),
            "kepler": (draw.uniform(-30, 30), draw.choice([0.0, 0.3, 0.9, 0.9999])),
            "quaternion": ([draw.uniform(-1, 1) for _ in range(4)], [draw.uniform(-9, 9) for _ in range(3)]),
            "qpsk": (bits, draw.uniform(0.1, 9)),
            "path-loss": (draw.uniform(0.1, 1e9), draw.uniform(1e5, 1e11)),
            "crc16": ([draw.randrange(256) for _ in range(draw.randrange(40))],),
            "convolutional": (bits, draw.random() < 0.5),
        }
        for name, args in arguments.items():
            assert _near(_function(name)(*args), ORACLES[PRIMITIVES[name].name](*args)), (name, args)


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_near, one, other))
    return math.isclose(one, other, rel_tol=1e-11, abs_tol=1e-11) if isinstance(one, float) else bool(one == other)


def test_known_values() -> None:
    assert _function("crc16")(b"123456789") == 0x29B1
    assert _function("convolutional")([1, 0, 1, 1]) == [1, 1, 1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("name", IDS)
def test_the_reference_passes(name: str, executor: SandboxExecutor) -> None:
    task = _task(name)
    result = judge(PRIMITIVES[name].reference, task, hidden_tests(task), executor)
    assert [one for one in result.outcomes if one.outcome != "pass"] == []
    visible = executor.run(PRIMITIVES[name].reference, task.entry, task.examples, task.limits)
    assert {one.outcome for one in visible.results} == {"pass"}


CONTROLS = ["return 0.0", "return []", "raise ValueError"]


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("body", CONTROLS)
def test_a_program_that_computes_nothing_passes_no_task(name: str, body: str, executor: SandboxExecutor) -> None:
    task = _task(name)
    program = f"def {PRIMITIVES[name].name}(*given, **named):\n    {body}\n"
    assert not judge(program, task, hidden_tests(task), executor, to_the_end=False).passed


FAULTS = [
    ("vis-viva", "2.0 / r", "1.0 / r"),
    ("vis-viva", "max(0.0, square)", "square"),
    ("hohmann", "abs(1.0 - math.sqrt(2.0 * r1 / (r1 + r2)))", "(1.0 - math.sqrt(2.0 * r1 / (r1 + r2)))"),
    ("hohmann", "8.0 * mu", "4.0 * mu"),
    ("kepler", "range(200)", "range(2)"),
    ("kepler", "guess + turns * 2.0 * math.pi", "guess"),
    ("quaternion", "part / norm for part", "part for part"),
    ("quaternion", "w * tx", "-w * tx"),
    ("qpsk", "energy / 2.0", "energy"),
    ("qpsk", "type(bit) is not int or ", ""),
    ("path-loss", "299792458.0", "3e8"),
    ("path-loss", "math.log10(distance) + math.log10(frequency)", "math.log10(distance * frequency)"),
    ("crc16", "0xFFFF\n    for", "0\n    for"),
    ("crc16", "0x1021", "0x8005"),
    ("convolutional", "bit ^ last ^ before, bit ^ before", "bit ^ before, bit ^ last ^ before"),
    ("convolutional", "[0, 0] if", "[0] if"),
]


@pytest.mark.parametrize(("name", "right", "wrong"), FAULTS, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(FAULTS)])
def test_a_small_fault_is_found(name: str, right: str, wrong: str, executor: SandboxExecutor) -> None:
    reference = PRIMITIVES[name].reference
    assert right in reference
    task = _task(name)
    assert not judge(reference.replace(right, wrong), task, hidden_tests(task), executor, to_the_end=False).passed


def test_an_unknown_name_is_our_error() -> None:
    with pytest.raises(TaskError, match="there is no task"):
        resolve("aerocomm:none")
