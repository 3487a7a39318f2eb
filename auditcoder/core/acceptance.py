"""The rules by which a model's answer becomes the code of a node, or is refused with a reason.

Numbered, and marked at the code:
1. the text parses, compiles and is not nested beyond reason;
2. no star import (unless the node is the only owner) and no relative import;
3. other nodes' names are not defined: separable definitions and imports of them are taken out, others are refused;
4. every expected function or class is defined exactly once at top level, with `def` or `class`; of several, the last
   one counts, as it does for Python, and the earlier ones are taken out;
5. its positional parameters are those of the contract; further ones need defaults;
6. module-level code of a node that does not start the program only prepares data for its definitions: guards, test
   code and prints are taken out, reading or printing that the definitions need is refused;
7. the node that starts the program starts something;
8. where there are other owners, nothing reaches into what is theirs or everybody's: their functions, modules,
   built-ins, the global namespace.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from auditcoder.core.cleaning import Cleaned, Module, drop_foreign, drop_idle, drop_superseded
from auditcoder.core.effects import ENTRY_FUNCTION, is_main, starts_program
from auditcoder.core.intrusion import find_intrusion
from auditcoder.core.naming import expected_names, prelude_definitions, starts_here
from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.core.pieces import Piece, join, split
from auditcoder.core.scopes import FUNCTIONS
from auditcoder.errors import AssemblyError
from auditcoder.records.graph import ROOT, Node
from auditcoder.records.task import FunctionSignature, Task


class AcceptedSource(NamedTuple):
    """A node's source, and what was taken out of the answer."""

    source: str
    stripped: tuple[str, ...] = ()
    """One line for each part: why, what, where, how it begins."""


def accept_source(source: str, node: Node, task: Task, foreign: Collection[str]) -> AcceptedSource | Refusal:
    """Return the source of a node from a model's answer, or why the answer cannot be used. Never raises.

    Accepting an accepted source changes nothing.

    Args:
        source: Untrusted text: the code of the answer, without fences.
        node: The node; its contract gives the names and parameters that must be defined.
        task: Gives the entry point and the prelude, whose definitions a node must not repeat.
        foreign: Public names of other nodes, which must not be defined.
    """
    text = normalize(source)
    tree = parse_source(text)  # rule 1
    if isinstance(tree, Refusal):
        return tree
    try:
        return _accept(Module.of(tree, split(text, tree)), node, task, frozenset(foreign))
    except (RecursionError, AssemblyError) as error:
        return Refusal(f"the code cannot be taken apart: {error}")


def _accept(module: Module, node: Node, task: Task, others: frozenset[str]) -> AcceptedSource | Refusal:
    expected = expected_names(node, task.entry)
    entry = {task.entry.name} if task.entry.name and node.id != ROOT else set()
    foreign = (others | entry) - set(expected)
    refusal = _check_imports(module, alone=node.id == ROOT and not others)  # rule 2
    if refusal is not None:
        return refusal
    own = drop_foreign(module, foreign, prelude_definitions(task) - set(expected), expected)  # rule 3
    once = drop_superseded(module, own.kept, expected)  # rule 4
    refusal = _check_definitions(module, once.kept, node, expected)  # rules 4 and 5
    if refusal is not None:
        return refusal
    starts = starts_here(node.id, task.entry)
    cleaned = Cleaned(once.kept, ()) if starts else drop_idle(module, once.kept, expected)  # rule 6
    if isinstance(cleaned, Refusal):
        return cleaned
    refusal = _check_names(module, cleaned.kept, foreign)
    if others or node.id != ROOT:
        refusal = refusal or find_intrusion(module, cleaned.kept, foreign)  # rule 8
    refusal = refusal or _check_start(module, cleaned.kept, starts=starts)
    if refusal is not None:
        return refusal
    text = join(cleaned.kept)
    if isinstance(again := parse_source(text), Refusal):
        return again
    removed = sorted((*own.removed, *once.removed, *cleaned.removed), key=lambda part: part.line)
    return AcceptedSource(text, tuple(part.render() for part in removed))


