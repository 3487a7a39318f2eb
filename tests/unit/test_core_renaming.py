from __future__ import annotations

import argparse
import ast
import dataclasses
import functools
import inspect
import symtable
import textwrap
import typing
from types import ModuleType

import pytest

from auditcoder.core.parsing import Refusal, normalize, parse_source
from auditcoder.core.pieces import join, split
from auditcoder.core.renaming import rename_globals
from auditcoder.core.scopes import module_names
from auditcoder.errors import AssemblyError

CHANGED = {
    "definition-and-calls": ("def h(x): return h(x)\n", "def H(x): return H(x)\n"),
    "async-definition": ("async  def \\\n  h(): pass\n", "async  def \\\n  H(): pass\n"),
    "class-and-bases": ("class h: pass\nclass B(h): pass\n", "class H: pass\nclass B(H): pass\n"),
    "decorator": ("h = 1\n@h.a(h)\ndef f(): pass\n", "H = 1\n@H.a(H)\ndef f(): pass\n"),
    "default-beside-parameter": ("h = 1\ndef f(h=h): return h\n", "H = 1\ndef f(h=H): return h\n"),
    "keyword-only-default": ("h = 1\ndef f(*, k: h = h) -> h: pass\n", "H = 1\ndef f(*, k: H = H) -> H: pass\n"),
    "lambda-default": ("h = 1\nf = lambda h=h: h\n", "H = 1\nf = lambda h=H: h\n"),
    "global-statement": ("def f():\n    global a, h\n    h = 1\n", "def f():\n    global a, H\n    H = 1\n"),
    "global-through-nesting": (
        "h = 1\ndef f():\n    global h\n    def g(): return h\n    h = 2\n",
        "H = 1\ndef f():\n    global H\n    def g(): return H\n    H = 2\n",
    ),
    "comprehension-iterable": ("h = 1\nx = [h for h in h]\n", "H = 1\nx = [h for h in H]\n"),
    "second-iterable-is-inside": ("h = 1\nx = [1 for h in [] for y in h]\n", "H = 1\nx = [1 for h in [] for y in h]\n"),
    "walrus-binds-outside": ("x = [(h := y) for y in []]\nh\n", "x = [(H := y) for y in []]\nH\n"),
    "class-body-reads-module": ("h = 1\nclass A:\n    x = h\n", "H = 1\nclass A:\n    x = H\n"),
    "class-attribute-hides-nothing-below": (
        "h = 1\nclass A:\n    h = 2\n    def m(self): return h, self.h\n",
        "H = 1\nclass A:\n    h = 2\n    def m(self): return H, self.h\n",
    ),
    "class-reads-before-it-binds": ("h = 1\nclass A:\n    h = h\n", "H = 1\nclass A:\n    h = H\n"),
    "dataclass-field-like-its-type": ("class h: pass\nclass A:\n    h: h\n", "class H: pass\nclass A:\n    h: H\n"),
    "mangled-in-class": (
        "_A__h = 1\nclass A:\n    def m(self): return __h\n",
        "H = 1\nclass A:\n    def m(self): return H\n",
    ),
    "import": ("import h\nh.x\n", "import h as H\nH.x\n"),
    "import-alias": ("import m as h # h\nh.x\n", "import m as H # h\nH.x\n"),
    "import-from": ("from m import (a,\n  h)\nh\n", "from m import (a,\n  h as H)\nH\n"),
    "import-submodule": ("import h.b.c\nh.b\n", "import h as H, h.b.c as H_b_c\nH.b\n"),
    "except-name": ("try: pass\nexcept (E) as h: h\n", "try: pass\nexcept (E) as H: H\n"),
    "match-captures": (
        "match h:\n    case [1, *h]: pass\n    case {'h': 1, **h}: pass\n    case int() as h: pass\n    case h: pass\n",
        "match H:\n    case [1, *H]: pass\n    case {'h': 1, **H}: pass\n    case int() as H: pass\n    case H: pass\n",
    ),
    "f-string": ("h = 1\nx = f'h {h!r:>{h}} {{h}}'\n", "H = 1\nx = f'h {H!r:>{H}} {{h}}'\n"),
    "f-string-documents-itself": (
        "h = 1\nx = f'{ h = }{h=:>4}{h=!s}'\n",
        "H = 1\nx = f' h = { H !r}h={H:>4}h={H!s}'\n",
    ),
    "f-string-nested": ('h = 1\nx = f"""é{f\'{h}\' + "h"}\n{h\n}"""\n', 'H = 1\nx = f"""é{f\'{H}\' + "h"}\n{H\n}"""\n'),
    "f-string-concatenated": (
        "h = 1\nx = ('h' # h\n  f'{h}' \"{h}\" rf'\\{h}')\n",
        "H = 1\nx = ('h' # h\n  f'{H}' \"{h}\" rf'\\{H}')\n",
    ),
    "f-string-local": (
        "h = 1\ndef f(h): return f'{h}{(lambda: h)()}'\n",
        "H = 1\ndef f(h): return f'{h}{(lambda: h)()}'\n",
    ),
    "other-alphabets-before-it": ("h = 1\nx = 'éü', h\n", "H = 1\nx = 'éü', H\n"),
    "compatibility-letters": ("\uff48 = 1\nx = h\n", "H = 1\nx = H\n"),
    "delete-and-augment": ("h = 1\nh += 1\ndel h\n", "H = 1\nH += 1\ndel H\n"),
}
UNCHANGED = {
    "attribute": "x.h = x.h.h\n",
    "keyword-argument": "f(h=1)\n",
    "string": 'x = \'h\', """h"""\n',
    "comment": "# h\nx = 1  # h\n",
    "parameter": "def f(h, *a, **k): return h, (lambda: h)\n",
    "local": "def f():\n    h = 1\n    def g(): return h\n",
    "nonlocal": "def f():\n    h = 1\n    def g():\n        nonlocal h\n        h = 2\n",
    "loop-variable": "def f():\n    for h in []: h\n    with x as h: h\n",
    "local-import": "def f():\n    import h\n    from h import h\n    return h\n",
    "comprehension-variable": "x = {h: h for h in []}\n",
    "method": "class A:\n    def h(self): pass\n    x = h\n",
    "local-except": "def f():\n    try: pass\n    except E as h: h\n",
    "future": "from __future__ import annotations as h\n",
}


