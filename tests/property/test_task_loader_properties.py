from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.errors import TaskError
from auditcoder.records.task import Task
from auditcoder.tasks import format as form
from auditcoder.tasks.loader import load_task

NAMES = sorted(
    {f.name for fields in (form.TOP, form.ENTRY, form.LIMITS, form.COMPARE, form.FILE, form.CALL) for f in fields}
    | {f.name for fields in form.EXAMPLES.values() for f in fields}
)
TEXTS = st.sampled_from(
    [
        "f(a: int) -> int",
        "f(1)",
        "(1, 2)",
        "[1]",
        "program",
        "function",
        "class",
        "script",
        "value",
        "floats",
        "o.json",
        "",
        "\x00",
    ]
) | st.text(max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | TEXTS, inner, max_size=4),
    max_leaves=15,
)


def sectioned(fields: tuple[form.Field, ...], **own: Any) -> st.SearchStrategy[Any]:
    optional = {field.name: own.get(field.name, VALUES) for field in fields}
    return st.fixed_dictionaries({}, optional=optional)


EXAMPLES = st.one_of(*(sectioned(fields) for fields in form.EXAMPLES.values()))
DOCUMENTS = st.one_of(
    VALUES,
    sectioned(
        form.TOP,
        statement=st.just("x"),
        id=st.just("a"),
        entry=sectioned(form.ENTRY, name=st.just("f"), signature=TEXTS) | VALUES,
        examples=st.lists(EXAMPLES, max_size=3),
        limits=sectioned(form.LIMITS),
        compare=sectioned(form.COMPARE) | TEXTS,
    ),
)


def outcome(name: str, content: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            task = load_task(path)
        except TaskError as error:
            return _checked(error, path)
        assert Task.model_validate_json(task.model_dump_json()) == task
        return task.content_hash()


def _checked(error: TaskError, path: Path) -> str:
    assert error.fields["file"] == str(path)
    assert error.message.startswith(str(path))
    return error.message.replace(str(path), path.name)


@settings(max_examples=200)
@given(DOCUMENTS)
def test_any_document_is_a_task_or_our_error(document: Any) -> None:
    outcome("t.json", json.dumps(document).encode())


@settings(max_examples=60)
@given(st.binary(max_size=80), st.sampled_from(["t.json", "t.toml"]))
def test_any_bytes_are_a_task_or_our_error(content: bytes, name: str) -> None:
    outcome(name, content)
    outcome(name, b"statement = 'x'\n" + content)


@settings(max_examples=100)
@given(
    st.sampled_from(["call", "expected_py", "args_py", "expected_any_py"]),
    st.text("f(1,[]{}'\"x:-=*.) \\ué", max_size=25),
)
def test_any_python_text_is_a_task_or_our_error(field: str, text: str) -> None:
    example = {"args": [1], "expected": 1, field: text}
    document = {"statement": "x", "entry": {"name": "f"}, "examples": [example]}
    for left_out in ("args", "expected"):
        trimmed = {key: value for key, value in example.items() if key != left_out}
        outcome("t.json", json.dumps({**document, "examples": [trimmed]}).encode())