def _check_imports(module: Module, *, alone: bool) -> Refusal | None:
    for statement in ast.walk(module.tree):
        if not isinstance(statement, ast.ImportFrom):
            continue
        if any(alias.name == "*" for alias in statement.names) and not alone:
            reason = f"`from {statement.module} import *` hides where names come from; import the names you use"
            return Refusal(reason, statement.lineno)
        if statement.level:
            return Refusal(
                "relative imports have no package here; other nodes' functions need no import", statement.lineno
            )
    for use in module.names.uses:
        if use.nested and use.stores and isinstance(use.node, ast.alias):
            return Refusal(
                f"`{use.name}` is imported inside a function as a global; import it at the top", use.node.lineno
            )
    return None


def _check_definitions(module: Module, pieces: Sequence[Piece], node: Node, expected: Sequence[str]) -> Refusal | None:
    signatures = {signature.name: signature for signature in node.contract.signatures}
    for name in expected:
        found = [piece for piece in pieces if piece.name == name]
        if len(found) != 1:
            return _not_once(module, name, found)
        statement = module.statement(found[0])
        wanted = signatures.get(name)
        if isinstance(statement, ast.ClassDef):
            methods = [] if wanted else [s for s in node.contract.signatures if s.name not in expected]
            refusal = _check_methods(statement, methods)
        else:
            refusal = _check_function(statement, wanted, bound=0)
        if refusal is not None:
            return refusal
    return None


def _not_once(module: Module, name: str, found: Sequence[Piece]) -> Refusal:
    if found:
        lines = ", ".join(str(piece.line) for piece in found)
        return Refusal(f"`{name}` is defined {len(found)} times (lines {lines}); define it once", found[-1].line)
    for outer in ast.walk(module.tree):
        if isinstance(outer, (*FUNCTIONS, ast.ClassDef)) and outer.name == name:
            return Refusal(f"`{name}` is defined inside something else; define it at top level", outer.lineno)
    return Refusal(f"`{name}` is not defined; define it at top level with exactly this name")


def _check_methods(statement: ast.ClassDef, wanted: Iterable[FunctionSignature]) -> Refusal | None:
    methods = {part.name: part for part in statement.body if isinstance(part, FUNCTIONS)}
    for signature in wanted:
        method = methods.get(signature.name)
        if method is None and statement.bases:
            continue  # may be inherited: only a run can tell
        if method is None:
            return Refusal(f"class `{statement.name}` must define `{signature.render()}`", statement.lineno)
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in method.decorator_list)
        refusal = _check_function(method, signature, bound=0 if static else 1)
        if refusal is not None:
            return refusal
    return None


def _check_function(statement: ast.stmt, wanted: FunctionSignature | None, *, bound: int) -> Refusal | None:
    """`bound` parameters (self, cls) come in front of those of the signature."""
    if isinstance(statement, ast.AsyncFunctionDef):
        return Refusal(f"`{statement.name}` must be an ordinary function, not async", statement.lineno)
    if wanted is None or not isinstance(statement, ast.FunctionDef):
        return None
    arguments = statement.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)][bound:]
    names = [parameter.name for parameter in wanted.parameters]
    extra = len(positional) - len(names)
    keyword_only = [a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    if positional[: len(names)] != names or extra > len(arguments.defaults) or keyword_only:
        shown = ", ".join([*positional, *keyword_only])
        return Refusal(f"`{wanted.name}({shown})` must have the signature `{wanted.render()}`", statement.lineno)
    return None


def _check_names(module: Module, kept: Sequence[Piece], foreign: Collection[str]) -> Refusal | None:
    """Rule 3, the rest: other nodes' names bound in a larger statement, or through `global`."""
    places = {piece.place: piece for piece in kept}
    for use in module.names.uses:
        if use.stores and use.name in foreign and use.statement in places and not isinstance(use.node, ast.alias):
            reason = f"`{use.name}` belongs to another node; call it, do not define or assign it"
            return Refusal(reason, places[use.statement].line)
    return None


def _check_start(module: Module, kept: Sequence[Piece], *, starts: bool) -> Refusal | None:
    statements = [module.statement(piece) for piece in kept if piece.kind != "comment"]
    if not starts or any(starts_program(each) or is_main(each) for each in statements):  # rule 7
        return None
    return Refusal(f"nothing starts the program; define `{ENTRY_FUNCTION}()` and call it under an entry guard")
