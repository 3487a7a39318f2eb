"""The containment study from injection to table, on two programs written for this test."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditcoder.errors import RecordError
from auditcoder.eval.containment.__main__ import main
from auditcoder.eval.containment.classes import split_class
from auditcoder.eval.containment.classeval import unit_checks
from auditcoder.eval.containment.docstrings import class_examples
from auditcoder.eval.containment.evidence import ARMS
from auditcoder.eval.containment.functions import FunctionLayout, split_functions
from auditcoder.eval.containment.measuring import POLICIES, aims_of, measure
from auditcoder.eval.containment.mutators.catalogue import AIMS
from auditcoder.eval.containment.rows import Located, Row, append_row, read_rows
from auditcoder.eval.containment.screening import screened
from auditcoder.eval.containment.subject import Subject
from auditcoder.eval.containment.table import line_of, tables
from auditcoder.eval.statistics.wilson import Share
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, Task
from auditcoder.records.values import encode
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator

FUNCTIONS = '''
def weight(word: str) -> int:
    """Sum of the letters' places.
    >>> weight("ab")
    3
    """
    total = 0
    for letter in word:
        total += ord(letter) - 96
    return total

def heaviest(words: list) -> str:
    best = words[0]
    for word in words:
        if weight(word) > weight(best):
            best = word
    return best
'''
CLASS = """
class Stock:
    def __init__(self):
        self.items = {}

    def add(self, name, count):
        if count <= 0:
            return False
        self.items[name] = self.items.get(name, 0) + count
        return True

    def count(self, name):
        return self.items.get(name, 0)

    def worth(self, prices):
        total = 0
        for name in self.items:
            total += self.items[name] * prices[name]
        return total
"""
TESTS = """
import unittest

class StockTest(unittest.TestCase):
    def test_add(self):
        self.assertTrue(Stock().add('a', 2))
    def test_add_none(self):
        self.assertFalse(Stock().add('a', 0))
    def test_count(self):
        stock = Stock()
        stock.add('a', 2)
        stock.add('a', 3)
        self.assertEqual(stock.count('a'), 5)
    def test_count_none(self):
        self.assertEqual(Stock().count('a'), 0)
    def test_worth(self):
        stock = Stock()
        stock.add('a', 2)
        self.assertEqual(stock.worth({'a': 7}), 14)
    def test_wrong(self):
        self.assertEqual(Stock().count('a'), 1)
