"""Blocks of a program by its syntax tree, at the three levels."""

from __future__ import annotations

import pytest

from auditcoder.core.blocks import BlockLevel, block_map

PROGRAM = '''\
import math


def kept(items, top):
    """Say what it does."""
    found = []
    for item in items:
        if item > 0 and (
            item < top
        ):
            found.append(item)
            continue
        elif item == 0:
            break
        top += 1
    else:
        found.append(
            top
        )
    return found


LIMIT = 3
if __name__ == "__main__":
    print(kept([1], LIMIT))
'''


def cut(program: str, level: BlockLevel, *, module: bool = False) -> list[list[int]]:
    """Return the lines of every block."""
    found = block_map(program, level, module=module)
    return [[line for line, block in found.lines if block == each.id] for each in found.blocks]


def test_basic_blocks_end_at_branches() -> None:
    assert cut(PROGRAM, "block") == [[6], [7], [8, 9, 10], [11, 12], [13], [14], [15], [17, 18, 19], [20]]


def test_lines_are_statements() -> None:
    assert cut(PROGRAM, "line") == [[6], [7], [8, 9, 10], [11], [12], [13], [14], [15], [17, 18, 19], [20]]


def test_a_function_is_one_block_with_its_head() -> None:
    found = block_map(PROGRAM, "function")
    assert [block.function for block in found.blocks] == ["kept"]
    assert found.blocks[0].source.startswith("   4 def kept(items, top):\n   6     found = []")
    assert 4 not in dict(found.lines)  # the definition is a line of the module: it is no run of the function


def test_module_level_counts_where_it_is_the_program() -> None:
    found = block_map(PROGRAM, "block", module=True)
    assert [block.function for block in found.blocks[-2:]] == ["<module>", "<module>"]
    assert [line for line, _ in found.lines if line > 20] == [23, 24, 25]
    assert 1 not in dict(found.lines)


def test_source_shows_the_lines_with_their_numbers() -> None:
    assert block_map(PROGRAM).blocks[3].source == "  11             found.append(item)\n  12             continue"


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        pytest.param("def f(x): return x\n", [[1]], id="one-line function"),
        pytest.param("def f(x):\n    if x: return 1\n    return 2\n", [[2], [3]], id="one-line branch"),
        pytest.param("def f(x):\n    a = 1; b = 2\n    return a\n", [[2, 3]], id="several statements on a line"),
        pytest.param("def f(x):\n    while x:\n        x -= 1\n    return x\n", [[2], [3], [4]], id="while"),
        pytest.param(
            "def f(x):\n    try:\n        y = 1 / x\n    except (\n        OSError\n    ) as e:\n        y = 0\n"
            "    else:\n        y += 1\n    finally:\n        x = 0\n    return y\n",
            [[2], [3], [4, 5, 7], [9], [11], [12]],
            id="try",
        ),
        pytest.param("def f(x):\n    with open(x) as y:\n        z = 1\n    return z\n", [[2, 3, 4]], id="with"),
        pytest.param(
            "def f(x):\n    match x:\n        case 1:\n            y = 1\n"
            "        case _:\n            y = 2\n    return y\n",
            [[2], [3], [4], [5], [6], [7]],
            id="match",
        ),
        pytest.param(
            "def f(x):\n    def g(y):\n        return y\n    return g(x)\n", [[2, 4], [3]], id="nested function"
        ),
        pytest.param(
            "class C:\n    size = 1\n    def m(self):\n        a = [\n            i\n            for i in (1, 2)\n"
            "        ]\n        return a\n",
            [[4, 5, 6, 7, 8]],
            id="method",
        ),
        pytest.param("def f(:\n", [], id="no program"),
        pytest.param("x = 1\n", [], id="no function"),
    ],
)
def test_constructs(program: str, wanted: list[list[int]]) -> None:
    assert cut(program, "block") == wanted


def test_names_are_qualified() -> None:
    program = "class C:\n    def m(self):\n        def g():\n            return 1\n        return g()\n"
    assert [block.function for block in block_map(program, "function").blocks] == ["C.m", "C.m.g"]


@pytest.mark.parametrize("level", ["block", "line", "function"])
def test_every_line_has_one_block_and_every_block_lines(level: BlockLevel) -> None:
    found = block_map(PROGRAM, level, module=True)
    assert len(dict(found.lines)) == len(found.lines)
    assert {block for _, block in found.lines} == {block.id for block in found.blocks} == set(range(len(found.blocks)))
