"""Every value that a trace shows was really taken, and none is missing."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.sandbox.worker.trace_engines import Engine
from tests.property.tracer_oracle import Key, taken
from tests.property.tracer_programs import HEAD, SHOWN_ONCE_MORE, Writer
from tests.tracing import ENGINES, traced

CALL = "main(4, 2)"
BEHIND = HEAD.count("\n")


def shown(values: list[str], kind: str) -> tuple[tuple[str, ...], int]:
    """Return what is to be shown of all values: of more than six the first four and the last two."""
    if kind == "condition":
        runs = [(value, len(list(same))) for value, same in groupby(values)]
        values = [f"{value} x{count}" if count > 1 else value for value, count in runs]
    kept = values if len(values) <= 6 else [*values[:4], *values[-2:]]
    return tuple(kept), len(values)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_a_trace_shows_the_values_that_were_taken(engine: Engine, seed: int) -> None:
    program = Writer(seed).program()
    real = taken(program, CALL)
    whole = HEAD + program
    seen = traced(whole, CALL, engine=engine, watched=[(BEHIND + 1, whole.count("\n"))])
    assert seen.result == real.result, program
    assert seen.end["undisturbed"] is True
    if seen.end["events"] > 20_000:
        return
    wanted = {key: shown(values, key[1]) for key, values in real.values.items()}
    found = {(line - BEHIND, kind, name): told for (line, kind, name), told in seen.lines.items() if kind != "raise"}
    assert _without(found) == _without(wanted), program
    for key, (values, count) in found.items():
        assert key in wanted, program
        assert set(values) <= set(real.values[key]) | set(wanted[key][0]), program
        assert count <= wanted[key][1], program


def _without(lines: dict[Key, tuple[tuple[str, ...], int]]) -> dict[Key, tuple[tuple[str, ...], int]]:
    return {key: told for key, told in lines.items() if key[2] != SHOWN_ONCE_MORE}
