"""The page on methods tells every method and every variant, with the agents, calls and settings that they have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auditcoder.programs.baselines.base import options_of
from auditcoder.programs.methods import METHODS
from auditcoder.programs.variants import VARIANTS
from auditcoder.records.config import Method, RunConfig

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, list[str]]:
    """Return the cells of the table under a heading, by the first one without its backticks."""
    table = PAGE.partition(f"\n## {heading}\n")[2].partition("\n| ---")[2].partition("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()[1:]]
    return {row[0].strip("`"): row[1:] for row in cells}


def paragraph(name: str) -> str:
    """Return what the page says of a method."""
    return PAGE.partition(f"\n**`{name}`**")[2].partition("\n\n")[0]


def test_every_method_has_a_row_and_no_other_has() -> None:
    told = {name.partition("`")[0] for name in rows("The methods")}
    assert told == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_paragraph_with_its_options_and_defaults(name: Method) -> None:
    text = " ".join(paragraph(name).split())
    assert text
    for option, known in METHODS[name].Options.model_fields.items():
        default = str(known.default).lower() if known.annotation is bool else str(known.default)
        assert f"`{option}`" in text, option
        assert set(re.findall(rf"`{option}` \(`?([\w.]+)`?\)", text)) <= {default}, option


@pytest.mark.parametrize("name", METHODS)
def test_the_row_of_a_method_tells_its_bounds(name: Method) -> None:
    _, least, single, worst, *_ = rows("The methods")[name]
    for k, column in ((1, single), (30, worst)):
        config = RunConfig(method=name, k=k)
        bounds = METHODS[name](options_of(METHODS[name], config)).bounds(config)
        assert re.findall(r"\d+", least.partition("(")[0])[-1] == str(bounds.least)
        assert bounds.most is None or re.findall(r"\d+", column)[-1] == str(bounds.most)


def test_every_variant_has_a_row_with_its_settings() -> None:
    told = rows("Variants of AuditCoder")
    assert list(told) == list(VARIANTS)
    for name, variant in VARIANTS.items():
        settings = [f"{key}={str(value).lower()}" for key, value in variant.settings.items()]
        assert re.findall(r"`([^`]*)`", told[name][0]) == settings


def test_the_readme_leads_to_the_page() -> None:
    assert "(docs/methods.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_changelog_names_every_method_and_the_variants() -> None:
    told = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    kinds = ("auditcoder-plan", "auditcoder-agents", "auditcoder-no-binding", "feedback", "localization")
    assert [kind for kind in kinds if kind not in told] == []
