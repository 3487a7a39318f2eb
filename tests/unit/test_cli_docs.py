"""What the documents say about the command line is what the command line does."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from typer.testing import CliRunner

from auditcoder.audit.metrics.table import METRICS
from auditcoder.audit.outcomes import Outcomes, RunOutcome
from auditcoder.cli import exits
from auditcoder.cli.main import app
from auditcoder.core.abstention import Abstention
from auditcoder.records.config import RunConfig
from auditcoder.records.events import CodeWritten
from auditcoder.records.localization import DefectClass, FailureType, Grade, Rule
from auditcoder.records.transaction import Decision

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "tests" / "README.md")
RUNS = ROOT / "docs" / "guide" / "runs.md"
AUDIT = ROOT / "docs" / "guide" / "audit.md"
NAMES = "solve|show|verify|audit|diff|restore|doctor|schema|models"
COMMAND = re.compile(rf"(?:^|&& |`|[A-Z_]+=\S+ )(?:\.venv/bin/)?(auditcoder (?:{NAMES})\b[^`\n]*)", re.M)


@cache
def help_of(command: tuple[str, ...]) -> str:
    result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def commands(document: Path) -> list[list[str]]:
    """Return the argument lists of all commands of ours in a document."""
    texts = COMMAND.findall(document.read_text(encoding="utf-8"))
    return [shlex.split(re.sub(r"#(?=\s).*|<[^>]*>", "", text)) for text in texts]


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if commands(d)], ids=lambda d: d.relative_to(ROOT).as_posix()
)
def test_commands_and_options_exist(document: Path) -> None:
    for arguments in commands(document):
        command = tuple(arguments[1:3] if arguments[1] == "models" and len(arguments) > 2 else arguments[1:2])
        known = help_of(tuple(part for part in command if "|" not in part))
        for option in (part.partition("=")[0] for part in arguments if part.startswith("-")):
            assert re.search(rf"{re.escape(option)}[\s,]", known), f"{document.name}: {' '.join(arguments)}"


def test_the_readme_has_both_commands_and_ci_runs_the_second() -> None:
    blocks = re.findall(r"```sh\n(.*?)\n```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    install, test = blocks[:2]
    assert "\n" not in install
    assert test == "scripts/test"
    assert "exec scripts/test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    example = install.split()[-1]
    assert (ROOT / example).is_file()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table under a heading, without the backticks around a lone word."""
    table = page.partition(f"\n## {heading}\n")[2].partition("\n| ---")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()[1:]]


def settings() -> dict[str, tuple[str, list[str]]]:
    """Return default and allowed words of each setting, as the guide tells them."""
    told = rows(RUNS.read_text(encoding="utf-8"), "Settings")
    return {row[0].strip("`"): (row[2].strip("`"), re.findall(r"`([^`]*)`", row[3])) for row in told}


def test_the_guide_tells_every_setting_with_its_default_and_values() -> None:
    told = settings()
    assert list(told) == list(RunConfig.model_fields)
    for name, field in RunConfig.model_fields.items():
        default, values = told[name]
        if name != "roles":
            assert default == (str(field.default).lower() if field.annotation is bool else str(field.default)), name
        if get_origin(field.annotation) is Literal:
            assert tuple(values) == get_args(field.annotation), name


def test_the_guide_tells_every_exit_code() -> None:
    told = [int(row[0]) for row in rows(RUNS.read_text(encoding="utf-8"), "Exit codes")]
    assert told == [exits.OK, exits.FINDINGS, exits.USAGE, exits.ENVIRONMENT, exits.INTERRUPTED]


def test_the_guide_tells_every_word_of_a_repair() -> None:
    page = RUNS.read_text(encoding="utf-8")
    kinds = (FailureType, Rule, DefectClass, Grade, Decision, CodeWritten.model_fields["how"].annotation)
    assert [word for kind in kinds for word in get_args(kind) if not re.search(rf"\|.*`{word}`.*\|", page)] == []


def test_the_guide_tells_every_reason_to_abstain_in_order() -> None:
    told = rows(RUNS.read_text(encoding="utf-8"), "Why nothing was repaired")
    assert [row[0].strip("`") for row in told] == [reason.value for reason in Abstention]


def test_what_the_guide_shows_is_what_show_prints() -> None:
    result = CliRunner().invoke(app, ["show", str(ROOT / "docs" / "record-example")], env={"COLUMNS": "120"})
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    shown = re.search(r"```text\n(task .*?)\n```", RUNS.read_text(encoding="utf-8"), re.S)
    assert shown is not None
    assert shown[1].splitlines() == printed[: printed.index("model calls") - 1]


def blocks(page: Path) -> list[list[str]]:
    """Return the lines of each shown output in a page."""
    return [text.splitlines() for text in re.findall(r"```text\n(.*?)\n```", page.read_text(encoding="utf-8"), re.S)]


def printed(*arguments: str, code: int = 0) -> list[str]:
    result = CliRunner().invoke(app, [*arguments], env={"COLUMNS": "120"})
    assert result.exit_code == code, result.output
    return [line.rstrip() for line in result.stdout.splitlines()]


def test_what_the_guide_shows_of_events_states_and_differences_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    _, events, restored, different = blocks(RUNS)
    listed = printed("show", "docs/record-example", "--events")
    assert events == [*listed[:2], *listed[13:20]]
    assert restored == printed("restore", "docs/record-example", "--at", "12", "--out", "then")
    assert different == printed("diff", "docs/record-example@12", "docs/record-example", code=1)


def test_what_the_guide_shows_of_an_audit_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("docs", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    runs = sorted(str(run) for run in Path("tests/replay/format-1.0").glob("*-0.5b"))
    assert blocks(AUDIT) == [printed("audit", *runs, "docs/record-example")]


def test_the_guide_tells_every_metric_in_its_order() -> None:
    told = [row[0].replace("`[+]` ", "") for row in rows(AUDIT.read_text(encoding="utf-8"), "The metrics")]
    assert told == [metric.name for metric in METRICS]


def test_the_outcomes_of_the_guide_can_be_used() -> None:
    page = AUDIT.read_text(encoding="utf-8")
    outcomes = Outcomes.model_validate_json(page.partition("```json\n")[2].partition("```")[0])
    assert outcomes.outcomes[0].after is not None
    assert outcomes.outcomes[0].after.all_pass
    fields = {name for row in rows(page, "Outcomes of an evaluation") for name in re.findall(r"`(\w+)`", row[0])}
    assert fields == set(RunOutcome.model_fields)


def test_the_file_of_the_guide_and_its_command_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = RUNS.read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    (command,) = (one for one in commands(RUNS) if "--dry-run" in one)
    result = CliRunner().invoke(app, [*command[1:], "--json"])
    assert result.exit_code == 0, result.output
    calls = json.loads(result.stdout)["plans"][0]["calls"]
    assert {call["role"]: call["profile"] for call in calls} == {
        "generator": "embedded-small", "verifier": "embedded", "regenerator": "embedded-small",
    }  # fmt: skip


def test_every_decision_is_in_the_index() -> None:
    pages = sorted((ROOT / "docs" / "adr").glob("0*.md"))
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    titles = {page.name: page.read_text(encoding="utf-8").splitlines()[0] for page in pages}
    rows = {
        f"# {number}: {title}": name for number, name, title in re.findall(r"\[(\d{4})\]\((\S+)\) \| (.*) \|", index)
    }
    assert rows == {title: name for name, title in titles.items()}
