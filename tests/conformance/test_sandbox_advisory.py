"""Recording and measuring: advisory runs that show calls, self time and memory of owned units."""

from __future__ import annotations

import pytest

from auditcoder.records.task import (
    CallsInput,
    Check,
    CheckInput,
    EntryPoint,
    Expected,
    FilesInput,
    FunctionInput,
    Limits,
    MethodCall,
    ProgramInput,
    UnittestInput,
)
from auditcoder.sandbox.executor import SandboxExecutor

LIMITS = Limits(cpu_seconds=0.5, memory_mb=256)
PROGRAM = EntryPoint(kind="program")
SOURCE = """import sys

class Box:
    def __init__(self, items):
        self.items = items

    def push(self, item, times=1):
        self.items.extend([item] * times)
        return self.items

    @staticmethod
    def twice(n):
        return 2 * n

    @property
    def size(self):
        return len(self.items)

def solve(values):
    box = Box(values)
    box.push(item=9)
    values.append(Box.twice(4))
    return box.size

def fail(x):
    raise KeyError(x)

def main():
    n = int(input())
    print(solve([n]))
    try:
        fail(n)
    except KeyError:
        pass

if __name__ == "__main__":
    main()
"""
UNITS = ("Box.__init__", "Box.push", "Box.twice", "Box.size", "solve", "fail", "main")


def _program(stdin: str = "5\n") -> Check:
    return Check(id="c", input=ProgramInput(stdin=stdin), expected=Expected())


def test_calls_are_recorded_in_the_order_of_their_start(sandbox: SandboxExecutor) -> None:
    recording = sandbox.record(SOURCE, PROGRAM, _program(), LIMITS, UNITS)
    told = [(call.unit, call.args, call.result, call.exception) for call in recording.calls]
    assert told == [
        ("main", (), None, ""),
        ("solve", ([5],), 3, ""),
        ("Box.__init__", ([5],), None, ""),
        ("Box.push", (9, 1), [5, 9], ""),
        ("Box.twice", (4,), 8, ""),
        ("Box.size", (), 3, ""),
        ("fail", (5,), None, "KeyError"),
    ]
    assert recording.complete
    assert recording == sandbox.record(SOURCE, PROGRAM, _program(), LIMITS, UNITS)


def test_only_named_units_are_recorded(sandbox: SandboxExecutor) -> None:
    recording = sandbox.record(SOURCE, PROGRAM, _program(), LIMITS, ["solve"])
    assert [call.unit for call in recording.calls] == ["solve"]


@pytest.mark.parametrize(
    ("source", "kept", "complete"),
    [
        ("def f(n):\n    return n\nfor n in range(20): f(n)", 20, True),
        ("def f(n):\n    return n\nfor n in range(21): f(n)", 20, False),
        ("def f(n):\n    return 1 // (n % 10)\nfor n in range(100):\n    try: f(n)\n    except ValueError: pass\n"
         "    except ArithmeticError: pass", 28, False),
        ("def f(n):\n    return 'x' * 10**6\nf(1)", 1, True),
        ("def f(n):\n    while True: pass\nf(1)", 1, False),
        ("import os\ndef f(n):\n    os._exit(0)\nf(1)", 1, False),
        ("def f(n): pass\nf(1", 0, True),
    ],
    ids=["at the cap", "over the cap", "failing calls are kept", "big value", "endless", "exit", "syntax error"],
)  # fmt: skip
def test_caps_and_completeness(sandbox: SandboxExecutor, source: str, kept: int, complete: bool) -> None:
    recording = sandbox.record(source, PROGRAM, _program(""), Limits(cpu_seconds=0.1), ["f"])
    assert (len(recording.calls), recording.complete) == (kept, complete)


def test_values_over_their_cap_are_marked(sandbox: SandboxExecutor) -> None:
    recording = sandbox.record("def f(n):\n    return 'x' * 10**6\nf(1)", PROGRAM, _program(""), LIMITS, ["f"])
    assert recording.calls[0].result == {"t": "cut", "v": "size"}


def test_an_unfinished_call_says_so(sandbox: SandboxExecutor) -> None:
    recording = sandbox.record(
        "def f():\n    while True: pass\nf()", PROGRAM, _program(""), Limits(cpu_seconds=0.1), ["f"]
    )
    assert [(call.unit, call.exception) for call in recording.calls] == [("f", "<unfinished>")]


