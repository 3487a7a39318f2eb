"""`auditcoder schema`: what is printed describes the files that there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "record-example"


def printed(which: str) -> str:
    result = CliRunner().invoke(app, ["schema", which])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_schema_of_records_is_the_documented_one_byte_for_byte() -> None:
    assert printed("record") == (ROOT / "docs" / "record.schema.json").read_text(encoding="ascii")


@pytest.mark.parametrize("which", ["task", "record", "ledger", "outcomes"])
def test_every_schema_is_one_and_says_which(which: str) -> None:
    schema = json.loads(printed(which))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")


def valid(which: str, document: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(json.loads(printed(which))).is_valid(document))


def test_a_ledger_line_fits_and_a_changed_one_does_not() -> None:
    line = json.loads((EXAMPLE / "ledger.jsonl").read_bytes().splitlines()[0])
    assert valid("ledger", line)
    assert not valid("ledger", {**line, "more": 1})


def test_the_outcomes_of_the_guide_fit_and_a_hidden_test_does_not() -> None:
    page = (ROOT / "docs" / "guide" / "audit.md").read_text(encoding="utf-8")
    outcomes = json.loads(page.partition("```json\n")[2].partition("```")[0])
    assert valid("outcomes", outcomes)
    assert not valid("outcomes", {"outcomes": [{"run": "x", "hidden_tests": ["assert f(1) == 2"]}]})
    assert not valid("outcomes", {"outcomes": [{"ledger_head": ""}]})
