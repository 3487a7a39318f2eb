"""What counts as the same recorded fact."""

from __future__ import annotations

from typing import Any

import pytest

from auditcoder.audit.showing import alike
from auditcoder.records.transaction import Rank

RANK = Rank(full_pass=True, external=1, internal=0, clean=1)
SAME: list[tuple[Any, Any]] = [(1, 1), (RANK, RANK.model_copy()), ([1, {"a": (2,)}], [1, {"a": (2,)}]), (None, None)]
UNLIKE: list[tuple[Any, Any]] = [
    (True, 1), (1, 1.0), (0, False), ((1,), [1]), ([1], [1, 2]), ({"a": 1}, {"b": 1}), ({"a": 1}, {"a": True}),
    (RANK, RANK.model_copy(update={"external": 2})), ("1", 1), (None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_as_written_is_alike(one: Any, other: Any) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_equal_values_that_are_written_differently_are_not_alike(one: Any, other: Any) -> None:
    assert not alike(one, other)
    assert not alike(other, one)
