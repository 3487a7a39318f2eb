"""ClassEval: classes from a skeleton. Visible are the examples in the docstrings of the skeleton that are right."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from pathlib import Path

from auditcoder.eval.containment.docstrings import class_examples
from auditcoder.eval.suites.assertions import bound_by, names_bound
from auditcoder.eval.suites.data import Row, data_folder, field, pack_files, picked, read_rows, texts
from auditcoder.records.task import Check, EntryPoint, FunctionSignature, Limits, Task, UnittestInput
from auditcoder.tasks.signatures import signature_of

NAME = "classeval"
FILES = "ClassEval_data*.json"
LIMITS = Limits(cpu_seconds=5.0, memory_mb=1024)
DEFECTIVE = {
    "17": "a test expects a date in January 2024 to lie ahead",
    "48": "a test expects the author's host name, others ask the network",
    "51": "the solution uses what numpy 2 has no more",
    "58": "a test draws at random without a seed",
}
WRONG_EXAMPLES = {
    "4": ("get_all_students_with_fail_course",), "12": ("create_deck",), "16": ("apply_operator",),
    "25": ("load_cookies",), "26": ("read_csv", "process_csv_data"), "36": ("send_to",), "42": ("__init__",),
    "45": ("resize_image",), "48": ("get_hostname",), "50": ("read_json", "write_json", "process_json"),
    "58": ("generate_mine_sweeper_map",), "71": ("move",), "84": ("read_file_as_json",), "97": ("is_valid_input",),
    "98": ("write_xml", "process_xml_data"),
}  # fmt: skip
"""By task: methods whose docstring example no right program passes: it needs files or a state that it does not make, is
random, or contradicts its description. They are no visible checks."""
NEEDS = {
    "28": ("numpy", "pandas"), "30": ("numpy",), "34": ("docx",), "38": ("openpyxl",), "44": ("bs4", "gensim"),
    "45": ("PIL",), "51": ("numpy",), "57": ("numpy",), "59": ("numpy",),
}  # fmt: skip
"""By task: packages outside the standard library."""


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these numbers in their order, or all of the pack.

    Raises:
        TaskError: the data is absent or malformed, or a number is not there.
    """
    folder = data_folder(data_dir) / NAME
    return tuple(_task(number, row, folder) for number, row in picked(rows(folder), ids, folder))


def rows(folder: Path) -> dict[str, Row]:
    """Return the rows by number. Hidden tests are in them: only for eval.

    Raises:
        TaskError: the data is absent or malformed.
    """
    return {
        field(row, "task_id", str, path).rpartition("_")[2]: row
        for path in pack_files(folder, FILES)
        for row in read_rows(path)
    }


def _task(number: str, row: Row, folder: Path) -> Task:
    name, skeleton = field(row, "class_name", str, folder), field(row, "skeleton", str, folder)
    found, prelude = _class(skeleton, name), "\n".join(texts(row, "import_statement", folder))
    methods = tuple(_methods(found)) if found else ()
    return Task(
        id=f"{NAME}-{number}",
        statement=f"Complete the class `{name}`.\n\n```python\n{plain(skeleton)}\n```\n",
        entry=EntryPoint(kind="class", name=name, methods=methods),
        examples=tuple(_visible(found, WRONG_EXAMPLES.get(number, ()), prelude)) if found else (),
        limits=LIMITS,
        prelude=prelude,
    )


def plain(skeleton: str) -> str:
    """Return a skeleton as it is meant: one of them stands whole in a text literal."""
    text = skeleton.strip()
    quoted = text.startswith("'''") and text.endswith("'''")
    return text[3:-3].strip() if quoted else text


def _class(skeleton: str, name: str) -> ast.ClassDef | None:
    """Return the class of a skeleton; None where it does not parse: then only the class itself is promised."""
    try:
        body = ast.parse(plain(skeleton)).body
    except SyntaxError:
        return None
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == name]
    return classes[-1] if classes else None


def _methods(found: ast.ClassDef) -> Iterator[FunctionSignature]:
    """Yield the public methods that a contract can hold: static ones and those with `*` are left to the tests."""
    for part in found.body:
        public = isinstance(part, ast.FunctionDef) and (part.name == "__init__" or not part.name.startswith("_"))
        if isinstance(part, ast.FunctionDef) and public and not part.decorator_list:
            try:
                made = signature_of(part).signature
            except ValueError:
                continue
            if part.name != "__init__" or made.parameters:
                yield made


def _visible(found: ast.ClassDef, wrong: Sequence[str], prelude: str) -> Iterator[Check]:
    """Yield one check for every method whose docstring has an example with a literal result."""
    functions = [part for part in found.body if isinstance(part, ast.FunctionDef)]
    docs = {part.name: ast.get_docstring(part) or "" for part in functions}
    known = {found.name, *names_bound(prelude)}
    plain_name = found.name if _made_plainly(found) else ""
    for check in class_examples({name: doc for name, doc in docs.items() if name not in wrong}):
        method = check.id.partition(":")[0]
        source = _bound(check.input.source, known, plain_name) if isinstance(check.input, UnittestInput) else ""
        if source:
            given = UnittestInput(source=source)
            yield check.model_copy(update={"id": f"example-{method}", "origin": "example", "input": given})


def _made_plainly(found: ast.ClassDef) -> bool:
    """Return whether the class is constructed without arguments."""
    for part in found.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return len(part.args.args) - 1 == len(part.args.defaults)
    return True


def _bound(source: str, known: set[str], name: str) -> str:
    """Return a test in which every name is bound, or an empty text where that cannot be.

    Some docstrings use an object that they do not make: where the class (`name`) needs no arguments, it is made here.
    """
    tree = ast.parse(source)
    [test] = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    names = [node for node in ast.walk(test) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {"self", *dir(builtins), *known}
    made |= {part for node in ast.walk(test) if isinstance(node, ast.stmt) for part in bound_by(node)}
    free = sorted({node.id for node in names} - made)
    if len(free) > 1 or (free and not name):
        return ""
    test.body[:0] = [ast.parse(f"{one} = {name}()").body[0] for one in free]
    return ast.unparse(tree) + "\n"
