from __future__ import annotations

import ast

import pytest

from auditcoder.core.parsing import Refusal, normalize
from auditcoder.core.pieces import join, split
from auditcoder.core.units import parse_units
from auditcoder.records.base import sha256_text

SOURCE = '''#!/usr/bin/env python
# About the imports.
import os, sys  # system
from math import (
    gcd,  # divisor
)

# The limit.
LIMIT = 3; STEP = 2  # both


@decorated
# between
def work(n):
    # inside
    return n  # done
    # tail of work
class Box:
    """A box."""

    SIZE = 1

    # before put
    @property
    def put(self):
        return self

    @put.setter
    def put(self, value): pass

    class Inner:
        async def go(self): pass
LIMIT += 1
for i in range(3): print(i)
if __name__ == "__main__":
    work(1)
# the end
'''


def units(*, starts: bool) -> dict[str, tuple[str, str]]:
    found = parse_units(SOURCE, "S1", starts=starts)
    assert not isinstance(found, Refusal)
    assert {unit.owner for unit in found} == {"S1"}
    assert all(unit.digest == sha256_text(unit.text) for unit in found)
    return {unit.name: (unit.kind, unit.text) for unit in found}


def test_every_part_is_a_unit_with_its_comments() -> None:
    assert units(starts=False) == {
        "<imports>": ("block", "import os, sys\nfrom math import (\n    gcd,  \n)"),
        "<constants:S1>": (
            "block",
            "#!/usr/bin/env python\n# About the imports.\n# system\n# divisor\n# The limit.\nLIMIT = 3\n"
            "STEP = 2  # both\n"
            'LIMIT += 1\nfor i in range(3): print(i)\nif __name__ == "__main__":\n    work(1)\n# the end',
        ),
        "work": (
            "function",
            "@decorated\n# between\ndef work(n):\n    # inside\n    return n  # done\n    # tail of work",
        ),
        "Box": ("class", SOURCE[SOURCE.index("class Box") : SOURCE.index("\nLIMIT += 1")]),
        "Box.put": (
            "method",
            "    @property\n    def put(self):\n        return self\n    @put.setter\n    def put(self, value): pass",
        ),
        "Box.Inner.go": ("method", "        async def go(self): pass"),
    }


def test_the_entry_owner_has_its_work_in_an_entry_block() -> None:
    found = units(starts=True)
    assert found["<entry>"][1] == 'for i in range(3): print(i)\nif __name__ == "__main__":\n    work(1)\n# the end'
    assert found["<constants:S1>"][1].endswith("STEP = 2  # both\nLIMIT += 1")


def test_every_character_that_means_something_is_in_exactly_one_unit() -> None:
    whole = "".join(text for name, (kind, text) in units(starts=False).items() if kind != "method")
    assert sorted(whole.replace(" ", "").replace("\n", "")) == sorted(
        SOURCE.replace(" ", "").replace("\n", "").replace(";", "")
    )


def test_text_that_is_no_python_is_refused_with_its_line() -> None:
    assert parse_units("x = 1\ndef f(:\n", "S1") == Refusal("syntax error: invalid syntax", 2)


PIECES = {
    "semicolons": ("a = 1; b = 2 ;c = 3;\n", "a = 1\nb = 2\nc = 3\n"),
    "backslash-between": ("a = 1\n\\\n\nb = 2\n", "a = 1\nb = 2\n"),
    "line-ends": ("a = 1\r\nb = '''x\ry'''\r\n", "a = 1\nb = '''x\ny'''\n"),
    "byte-order-mark": ("\ufeffa = 1\n", "a = 1\n"),
    "form-feed": ("a = 1\n\x0c\ndef f(): pass\n", "a = 1\n\n\ndef f(): pass\n"),
    "other-line-separators": ("a = '\u2028'\nb = 1\n", "a = '\u2028'\nb = 1\n"),
    "only-a-comment": ("# nothing\n", "# nothing\n"),
    "comment-of-a-last-import": ("x = 1\nimport os  # why\n", "x = 1\n# why\nimport os\n"),
    "parenthesised": ("(\n  f(1)\n)\n@(\n  d\n)\ndef g(): pass\n", "(\n  f(1)\n)\n\n\n@(\n  d\n)\ndef g(): pass\n"),
    "string-with-hash": ("a = '#'; b = '''\n# c\n'''\n", "a = '#'\nb = '''\n# c\n'''\n"),
    "empty": ("\n \n", ""),
}


@pytest.mark.parametrize(("source", "expected"), list(PIECES.values()), ids=list(PIECES))
def test_pieces_stand_on_lines_of_their_own(source: str, expected: str) -> None:
    text = normalize(source)
    joined = join(split(text, ast.parse(text)))
    assert joined == expected
    assert ast.dump(ast.parse(joined)) == ast.dump(ast.parse(text))
