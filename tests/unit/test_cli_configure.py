"""Settings from file, overrides and options become one configuration, or a clear error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from auditcoder.cli import options
from auditcoder.cli.configure import run_config
from auditcoder.cli.request import Settings
from auditcoder.errors import ConfigError
from auditcoder.records.config import RunConfig
from auditcoder.records.graph import Granularity
from auditcoder.records.localization import Policy

CASES: dict[str, tuple[Settings, RunConfig]] = {
    "nothing given": (Settings(), RunConfig()),
    "options": (
        Settings(model="m", k=3, adaptive=True, granularity="fine", seed=7, gate="strict", locate="paper"),
        RunConfig(model="m", k=3, adaptive=True, granularity="fine", seed=7, gate="strict", locate="paper"),
    ),
    "overrides in order": (Settings(overrides=("k=2", "k=4", "boundary=none")), RunConfig(k=4, boundary="none")),
    "an option wins": (Settings(overrides=("k=2",), k=5), RunConfig(k=5)),
    "roles in role order": (
        Settings(roles=("verifier=ollama/a", "planner=b"), overrides=("roles.generator=openai/c=d",)),
        RunConfig(roles=(("planner", "b"), ("generator", "openai/c=d"), ("verifier", "ollama/a"))),
    ),
    "a role option wins": (
        Settings(roles=("planner=b",), overrides=("roles.planner=a",)), RunConfig(roles=(("planner", "b"),)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("settings", "expected"), CASES.values(), ids=CASES.keys())
def test_run_config(settings: Settings, expected: RunConfig) -> None:
    assert run_config(settings) == expected


def test_the_file_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[run]\nk = 2\nseed = 5\n[run.roles]\nverifier = "v"\n[profiles.x]\nmodel = "y"\n')
    settings = Settings(file=file, overrides=("seed=6",), roles=("planner=p",))
    assert run_config(settings) == RunConfig(k=2, seed=6, roles=(("planner", "p"), ("verifier", "v")))


BAD: dict[str, tuple[Settings, str]] = {
    "unknown key": (Settings(overrides=("kay=2",)), "kay: there is no such setting"),
    "wrong type": (Settings(overrides=("k=many",)), "k: Input should be a valid integer"),
    "out of range": (Settings(overrides=("k=31",)), "k: Input should be less than or equal to 30"),
    "no equals": (Settings(overrides=("k",)), "-c k: expected KEY=VALUE"),
    "no key": (Settings(overrides=("=2",)), "expected KEY=VALUE"),
    "unknown role": (Settings(roles=("plumber=x",)), "there is no role 'plumber'"),
    "role without profile": (Settings(roles=("planner=",)), "expected ROLE=PROFILE"),
    "roles no table": (Settings(overrides=("roles=3",)), "roles: expected a table"),
    "no such file": (Settings(file=Path("nowhere.toml")), "nowhere.toml cannot be read"),
}


@pytest.mark.parametrize(("settings", "message"), BAD.values(), ids=BAD.keys())
def test_bad_settings_say_what_is_wrong(settings: Settings, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        run_config(settings)
    assert message in str(caught.value)
    assert caught.value.exit_code == 2


SOURCES: dict[str, tuple[Settings, str, str]] = {
    "policy of old": (
        Settings(overrides=("policy=paper",)),
        "-c policy=paper: policy: there",
        "gate is the static gate",
    ),
    "near": (Settings(overrides=("k=2", "granularty=fine")), "-c granularty=fine: ", "Did you mean granularity?"),
    "file": (Settings(overrides=("k=2",)), "own.toml: bondary: ", "Did you mean boundary"),
    "-c over a file": (Settings(overrides=("bondary=2", "k=2")), "-c bondary=2: ", "Did you mean boundary"),
    "value of -c": (Settings(overrides=("seed=x",)), "-c seed=x: seed: Input should be", ""),
    "value of an option": (Settings(overrides=("k=2",), k=77), "the command line: k: Input should be", ""),
}


@pytest.mark.parametrize(("settings", "message", "hint"), SOURCES.values(), ids=SOURCES.keys())
def test_an_error_names_where_the_value_was_given(tmp_path: Path, settings: Settings, message: str, hint: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[run]\nbondary = 1\n" if "bondary" in message else "[run]\nseed = 1\n")
    with pytest.raises(ConfigError) as caught:
        run_config(replace(settings, file=file))
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_file_that_is_no_toml(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("k == 2")
    with pytest.raises(ConfigError, match=r"own\.toml is not valid TOML"):
        run_config(Settings(file=file))


@pytest.mark.parametrize(
    ("choice", "record"),
    [
        (options.GranularityChoice, Granularity),
        (options.LocateChoice, Policy),
        (options.GateChoice, RunConfig.model_fields["gate"].annotation),
        (options.LocalChecksChoice, RunConfig.model_fields["local_checks"].annotation),
        (options.EvidenceChoice, RunConfig.model_fields["evidence"].annotation),
        (options.AgentsChoice, RunConfig.model_fields["agents"].annotation),
        (options.RepairChoice, RunConfig.model_fields["repair"].annotation),
    ],
    ids=["granularity", "locate", "gate", "local-checks", "evidence", "agents", "repair"],
)
def test_choices_equal_the_records(choice: object, record: object) -> None:
    assert get_args(choice) == get_args(record)
