from __future__ import annotations

import pytest

from auditcoder.programs.planner import without_printing
from auditcoder.signatures.planner import Step


def steps(*names: str) -> list[Step]:
    return [Step(name=name, goal="computes something", kind="greedy") for name in names]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["row_sum", "print_result"], ["row_sum"]),
        (["parse_input", "total", "output_total"], ["parse_input", "total"]),
        (["printable_rows", "outputs_of_gate"], ["printable_rows", "outputs_of_gate"]),
        (["print_result"], ["print_result"]),
    ],
    ids=["print", "output", "only-whole-words", "never-all"],
)
def test_steps_that_only_print_are_left_to_the_root(given: list[str], kept: list[str]) -> None:
    assert [step.name for step in without_printing(steps(*given))] == kept
