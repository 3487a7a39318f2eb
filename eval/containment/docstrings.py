"""The examples of a docstring: calls with literal results, and small tests of a class."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from auditcoder.records.graph import LocalCheck
from auditcoder.records.task import Check, Expected, UnittestInput
from auditcoder.records.values import encode
from auditcoder.tasks.literals import call, literal


class Shown(NamedTuple):
    """One example: what is typed in, and what is printed."""

    source: str
    want: str


def examples_of(doc: str) -> tuple[Shown, ...]:
    """Return the `>>>` examples of a docstring; none where they are malformed."""
    try:
        found = doctest.DocTestParser().get_examples(doc)
    except ValueError:
        return ()
    return tuple(Shown(example.source.strip(), example.want.strip()) for example in found)


def local_checks(name: str, doc: str) -> tuple[LocalCheck, ...]:
    """Return the examples `name(literals)` with a literal result, as executable checks of that function."""
    made: list[LocalCheck] = []
    for shown in examples_of(doc):
        try:
            called, expected = call(shown.source), literal(shown.want)
        except ValueError:
            continue
        if called.name == name:
            made.append(_local(len(made) + 1, shown.source, called.args, expected))
    return tuple(made)


def class_examples(nodes: Mapping[str, str]) -> Iterator[Check]:
    """Yield the executed example of every method that has one.

    Args:
        nodes: Docstrings by node id.
    """
    shown = {node: examples_of(doc) for node, doc in nodes.items()}
    made = {name: one for examples in shown.values() for one in examples for name in _bound(one.source)}
    for node, examples in shown.items():
        check = _class_example(f"{node}:E", (*_missing(examples, made), *examples))
        if check is not None:
            yield check


def _missing(examples: Sequence[Shown], made: Mapping[str, Shown]) -> Iterator[Shown]:
    """Yield what binds the object of the first example, where only another method's docstring does."""
    bound = {name for one in examples for name in _bound(one.source)}
    first = examples[0].source.partition(".")[0] if examples else ""
    if first in made and first not in bound:
        yield made[first]


def _bound(source: str) -> tuple[str, ...]:
    """Return the names that `name = Call(...)` binds; none for anything else."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return ()
    assigns = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return tuple(target.id for node in assigns for target in node.targets if isinstance(target, ast.Name))


def _class_example(check_id: str, examples: Sequence[Shown]) -> Check | None:
    """Return the examples of one method's docstring as one check of the class, or None when nothing is compared.

    The examples run in order as one test: statements as they are, expressions with a literal result compared with it.
    """
    lines: list[str] = []
    compared = 0
    for shown in examples:
        line = _test_line(shown)
        if not line:
            break
        lines.append(line)
        compared += line.startswith("self.assertEqual(")
    body = "\n".join(f"        {part}" for line in lines for part in line.splitlines())
    source = f"import unittest\n\n\nclass DocumentedTest(unittest.TestCase):\n    def test_documented(self):\n{body}\n"
    if not compared or not _parses(source):
        return None
    return Check(id=check_id, origin="internal", input=UnittestInput(source=source), expected=Expected(passes=True))


def _local(number: int, text: str, args: tuple[Any, ...], expected: Any) -> LocalCheck:
    return LocalCheck(
        id=f"L{number}",
        text=text,
        args=tuple(encode(arg) for arg in args),
        expected=encode(expected),
        has_expected=True,
        derivation="an example of the docstring",
    )


def _test_line(shown: Shown) -> str:
    """Return one line of the test, or an empty text where the example cannot be read."""
    if not _parses(shown.source):
        return ""
    if not shown.want:
        return shown.source
    try:
        ast.parse(shown.source, mode="eval")
        expected = literal(shown.want)
    except (SyntaxError, ValueError):
        return shown.source
    return f"self.assertEqual({shown.source}, {expected!r})"


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True
