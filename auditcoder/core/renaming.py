"""Scope-aware renaming of module-level names, by position: comments and formatting stay as they are.

Renamed are the identifiers that mean the module's binding. Never renamed: attributes, keyword arguments, strings,
shadowing locals. The result is compared with the tree that it must parse to, so a wrong rewrite cannot pass silently.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from auditcoder.core.fstrings import Field, Reading, name_spans
from auditcoder.core.parsing import Refusal, parse_source
from auditcoder.core.positions import Positions, Span, Word
from auditcoder.core.scopes import Use, module_names
from auditcoder.errors import AssemblyError


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def rename_globals(source: str, names: Mapping[str, str]) -> str:
    """Return the source with module-level names replaced, `names` mapping old to new.

    The new names must occur nowhere in the source.

    Raises:
        AssemblyError: the source does not parse, or a name cannot be rewritten safely.
    """
    if not names:
        return source
    tree = _parsed(source)
    analysis = module_names(tree)
    unsafe = sorted(analysis.ambiguous & names.keys())
    if unsafe:
        raise AssemblyError(f"name {unsafe[0]} cannot be renamed: a class body binds and reads it", unit=unsafe[0])
    uses = [use for use in analysis.uses if use.name in names]
    renamed = _apply(source, list(_edits(source, uses, names)))
    _split_submodules(tree, uses, names)
    for use in uses:
        _rename_node(use, names[use.name])
    if ast.dump(_parsed(renamed)) != ast.dump(tree):
        raise AssemblyError(f"names {', '.join(sorted(names))} cannot be renamed safely", unit=min(names))
    return renamed


def _parsed(source: str) -> ast.Module:
    tree = parse_source(source)
    if isinstance(tree, Refusal):
        raise AssemblyError(f"line {tree.line}: {tree.reason}")
    return tree


def _apply(source: str, edits: list[_Edit]) -> str:
    for edit in sorted(set(edits), reverse=True):
        source = source[: edit.start] + edit.text + source[edit.end :]
    return source


def _edits(source: str, uses: list[Use], names: Mapping[str, str]) -> Iterator[_Edit]:
    positions = Positions(source)
    readings: dict[int, dict[int, Reading]] = {}
    documented: set[Field] = set()
    for use in uses:
        new = names[use.name]
        if use.fstring is not None and isinstance(use.node, ast.Name):
            literal = use.fstring
            if id(literal) not in readings:
                readings[id(literal)] = name_spans(source, literal, positions.span(literal))
            reading = readings[id(literal)][id(use.node)]
            documented.update(reading.documented)
            yield _Edit(*reading.span, new)
        elif isinstance(use.node, ast.alias):
            yield _alias_edit(positions, use, use.node, new)
        else:
            yield from (_Edit(*span, new) for span in _identifier(positions, use))
    for field in documented:
        yield from _undocument(source, field)


def _undocument(source: str, field: Field) -> Iterator[_Edit]:
    """Keep what `{name=}` prints: the old text becomes literal, the field an ordinary one."""
    assert field.equals is not None
    text = source[field.expression.start : field.equals.end]
    yield _Edit(field.opening, field.opening, text.replace("{", "{{").replace("}", "}}"))
    yield _Edit(*field.equals, "!r" if field.plain else "")


def _alias_edit(positions: Positions, use: Use, alias: ast.alias, new: str) -> _Edit:
    span = positions.span(alias)
    if alias.asname is None and "." in alias.name:
        top = alias.name.partition(".")[0]
        return _Edit(*span, f"{top} as {new}, {alias.name} as {submodule_alias(alias.name, new)}")
    if alias.asname is None:
        return _Edit(span.end, span.end, f" as {new}")
    return _Edit(*_last(positions.words(span), use), new)


def submodule_alias(dotted: str, new: str) -> str:
    """Return the unused name that a submodule import is bound to when its package got another name."""
    return f"{new}_{dotted.partition('.')[2].replace('.', '_')}"


def _identifier(positions: Positions, use: Use) -> Iterator[Span]:
    node, span = use.node, positions.span(use.node)
    words = positions.words(span)
    match node:
        case ast.Name():
            yield span
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            keyword = next(index for index, word in enumerate(words) if word.text in ("def", "class"))
            yield Span(*words[keyword + 1][:2])
        case ast.ExceptHandler(type=ast.expr() as kind):
            rest = positions.words(Span(positions.span(kind).end, span.end))
            yield Span(*rest[1][:2])
        case ast.Global():
            yield from (Span(*word[:2]) for word in words[1:] if word.text == use.written)
        case _:  # captures of a match: the name is the last word
            yield _last(words, use)


def _last(words: list[Word], use: Use) -> Span:
    if not words or words[-1].text != use.written:
        raise AssemblyError(f"name {use.written} was not found where the tree says it is", unit=use.written)
    return Span(*words[-1][:2])


def _rename_node(use: Use, new: str) -> None:
    match use.node:
        case ast.Name() as node:
            node.id = new
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.ExceptHandler() as node:
            node.name = new
        case ast.MatchAs() | ast.MatchStar() as node:
            node.name = new
        case ast.MatchMapping() as node:
            node.rest = new
        case ast.Global() as node:
            node.names = [new if name == use.written else name for name in node.names]
        case ast.alias() as node:
            node.asname = new


def _split_submodules(tree: ast.Module, uses: list[Use], names: Mapping[str, str]) -> None:
    """Mirror `_alias_edit` for `import a.b`, which binds `a`: two aliases take its place."""
    new = {id(use.node): names[use.name] for use in uses if isinstance(use.node, ast.alias)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            node.names = [part for alias in node.names for part in _parts(alias, new.get(id(alias), ""))]


def _parts(alias: ast.alias, new: str) -> list[ast.alias]:
    if not new or alias.asname is not None or "." not in alias.name:
        return [alias]
    top = alias.name.partition(".")[0]
    return [ast.alias(top, new), ast.alias(alias.name, submodule_alias(alias.name, new))]
