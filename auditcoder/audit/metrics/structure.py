"""Graph integrity and contract-signature consistency of the final record (paper 4.3, core.md section 8)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from auditcoder.audit.metrics.loading import LoadedRun
from auditcoder.audit.metrics.metric import Part, truth
from auditcoder.core.graph import integrity
from auditcoder.core.naming import expected_names
from auditcoder.core.parsing import MAX_SOURCE, Refusal, normalize, parse_source
from auditcoder.records.graph import Node
from auditcoder.records.task import FunctionSignature

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_PROGRAM = 50 * MAX_SOURCE


def graph_integrity(run: LoadedRun) -> Sequence[Part]:
    """Return whether the final graph breaks no integrity rule (core.md section 2)."""
    graph = run.final.program.graph
    if graph is None:
        return (truth("no graph"),)
    return (truth(*(violation.message for violation in integrity(graph))),)


def signature_consistency(run: LoadedRun) -> Sequence[Part]:
    """Return, of every code owner of the final graph, whether its code is what its contract says.

    Consistent: the code parses; every function or class that the contract declares (for the root also the entry point)
    is defined exactly once, in the code of the node and in the assembled program; its positional parameters are those
    of the signature, further ones have defaults (paper: parseability, positional parameters, uniqueness of any declared
    function name). A method that a base class may define is left to execution.
    """
    graph = run.final.program.graph
    program = parse_source(run.final.program.assembly.program, most=_PROGRAM)
    return [truth(*_problems(node, run, program)) for node in (graph.owners if graph else ())]


def _problems(node: Node, run: LoadedRun, program: ast.Module | Refusal) -> Iterator[str]:
    code = run.final.program.codes.get(node.id)
    tree = parse_source(normalize(code.source)) if code else None
    if not isinstance(tree, ast.Module):
        yield f"{node.id}: {'its code does not parse' if code else 'it has no code'}"
        return
    signatures = {signature.name: signature for signature in node.contract.signatures}
    for name in expected_names(node, run.task.entry):
        own = definitions(tree, name)
        everywhere = definitions(program, name) if isinstance(program, ast.Module) else own
        if len(own) != 1 or len(everywhere) != 1:
            yield f"{node.id}: `{name}` is defined {len(own)} times by it, {len(everywhere)} times in the program"
            continue
        wanted = [signatures[name]] if name in signatures else list(signatures.values())
        yield from (f"{node.id}: `{one.render()}` has other parameters" for one in wanted if not _fits(own[0], one))


def definitions(tree: ast.Module, name: str) -> list[Definition]:
    """Return the definitions of a name at module level, also inside `if`, `try`, `with` and loops."""
    found: list[Definition] = []
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found += [part] if part.name == name else []
        else:
            waiting += [child for child in ast.iter_child_nodes(part) if isinstance(child, _STATEMENTS)]
    return found


_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _fits(defined: Definition, wanted: FunctionSignature) -> bool:
    if not isinstance(defined, ast.ClassDef):
        return positional_match(defined, wanted, bound=0)
    if defined.name == wanted.name:
        return True
    methods = [part for part in defined.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    named = [method for method in methods if method.name == wanted.name]
    if not named:
        return bool(defined.bases)
    static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in named[-1].decorator_list)
    return len(named) == 1 and positional_match(named[0], wanted, bound=0 if static else 1)


def positional_match(defined: ast.FunctionDef | ast.AsyncFunctionDef, wanted: FunctionSignature, *, bound: int) -> bool:
    """Return whether the positional parameters behind `bound` ones (self) are those of the signature, in order."""
    names = [argument.arg for argument in (*defined.args.posonlyargs, *defined.args.args)][bound:]
    wanted_names = [parameter.name for parameter in wanted.parameters]
    extra = len(names) - len(wanted_names)
    return names[: len(wanted_names)] == wanted_names and extra <= len(defined.args.defaults)
