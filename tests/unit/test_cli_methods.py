"""Rival methods on the command line: settings, the list, early errors; their runs are shown, audited, compared."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import dspy
import pytest
from typer.testing import CliRunner

from auditcoder.cli.configure import check_settings, run_config
from auditcoder.cli.live.advance import advance
from auditcoder.cli.live.lines import lines
from auditcoder.cli.live.view import RunView
from auditcoder.cli.main import app
from auditcoder.cli.request import Settings
from auditcoder.cli.wiring import CallWatch
from auditcoder.errors import ConfigError
from auditcoder.ledger.chain import LEDGER_NAME
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.outputs import write_outputs
from auditcoder.programs.methods import METHODS, check_method
from auditcoder.programs.variants import VARIANTS, made_by, preset
from auditcoder.records.config import Method, RunConfig
from auditcoder.records.events import ModelCalled
from tests.answers import Forms
from tests.unit.test_method_mapcoder import TOTAL
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


LOOSE: dict[type, tuple[Any, ...]] = {bool: ("no", "yes", "false", 0, 1), int: (True, "2", 2.0), float: (True, "0.5")}
"""By kind of an option: values that Python would turn into that kind."""


@pytest.mark.parametrize("method", METHODS)
def test_the_value_of_an_option_is_of_its_kind_since_the_audit_reads_it_as_it_is_recorded(method: Method) -> None:
    for name, option in METHODS[method].Options.model_fields.items():
        check_method(RunConfig(method=method, options=((name, option.default),)))
        for value in LOOSE.get(type(option.default), (True, 1)):
            with pytest.raises(ConfigError, match=f"options.{name}"):
                check_method(RunConfig(method=method, options=((name, value),)))


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
    assert [(one["name"], one["kind"]) for one in listed] == [
        *((name, "variant") for name in VARIANTS), *((name, "rival") for name in METHODS),
    ]  # fmt: skip
    for one in listed[: len(VARIANTS)]:
        assert one["settings"] == preset(one["name"])
        assert f"  {one['name']} " in text
        assert all(f"{name}={str(value).lower()}" in text for name, value in one["settings"].items())
    for one in listed[len(VARIANTS) :]:
        fields = METHODS[one["name"]].Options.model_fields
        assert {option["name"]: option["default"] for option in one["options"]} == {
            name: field.default for name, field in fields.items()
        }
        assert all(option["decides"] for option in one["options"])
        assert f"{one['name']} " in text
        assert all(f"options.{name}={str(field.default).lower()}" in text.lower() for name, field in fields.items())
        assert one["does"] in text


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_a_configuration_and_is_told_again_by_it(name: str) -> None:
    config = run_config(Settings(method=name))
    assert config == RunConfig.model_validate(preset(name))
    assert config.method == "auditcoder"
    assert made_by(config) == name


def test_every_value_of_feedback_and_locate_is_a_variant() -> None:
    for field in ("feedback", "locate"):
        known = RunConfig.model_fields[field]
        values = {preset(name)[field] for name in VARIANTS if field in preset(name)}
        assert values == set(get_args(known.annotation)) - {known.default}
        assert all(
            made_by(run_config(Settings(overrides=(f"{field}={value}",)))).endswith(str(value)) for value in values
        )


def test_what_is_no_variant_is_told_by_its_settings() -> None:
    assert made_by(RunConfig(method="direct")) == "direct"
    assert (
        made_by(RunConfig(repair="whole", feedback="resample", k=4)) == "auditcoder (repair whole, feedback resample)"
    )
    assert made_by(RunConfig(repair="whole", k=0)) == "auditcoder (repair whole, k 0)"
    assert made_by(RunConfig(k=0, adaptive=True)) == "auditcoder"


def test_the_command_line_wins_over_the_file_also_with_a_variant(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[run]\nmethod = "auditcoder-plan"\nseed = 3\n')
    assert run_config(Settings(file=file)) == RunConfig(agents="generic", k=0, seed=3)
    assert run_config(Settings(file=file, k=2)) == RunConfig(agents="generic", k=2, seed=3)
    assert run_config(Settings(file=file, method="direct")) == RunConfig(method="direct", seed=3)
    file.write_text('[run]\nfeedback = "resample"\nk = 7\n')
    assert run_config(Settings(file=file, method="auditcoder-agents")) == RunConfig(feedback="resample", k=0)
    file.write_text('[run]\nmethod = "auditcoder-agents"\nk = 7\n')
    with pytest.raises(ConfigError, match="k = 7 contradicts --method auditcoder-agents"):
        run_config(Settings(file=file))


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        (Settings(method="direct", feedback="resample"), "feedback", "the method direct does not read it"),
        (Settings(method="mapcoder", repair="whole"), "repair", "the method mapcoder does not read it"),
        (Settings(method="codesim", overrides=("agents=generic",)), "agents", "the method codesim does not read it"),
        (Settings(overrides=("method=direct",), locate="paper"), "locate", "the method direct does not read it"),
        (Settings(method="auditcoder-plan", k=2), "k", "k = 2 contradicts --method auditcoder-plan, which is k = 0"),
        (Settings(method="auditcoder-agents", adaptive=True), "adaptive", "contradicts"),
        (Settings(method="auditcoder-no-binding", repair="bounded"), "repair", "contradicts"),
        (Settings(method="auditcoder-feedback-resample", feedback="error"), "feedback", "contradicts"),
        (Settings(feedback="nothing"), "feedback", "the command line: feedback: Input should be 'error'"),
    ],
)
def test_a_contradiction_is_one_clear_error(settings: Settings, field: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        run_config(settings)
    assert caught.value.fields["field"] == field


def test_an_unknown_method_says_what_may_have_been_meant() -> None:
    with pytest.raises(ConfigError) as caught:
        run_config(Settings(method="auditcoder-plans"))
    assert "Did you mean auditcoder-plan" in caught.value.hint


def test_a_stopped_run_of_a_variant_goes_on_only_as_that(tmp_path: Path) -> None:
    recorded = run_config(Settings(method="auditcoder-plan"))
    assert check_settings(tmp_path, recorded, Settings(method="auditcoder-plan")) == ""
    with pytest.raises(ConfigError, match="was started with agents = generic, not specialized"):
        check_settings(tmp_path, recorded, Settings(agents="specialized"))
    with pytest.raises(ConfigError, match="was started with repair = bounded, not whole"):
        check_settings(tmp_path, recorded, Settings(method="auditcoder-no-binding"))


@pytest.mark.parametrize(
    ("arguments", "least", "most"),
    [
        (("direct",), 1, 1),
        (("mapcoder", "--k", "30"), 8, 25),
        (("mapcoder", "-c", "options.k=5", "--k", "30"), 12, 41),
        (("codesim", "--k", "30"), 3, 45),
        (("codesim", "--k", "30", "--max-calls", "9"), 3, 9),
        (("codesim", "--adaptive"), 3, None),
        (("codesim", "--adaptive", "--max-tokens", "9"), 1, None),
        (("pycapsule", "--k", "30"), 1, 6),
        (("fresh-start", "--k", "30", "-c", "options.variant=A"), 6, 6),
        (("fresh-start", "--k", "30", "--max-calls", "40"), 1, 31),
        (("auditcoder-plan", "--max-calls", "4"), 1, 4),
    ],
)
def test_a_dry_run_tells_the_bounds_of_the_method(arguments: tuple[str, ...], least: int, most: int | None) -> None:
    name, *more = arguments
    code, text = call("solve", str(EXAMPLE), "--dry-run", "--json", "--method", name, *more)
    assert code == 0, text
    plan = json.loads(text)["plans"][0]
    assert (plan["least"], plan["most"]) == (least, most)
    agents = [method.agents for known, method in METHODS.items() if known == name]
    if agents:
        [row] = plan["calls"]
        assert set(row["role"].split(", ")) == set(agents[0].values())
        assert row["profile"] == "embedded"


def test_a_dry_run_names_every_profile_that_serves_a_method() -> None:
    roles = ("--role", "planner=embedded-small", "--role", "verifier=ollama/none")
    code, text = call("solve", str(EXAMPLE), "--dry-run", "--json", "--method", "mapcoder", *roles)
    assert code == 0
    assert json.loads(text)["plans"][0]["calls"][0]["profile"] == "embedded-small, embedded"


def test_a_call_is_told_with_its_agent_while_it_is_made(solve: Solve) -> None:
    begun: list[str] = []
    watcher: Any = SimpleNamespace(on_call=lambda role, node, agent: begun.append(agent))
    with dspy.context(callbacks=[CallWatch(watcher, {})]):
        run = solve(TOTAL, Forms("def total(items):\n    return 7", -1), method="codesim", k=1)
    assert begun == [event.agent for event in run.events if isinstance(event, ModelCalled)]
    assert begun == ["planner", "simulator", "reviser", "coder", "debugger"]


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
    code, shown = call("show", mended)
    assert code == 0
    assert re.search(r"^method +pycapsule *$", shown, re.M)
    listed = json.loads(call("show", str(runs[0].parent), "--json")[1])
    assert [(one["run"], one["method"], one["rounds"]) for one in listed] == [
        ("failing", "pycapsule", 1), ("mended", "pycapsule", 1),
    ]  # fmt: skip
    assert len(re.findall("pycapsule .* 1 round", call("show", str(runs[0].parent))[1])) == 2
    assert call("show", failing)[0] == 1
    code, events = call("show", mended, "--events")
    assert code == 0
    assert "round.started" in events
    assert "method.noted" in events
    assert call("verify", mended)[0] == 0
    assert call("verify", mended, failing, "--execute", "--replay")[0] == 0
    assert call("audit", mended, failing)[0] == 0
    assert call("diff", mended, failing)[0] in (0, 1)


def test_a_program_that_no_own_check_could_be_run_on_is_not_called_solved(solve: Solve, tmp_path: Path) -> None:
    journal = MemoryJournal()
    solve(TOTAL, lambda role, prompt: "nothing", journal=journal, method="agentcoder")
    (tmp_path / LEDGER_NAME).write_bytes(journal.data)
    write_outputs(tmp_path)
    code, told = call("show", str(tmp_path))
    assert code == 1
    assert "not checked: the method has no check of its own" in told
    assert "done    not checked: the method has no check of its own" in lines_of(journal)


def lines_of(journal: MemoryJournal) -> str:
    """Return the lines that are told while a run goes on."""
    view, told = RunView(), list[str]()
    for event in journal.events:
        view = advance(view, event)
        told += lines(event, view)
    return "\n".join(told)
