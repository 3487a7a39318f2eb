"""What the README shows is what the kept runs and the program say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app
from auditcoder.ledger.chain import read_ledger
from auditcoder.records.events import ModelCalled
from auditcoder.sandbox.executor import SandboxExecutor

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = ROOT / "tests" / "replay" / "runs" / "average-rating-planned-1.5b"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_the_line_shown_is_what_show_prints() -> None:
    shown = blocks("text")[1]
    result = CliRunner().invoke(app, ["show", str(RUN), "2"])
    assert result.exit_code == 0
    assert result.output.split() == shown.split()  # a narrow terminal breaks lines


def test_the_audit_shown_is_what_verify_prints(executor: SandboxExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "120")
    result = CliRunner().invoke(app, ["verify", str(RUN.relative_to(ROOT)), "--execute"])
    assert result.exit_code == 0
    assert result.output.split() == blocks("text")[2].split()


def test_the_run_shown_is_the_kept_one() -> None:
    calls = [event for event in read_ledger(RUN).events if isinstance(event, ModelCalled)]
    shown = re.findall(r"(\d+) \+ (\d+) tokens in ([\d.]+) s", blocks("text")[0])
    assert shown == [(str(c.prompt_tokens), str(c.completion_tokens), f"{c.seconds:.1f}") for c in calls]


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([\w./-]+)\)|(?:solve )(examples/\S+)", README))))
def test_links_and_examples_are_there(path: tuple[str, str]) -> None:
    assert (ROOT / (path[0] or path[1])).exists()