@pytest.mark.parametrize(("source", "expected"), list(CHANGED.values()), ids=list(CHANGED))
def test_what_means_the_module_is_renamed(source: str, expected: str) -> None:
    assert rename_globals(source, {"h": "H", "_A__h": "H"}) == expected


@pytest.mark.parametrize("source", list(UNCHANGED.values()), ids=list(UNCHANGED))
def test_what_means_something_else_must_not_change(source: str) -> None:
    assert rename_globals(source, {"h": "H"}) == source


AMBIGUOUS = {
    "conditional-binding": "h = 1\nclass A:\n    if x: h = 2\n    y = h\n",
    "loop": "h = 1\nclass A:\n    while x:\n        y = h\n        h = 2\n",
    "augmented": "h = 1\nclass A:\n    h += 1\n",
}


@pytest.mark.parametrize("source", list(AMBIGUOUS.values()), ids=list(AMBIGUOUS))
def test_what_only_a_run_can_tell_is_refused(source: str) -> None:
    assert module_names(ast.parse(source)).ambiguous == {"h"}
    with pytest.raises(AssemblyError, match="class body"):
        rename_globals(source, {"h": "H"})


def test_no_names_or_no_python_are_handled() -> None:
    assert rename_globals("not python", {}) == "not python"
    with pytest.raises(AssemblyError, match="line 1"):
        rename_globals("not python at all\n", {"h": "H"})


REAL = (argparse, dataclasses, functools, textwrap, typing)


def real_source(module: ModuleType) -> tuple[str, ast.Module]:
    text = normalize(inspect.getsource(module))
    tree = parse_source(text, most=len(text))
    assert not isinstance(tree, Refusal)
    return text, tree


@pytest.mark.parametrize("module", REAL, ids=lambda module: module.__name__)
def test_scopes_agree_with_the_compilers_symbol_table(module: ModuleType) -> None:
    text, tree = real_source(module)
    table = symtable.symtable(text, module.__name__, "exec")
    assert {use.name for use in module_names(tree).uses} == compiler_globals(table)


def compiler_globals(table: symtable.SymbolTable) -> set[str]:
    module = table.get_type() == "module"
    names = {symbol.get_name() for symbol in table.get_symbols() if module or symbol.is_global()}
    return names.union(*(compiler_globals(child) for child in table.get_children()))


@pytest.mark.parametrize("module", [dataclasses, functools, textwrap], ids=lambda module: module.__name__)
def test_renaming_every_name_of_a_real_module_keeps_its_other_tokens(module: ModuleType) -> None:
    text, tree = real_source(module)
    names = module_names(tree)
    renames = {name: f"renamed_{name.strip('_')}" for name in names.bound - names.ambiguous}
    renamed = rename_globals(text, renames)
    assert renamed.count("\n") == text.count("\n")
    assert not (module_names(ast.parse(renamed)).bound & renames.keys())
    back = {new: old for old, new in renames.items()}
    uses = [use.name for use in module_names(ast.parse(renamed)).uses]
    assert [back.get(name, name) for name in uses] == [use.name for use in names.uses]


@pytest.mark.parametrize("module", REAL, ids=lambda module: module.__name__)
def test_a_real_module_survives_being_split_and_joined(module: ModuleType) -> None:
    text, tree = real_source(module)
    joined = join(split(text, tree))
    again = ast.parse(joined)
    assert ast.dump(again) == ast.dump(tree)
    assert join(split(joined, again)) == joined