"""


def function_subject() -> Subject:
    entry = EntryPoint(kind="function", name="heaviest")
    split = split_functions(FUNCTIONS, "heaviest")
    checks = tuple(
        Check(
            id=f"c{i}",
            input=FunctionInput(args=(encode(words.split()),)),
            expected=Expected(value=best, has_value=True),
        )
        for i, (words, best) in enumerate([("a b", "b"), ("ab b c", "ab"), ("z", "z")], start=1)
    )
    layout = FunctionLayout(Task(id="own", statement="Own.", entry=entry))
    return Subject("functions", "own", entry, split.graph, split.parts, layout, checks[:2], checks[2:])


def class_subject() -> Subject:
    split = split_class(CLASS, "Stock", {})
    examples = class_examples({"S2": ">>> stock = Stock()\n>>> stock.count('a')\n0\n"})
    entry = EntryPoint(kind="class", name="Stock")
    checks = tuple(unit_checks(TESTS, ["StockTest"]))
    return Subject("class", "own", entry, split.graph, split.parts, split.layout, checks, (), tuple(examples))


@pytest.fixture(scope="module")
def rows(executor: SandboxExecutor) -> list[Row]:
    done = frozenset({("class", "timeout", 3), ("functions", "memory", 3)})
    return list(measure([function_subject(), class_subject()], 3, executor, MeteredEvaluator(), done))


def test_a_check_that_the_program_itself_fails_is_left_out(executor: SandboxExecutor) -> None:
    kept = screened(class_subject(), executor)
    assert kept.left_out == 1
    assert "StockTest.test_wrong" not in {check.id for check in kept.subject.checks}
    assert len(kept.subject.examples) == 1


def test_every_program_gets_one_fault_of_every_aim_that_fails_as_intended(rows: list[Row]) -> None:
    both = [(aim, name) for aim in AIMS[:3] for name in ("functions", "class")]
    assert [(row.aim, row.subject) for row in rows] == [*both, ("timeout", "functions"), ("memory", "class")]
    wanted = {"wrong-answer": {"WA"}, "exception": {"RE"}, "interface": {"WA", "RE"}, "timeout": {"TLE"},
              "memory": {"MLE"}}  # fmt: skip
    assert all(row.owner and row.failure in wanted[row.aim] and row.failing for row in rows)


def test_every_fault_is_localized_by_every_arm_and_policy_or_abstained_on_with_a_reason(rows: list[Row]) -> None:
    for row in rows:
        assert [(one.arm, one.policy) for one in row.located] == [(arm, pol) for arm in ARMS for pol in POLICIES]
        assert all(bool(one.scope) != bool(one.abstained) for one in row.located)


def test_the_owner_of_a_fault_takes_part_in_every_failing_run(rows: list[Row]) -> None:
    behaviour = [row for row in rows if row.failure in ("WA", "RE")]
    assert len(behaviour) == 6
    assert all(row.owner in row.suspects for row in behaviour)


def test_time_and_memory_are_measured_and_the_arms_agree_on_them(rows: list[Row]) -> None:
    timeout, memory = rows[-2:]
    assert all(one.rule == "Resource" and one.scope == (memory.owner,) for one in memory.located)
    assert timeout.mutator == "stalled-loop"
    assert timeout.suspects == memory.suspects == ()
    assert len({(one.rule, one.scope, one.abstained) for one in timeout.located}) == 1


def test_the_same_seed_gives_the_same_rows_and_done_ones_are_left_out(
    rows: list[Row], executor: SandboxExecutor
) -> None:
    done = frozenset((name, aim, 3) for name in ("functions", "class") for aim in AIMS if aim != "exception")
    subjects = [function_subject(), class_subject()]
    again = list(measure(subjects, 3, executor, MeteredEvaluator(), done))
    assert again == [row for row in rows if row.aim == "exception"]


def test_a_program_of_one_owner_gets_one_aim() -> None:
    single = split_functions("def f(x):\n    return x\n", "f")
    subject = function_subject()._replace(graph=single.graph, parts=single.parts)
    assert len(aims_of(subject, 1)) == 1
    assert aims_of(function_subject(), 1) == AIMS


def test_rows_survive_a_stop_in_the_middle_of_a_line(rows: list[Row], tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for row in rows:
        append_row(path, row)
    path.write_bytes(path.read_bytes() + b'{"subject": "cu')
    assert read_rows(path) == tuple(rows)
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(RecordError, match="malformed"):
        read_rows(path)


def figures(scope: tuple[str, ...], *, nodes: int = 4) -> Row:
    located = Located(arm="all-checks", policy="executed-first", scope=scope, lines=5, rule="Local",
                      abstained="" if scope else "no-compatible-finding")  # fmt: skip
    return Row(subject="s", pack="own", aim="exception", seed=1, owner="S1", failure="RE", nodes=nodes, lines=20,
               place="helper", located=(located,))  # fmt: skip


def test_the_figures_of_a_group() -> None:
    line = line_of(
        [figures(("S1",)), figures(("S1", "S2")), figures(("S2",)), figures(())], "all-checks", "executed-first"
    )
    assert (line.of_scopes, line.of_faults) == (Share(2, 3), Share(2, 4))
    assert line.nodes == pytest.approx((1 + 2 + 1) / 4 / 3)
    assert line.lines == pytest.approx(0.25)
    assert line.abstained == (("no-compatible-finding", 1),)


def test_programs_of_one_owner_are_no_part_of_the_first_table() -> None:
    several, _, single = tables([figures(("S1",)), figures(("S1",), nodes=1)]).partition("of one owner (")
    assert "| all | all-checks | executed-first | 1 | 1/1 = 1.000" in several
    assert "| all | all-checks | executed-first | 1 | 1/1 = 1.000" in single


def test_a_scope_of_the_whole_program_stands_apart() -> None:
    text = tables([figures(("S1", "S2"), nodes=2), figures(("S2",), nodes=2), figures(("S1", "S2"))])
    assert "| the whole program | all-checks | 1 | 1/1 = 1.000" in text
    assert "| one node | all-checks | 1 | 0/1 = 0.000" in text
    assert "| several nodes, not all | all-checks | 1 | 1/1 = 1.000" in text


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"), [(8, 10, 0.490, 0.943), (0, 5, 0.0, 0.434), (5, 5, 0.566, 1.0), (0, 0, 0.0, 1.0)]
)
def test_wilson_intervals(part: int, whole: int, low: float, high: float) -> None:
    assert Share(part, whole).interval == pytest.approx((low, high), abs=5e-4)


def test_the_command_writes_the_table_of_rows_that_are_there(tmp_path: Path) -> None:
    append_row(tmp_path / "rows.jsonl", figures(("S1",)))
    assert main(["--out", str(tmp_path), "--table"]) == 0
    assert "1 faults in programs of several owners" in (tmp_path / "table.md").read_text()


def test_the_command_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path), "--data", str(tmp_path / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err
