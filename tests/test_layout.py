"""The shape of the repository: packages, links, guards, sizes, imports, and what must not be in it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CODE_FOLDERS = ("auditcoder", "signatures", "programs", "eval", "optimizers", "tests")
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def setuptools_table() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        table: dict[str, Any] = tomllib.load(file)["tool"]["setuptools"]
    return table


@cache
def python_files() -> tuple[Path, ...]:
    """Return every Python file of ours once, in real folders only (links would repeat them)."""
    found = [p for name in CODE_FOLDERS if (ROOT / name).is_dir() for p in walk(ROOT / name)]
    return tuple(sorted(found))


def walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    for entry in folder.iterdir():
        if entry.is_symlink() or entry.name == "__pycache__":
            continue
        found += walk(entry) if entry.is_dir() else [entry] if entry.suffix == ".py" else []
    return found


@cache
def tracked_files() -> tuple[Path, ...]:
    """Return every file of the project, from git where it is there, else the Python files."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\0") if name] if listed.returncode == 0 else []
    paths = [ROOT / name for name in names] or list(python_files())
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


@cache
def tracked_texts() -> tuple[tuple[str, str], ...]:
    return tuple((relative(path), path.read_text(encoding="utf-8", errors="replace")) for path in tracked_files())


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_links_equal_the_mapped_packages() -> None:
    mapped = {name.removeprefix("auditcoder."): folder for name, folder in setuptools_table()["package-dir"].items()}
    links = {p.name: p.readlink().as_posix() for p in (ROOT / "auditcoder").iterdir() if p.is_symlink()}
    assert links == {name: f"../{folder}" for name, folder in mapped.items()}


def test_packages_equal_the_folders_with_an_init() -> None:
    folders = {relative(path.parent).replace("/", ".") for path in python_files() if path.name == "__init__.py"}
    mapped = setuptools_table()["package-dir"].values()
    found = {f"auditcoder.{name}" if name.split(".")[0] in mapped else name for name in folders}
    assert set(setuptools_table()["packages"]) == found


def test_every_module_lies_in_a_package() -> None:
    lost = [relative(p) for p in python_files() if not (p.parent / "__init__.py").exists()]
    assert [name for name in lost if not name.startswith("tests/")] == []


def test_tests_are_no_package() -> None:
    assert [relative(p) for p in (ROOT / "tests").rglob("__init__.py")] == []


@pytest.mark.parametrize("name", sorted(setuptools_table()["package-dir"].values()))
def test_a_root_folder_refuses_a_second_name(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert f"ImportError: import auditcoder.{name}" in run.stderr


@pytest.mark.parametrize("name", sorted(setuptools_table()["package-dir"]))
def test_a_root_folder_is_imported_by_its_name(name: str) -> None:
    run = subprocess.run([sys.executable, "-c", f"import {name}"], cwd="/", capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_files_are_small() -> None:
    sizes = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}
    assert {name: lines for name, lines in sizes.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    long: dict[str, int] = {}
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, FUNCTIONS) and node.end_lineno:
                lines = node.end_lineno - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    long[f"{relative(path)}::{node.name}"] = lines
    assert long == {}


def is_guard(node: ast.stmt) -> bool:
    """Return whether this is the `if __name__ != ...: raise ImportError` of a linked root folder."""
    return isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and not node.orelse


def exports(path: Path) -> list[ast.stmt]:
    return [node for node in ast.parse(path.read_text(encoding="utf-8")).body if not is_guard(node)]


@pytest.mark.parametrize("path", [p for p in python_files() if p.name == "__init__.py"], ids=relative)
def test_an_init_holds_a_docstring_and_sorted_exports_only(path: Path) -> None:
    first, *rest = exports(path)
    assert isinstance(first, ast.Expr), "a package starts with its docstring"
    assert isinstance(first.value, ast.Constant)
    assert isinstance(first.value.value, str)
    assert [ast.unparse(node) for node in rest if not isinstance(node, ast.ImportFrom | ast.Assign)] == []
    for node in rest:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
            assert list(names) == sorted(names)


def test_imports_are_absolute() -> None:
    nodes = [(p, n) for p in python_files() for n in ast.walk(ast.parse(p.read_text(encoding="utf-8")))]
    assert [relative(p) for p, n in nodes if isinstance(n, ast.ImportFrom) and n.level] == []


# Built from parts, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a path of a development machine": re.compile(
        r"(?<![\w.])/(?:wor" + r"k|far" + r"m|tmp/ve" + r"nv|Use" + r"rs/\w+)/"
    ),
    "a package registry's host": re.compile(r"pypi\.or" + r"g|pythonhosted\.or" + r"g|registry\.npmjs\.or" + r"g"),
    "unfinished work": re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b"),
    "a private key": re.compile(r"BEGIN [A-Z ]*PRIVATE KE" + r"Y|\bsk-[A-Za-z0-9]{20,}"),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    assert [name for name, text in tracked_texts() if FORBIDDEN[what].search(text)] == []


def test_no_large_or_binary_file_is_tracked() -> None:
    assert [relative(p) for p in tracked_files() if p.stat().st_size > 1_000_000 or b"\0" in p.read_bytes()] == []


def test_imports_point_down_only() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()", "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
