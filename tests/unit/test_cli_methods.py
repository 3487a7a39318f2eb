"""Rival methods on the command line: settings, the list, early errors; their runs are shown, audited, compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditcoder.cli.configure import run_config
from auditcoder.cli.main import app
from auditcoder.cli.request import Settings
from auditcoder.errors import ConfigError
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.outputs import write_outputs
from auditcoder.programs.methods import METHODS, check_method
from auditcoder.records.config import RunConfig
from tests.unit.test_method_result import HALF, NONE, RIGHT, TASK

Solve = Callable[..., Any]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "vowel_count.toml"


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "160"})
    return result.exit_code, result.output


def test_options_are_a_table_that_becomes_pairs_in_name_order() -> None:
    overrides = ("options.recursion_trace=true", "options.fixes=3")
    config = run_config(Settings(method="pycapsule", max_calls=4, max_tokens=900, overrides=overrides))
    assert config == RunConfig(
        method="pycapsule", max_calls=4, max_tokens=900, options=(("fixes", 3), ("recursion_trace", True))
    )
    check_method(config)


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (RunConfig(method="pycapsule", options=(("fixes", 99),)), "options.fixes"),
        (RunConfig(method="pycapsule", options=(("draws", 2),)), "options.draws"),
        (RunConfig(method="direct", options=(("fixes", 2),)), "options.fixes"),
        (RunConfig(options=(("fixes", 2),)), "options.fixes"),
    ],
)
def test_an_option_of_another_method_or_value_is_an_error(config: RunConfig, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_method(config)
    assert caught.value.fields["field"] == field


@pytest.mark.parametrize(
    "arguments",
    [
        ("--method", "none"),
        ("--method", "pycapsule", "-c", "options.fixes=99"),
        ("--method", "direct", "-c", "options=3"),
        ("--method", "direct", "--max-calls", "0"),
    ],
)
def test_a_wrong_setting_ends_before_a_run_begins(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, _ = call("solve", str(EXAMPLE), "--out", str(tmp_path / "runs"), *arguments)
    assert code == 2
    assert not (tmp_path / "runs").exists()


def test_the_list_has_every_method_with_its_options() -> None:
    code, text = call("methods")
    assert code == 0
    listed = json.loads(call("methods", "--json")[1])
    assert [one["name"] for one in listed] == ["auditcoder", *METHODS]
    for one in listed[1:]:
        fields = METHODS[one["name"]].Options.model_fields
        assert {option["name"]: option["default"] for option in one["options"]} == {
            name: field.default for name, field in fields.items()
        }
        assert all(option["decides"] for option in one["options"])
        assert f"{one['name']} " in text
        assert all(f"options.{name}={field.default}" in text for name, field in fields.items())
        assert one["does"] in text


@pytest.fixture
def runs(solve: Solve, tmp_path: Path) -> tuple[Path, Path]:
    """Return the folders of two runs of a rival: one that mends its program, and one that does not."""
    folders = (tmp_path / "mended", tmp_path / "failing")
    for folder, texts in zip(folders, ([HALF, RIGHT], [HALF, NONE]), strict=True):
        left = list(texts)
        journal = MemoryJournal()
        solve(TASK, lambda role, prompt, left=left: left.pop(0), method="pycapsule", k=1, journal=journal)
        folder.mkdir()
        (folder / LEDGER_NAME).write_bytes(journal.data)
        write_outputs(folder)
    return folders


def test_a_run_of_a_rival_is_shown_verified_audited_and_compared(runs: tuple[Path, Path]) -> None:
    mended, failing = map(str, runs)
    assert call("show", mended)[0] == 0
    assert call("show", failing)[0] == 1
    code, events = call("show", mended, "--events")
    assert code == 0
    assert "round.started" in events
    assert "method.noted" in events
    assert call("verify", mended)[0] == 0
    assert call("verify", mended, failing, "--execute", "--replay")[0] == 0
    assert call("audit", mended, failing)[0] == 0
    assert call("diff", mended, failing)[0] in (0, 1)
