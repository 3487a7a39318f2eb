"""The guide to task files says what is true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from auditcoder.errors import TaskError
from auditcoder.tasks import format as form
from auditcoder.tasks.loader import load_task
from auditcoder.tasks.schema import task_schema

TEXT = (Path(__file__).parents[2] / "docs" / "guide" / "tasks.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=[re.sub(r"\W+", "-", block[13:40]) for block in BLOCKS])
def test_every_task_in_the_guide_loads(tmp_path: Path, block: str) -> None:
    path = tmp_path / "guide.toml"
    path.write_text(block, encoding="utf-8")
    assert load_task(path).examples
    jsonschema.validate(tomllib.loads(block), task_schema())


def test_the_guide_shows_each_kind_of_example(tmp_path: Path) -> None:
    kinds = set()
    for block in BLOCKS:
        path = tmp_path / "guide.toml"
        path.write_text(block, encoding="utf-8")
        kinds.add(load_task(path).examples[0].input.kind)
    assert kinds == {"program", "function", "calls", "unittest", "files"}


def test_the_guide_names_every_field_and_comparator() -> None:
    sections = (form.TOP, form.ENTRY, form.LIMITS, form.COMPARE, form.FILE, form.CALL, *form.EXAMPLES.values())
    names = {field.name for fields in sections for field in fields} | set(form.COMPARE_KINDS)
    missing = [name for name in sorted(names) if not re.search(rf"\b{name}\b", TEXT)]
    assert missing == []


def test_the_message_in_the_guide_is_the_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("travel.toml")
    path.write_text("statement = 'x'\n[[examples]]\nstdout = ''\n[[examples]]\nstdot = ''\n", encoding="utf-8")
    with pytest.raises(TaskError) as caught:
        load_task(path)
    assert str(caught.value) in TEXT
