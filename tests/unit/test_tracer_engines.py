"""Both engines tell the same of a run, record for record."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.property.tracer_programs import HEAD, Writer
from tests.tracing import ENGINES, traced

pytestmark = pytest.mark.skipif(len(ENGINES) < 2, reason="this interpreter has no sys.monitoring")
FOLDER = Path(__file__).parents[1] / "golden" / "trace"
OF_A_RUN_ALONE = ("hostile_values", "patched_builtins", "program", "threads")
"""They read standard input, start threads or spoil the process that they run in."""
PROGRAMS = [path for path in sorted(FOLDER.glob("*.py")) if path.stem not in OF_A_RUN_ALONE]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_of_the_golden_programs(path: Path) -> None:
    program = path.read_text(encoding="utf-8")
    call = ast.unparse(ast.parse(program.partition("\n")[0].removeprefix("# "), mode="eval").body).partition(" == ")[0]
    first, second = (traced(program, call, engine=engine) for engine in ENGINES)
    assert first == second


@pytest.mark.parametrize("seed", range(30))
def test_of_random_programs(seed: int) -> None:
    program = HEAD + Writer(seed).program()
    first, second = (traced(program, "main(4, 2)", engine=engine) for engine in ENGINES)
    assert first == second
    blocks = [(line, line // 3) for line in range(1, program.count("\n") + 1)]
    first, second = (traced(program, "main(4, 2)", engine=engine, blocks=blocks) for engine in ENGINES)
    assert first == second
