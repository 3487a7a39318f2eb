"""What the documents say about the command line is what the command line does."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "tests" / "README.md")
COMMAND = re.compile(
    r"(?:^|&& |`|[A-Z_]+=\S+ )(?:\.venv/bin/)?(auditcoder (?:solve|show|doctor|schema|models)\b[^`\n]*)", re.M
)


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


def test_every_decision_is_in_the_index() -> None:
    pages = sorted((ROOT / "docs" / "adr").glob("0*.md"))
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    titles = {page.name: page.read_text(encoding="utf-8").splitlines()[0] for page in pages}
    rows = {
        f"# {number}: {title}": name for number, name, title in re.findall(r"\[(\d{4})\]\((\S+)\) \| (.*) \|", index)
    }
    assert rows == {title: name for name, title in titles.items()}
