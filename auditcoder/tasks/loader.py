"""Task files: `load_task` and `load_tasks`. Whatever is in the file, the only error is `TaskError`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditcoder.paths import is_dir, short
from auditcoder.records.task import Limits, Task
from auditcoder.tasks import format as form
from auditcoder.tasks.entry import entry_kind, read_entry
from auditcoder.tasks.examples import MAX_FILE, Context, build, read_examples, read_files
from auditcoder.tasks.literals import source_complaint
from auditcoder.tasks.section import Place, Section

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_DEPTH = 60
_SUFFIXES = (".toml", ".json")


def load_task(path: Path | str) -> Task:
    """Return the task in a TOML or JSON file.

    Raises:
        TaskError: the file cannot be read or is malformed; it names file, field and what was expected.
    """
    path = Path(path)
    document = _document(path)
    place = Place(short(path), "")
    if not isinstance(document, dict):
        raise place.error("expected a table of fields")
    _check_texts(document, place)
    return task_of(Section(place, document, form.TOP), path.parent, default_id=path.stem)


def load_tasks(folder: Path | str) -> tuple[Task, ...]:
    """Return the tasks of all task files directly in a folder, in the order of their file names.

    Raises:
        TaskError: there is none, one is malformed, or two have the same id.
    """
    folder = Path(folder)
    place = Place(short(folder), "")
    if not is_dir(folder):
        raise place.error("expected a folder with task files")
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES and path.is_file())
    if not paths:
        raise place.error("expected at least one .toml or .json file")
    tasks: dict[str, Task] = {}
    for path in paths:
        task = load_task(path)
        if task.id in tasks:
            raise Place(str(path), "id").error(f"expected an id of its own, {task.id!r} is taken")
        tasks[task.id] = task
    return tuple(tasks.values())


def task_of(top: Section, folder: Path, *, default_id: str) -> Task:
    """Return the task of a document that was read already."""
    task_id = top.text("id") or default_id
    if not _ID.fullmatch(task_id):
        raise top.place.at("id").error("expected letters, digits, . _ - only, beginning with a letter or digit")
    statement = top.text("statement")
    if statement is None or not statement.strip():
        raise top.place.at("statement").error("expected the text of the task")
    entry = top.section("entry", form.ENTRY) or Section(top.place.at("entry"), {}, form.ENTRY)
    kind = entry_kind(top, entry)
    files = read_files(top, "files", folder)
    if files and kind != "script":
        raise top.place.at("files").error(f"this field means nothing for a {kind}")
    examples = read_examples(top, Context(folder, kind, top.table.get("compare"), files))
    return build(
        Task,
        top.place,
        id=task_id,
        statement=statement.strip() + "\n",
        entry=read_entry(entry, kind, examples),
        examples=tuple(example.check for example in examples),
        limits=_limits(top),
        prelude=_prelude(top),
        files=files,
    )


def _limits(top: Section) -> Limits:
    section = top.section("limits", form.LIMITS)
    return Limits() if section is None else build(Limits, section.place, strict=True, **section.table)


def _prelude(top: Section) -> str:
    prelude = top.text("prelude") or ""
    complaint = source_complaint(prelude)
    if complaint:
        raise top.place.at("prelude").error(complaint)
    return prelude


def _document(path: Path) -> Any:
    place = Place(short(path), "")
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise place.error("expected a file ending in .toml or .json")
    try:
        if path.exists() and not path.is_file():
            raise place.error("expected a regular file")  # a pipe or device could be read for ever
        if path.stat().st_size > MAX_FILE:
            raise place.error(f"expected a file of at most {MAX_FILE} bytes")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise place.error(f"expected a text in UTF-8 (byte {error.start} is not)") from error
    except OSError as error:
        raise place.error(f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a name with a NUL character
        raise place.error(f"cannot be read: {error}") from error
    return _parsed(text, suffix, place)


def _parsed(text: str, suffix: str, place: Place) -> Any:
    name = suffix[1:].upper()
    try:
        return tomllib.loads(text.replace("\r\n", "\n")) if suffix == ".toml" else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise place.error(f"expected valid {name}: {str(error)[:200] or 'nested too deeply'}") from error


def _check_texts(document: Mapping[str, Any], place: Place) -> None:
    """Refuse what no record can hold: lone surrogates, and nesting without end."""
    level: list[Any] = [document]
    for _ in range(_MAX_DEPTH):
        texts = [item for item in level if isinstance(item, str)]
        if any("\ud800" <= char <= "\udfff" for text in texts for char in text):
            raise place.error("expected text without lone surrogates")
        tables = [item for item in level if isinstance(item, dict)]
        lists = [item for item in level if isinstance(item, list)]
        level = [part for table in tables for pair in table.items() for part in pair]
        level += [part for items in lists for part in items]
        if not level:
            return
    raise place.error("nested too deeply")