CLASS = EntryPoint(kind="class", name="Box")
TESTS = "class T(unittest.TestCase):\n    def test(self):\n        Box([]).push(9)"
MODES: dict[str, tuple[EntryPoint, CheckInput]] = {
    "function": (EntryPoint(kind="function", name="solve"), FunctionInput(args=([5],))),
    "calls": (CLASS, CallsInput(init=([5],), calls=(MethodCall(method="push", args=(9,)),))),
    "unittest": (CLASS, UnittestInput(source=TESTS)),
    "script": (EntryPoint(kind="script"), FilesInput(stdin="5\n")),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_records(sandbox: SandboxExecutor, mode: str) -> None:
    entry, given = MODES[mode]
    check = Check(id="c", input=given, expected=Expected())
    recording = sandbox.record(SOURCE, entry, check, LIMITS, UNITS)
    assert ("Box.push", (9, 1)) in [(call.unit, call.args) for call in recording.calls]
    assert recording.complete


COSTLY = """
def quick(n):
    return n + 1

def slow(n):
    total = 0
    for _ in range(n):
        total += 1
    return total

def hoard(n):
    return [0] * n

def main():
    quick(1)
    slow(2_000_000)
    return len(hoard(1_000_000))

main()
"""


def test_costs_go_to_the_unit_that_causes_them(sandbox: SandboxExecutor) -> None:
    units = ["quick", "slow", "hoard", "main"]
    measured = sandbox.measure(COSTLY, PROGRAM, _program(""), LIMITS, units)
    costs = {cost.unit: cost for cost in measured.costs}
    assert measured.complete
    assert costs["slow"].cpu_seconds > 5 * max(costs[unit].cpu_seconds for unit in ("quick", "main"))
    assert 7 < costs["hoard"].peak_mb < 9
    assert costs["slow"].peak_mb < 1


def test_an_endless_unit_is_found_though_it_never_returns(sandbox: SandboxExecutor) -> None:
    source = "def spin():\n    while True: pass\ndef main():\n    spin()\nmain()"
    measured = sandbox.measure(source, PROGRAM, _program(""), Limits(cpu_seconds=0.1), ["spin", "main"])
    costs = {cost.unit: cost.cpu_seconds for cost in measured.costs}
    assert not measured.complete
    assert costs["spin"] > 10 * costs.get("main", 0.0)
    assert costs["spin"] > 0.1


@pytest.mark.parametrize("before", ["", "quick()\n"], ids=["no unit ran", "a unit ran before"])
def test_an_endless_loop_in_module_code_is_no_units(sandbox: SandboxExecutor, before: str) -> None:
    source = f"def quick():\n    return sum(range(400000))\n{before}while True: pass"
    measured = sandbox.measure(source, PROGRAM, _program(""), Limits(cpu_seconds=0.1), ["quick"])
    assert not measured.complete
    assert sum(cost.cpu_seconds for cost in measured.costs) < 0.05


def test_memory_that_runs_out_is_booked_on_its_unit(sandbox: SandboxExecutor) -> None:
    source = "def hoard():\n    x = []\n    while True: x.append(bytearray(1 << 20))\ndef main():\n    hoard()\nmain()"
    limits = Limits(cpu_seconds=1.0, memory_mb=64)
    costs = {
        cost.unit: cost for cost in sandbox.measure(source, PROGRAM, _program(""), limits, ["hoard", "main"]).costs
    }
    assert costs["hoard"].peak_mb > 50
    assert costs["main"].peak_mb < 5


def test_units_in_other_threads_are_measured(sandbox: SandboxExecutor) -> None:
    source = "import threading\ndef work():\n    for _ in range(10**6): pass\n"
    source += "t = threading.Thread(target=work)\nt.start()\nt.join()"
    costs = sandbox.measure(source, PROGRAM, _program(""), LIMITS, ["work"]).costs
    assert costs[0].cpu_seconds > 0.01


def test_forged_advisory_records_do_no_harm(sandbox: SandboxExecutor) -> None:
    source = (
        "import os\ndef f(n): return n\n"
        'os.write(3, b\'{"r":"call","n":[],"u":3}\\n{"r":"cost","cpu":{"f":-1e308}}\\n\')\n'
        "f(1)"
    )
    assert not sandbox.record(source, PROGRAM, _program(""), LIMITS, ["f"]).complete
    assert all(cost.cpu_seconds >= 0 for cost in sandbox.measure(source, PROGRAM, _program(""), LIMITS, ["f"]).costs)
