"""The table of measured methods: every method once a task, figures only, and a second call makes no model call."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any, get_args

import pytest

from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.backbones.scripted import ScriptedEngine, scripted_facts
from auditcoder.errors import BackboneUnavailableError
from auditcoder.eval import methods_table
from auditcoder.ledger.outputs import load_ledger
from auditcoder.programs.methods import METHODS
from auditcoder.programs.variants import VARIANTS, preset
from auditcoder.records.config import Method, RunConfig

TASK = """\
id = "double"
statement = "Return twice the number, and this sentence is never printed."
[entry]
kind = "function"
name = "double"
signature = "double(number: int) -> int"
[[examples]]
args = [4]
expected = 8
"""
ANSWER = "### reasoning\nSo.\n### requirements\nnone\n### code\n```python\ndef double(number):\n    return {}\n```"


class Model:
    def __init__(self) -> None:
        self.calls, self.answer, self.down = 0, ANSWER.format("number * 2"), False
        self.limit, self.paid = 0, Path()

    def __call__(self, request: Any) -> str:
        if self.down:
            raise BackboneUnavailableError("no server")
        self.calls += 1
        if self.calls == self.limit:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.limit:
            with self.paid.open("ab") as file:
                file.write(b".")
        return self.answer


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    made = Model()
    profile = Profile(name="scripted", engine="lm", model="scripted")

    def lm(profile: Profile, role: Any, *, effects: Any, cache: Any, seed: Any) -> Any:
        engine = RecordingEngine(
            ScriptedEngine(made), journal=effects, role=role, facts=scripted_facts(), supports_schema=True,
            supports_prefill=False,
        )  # fmt: skip
        return lm_over(engine, profile)

    monkeypatch.setattr(methods_table, "get_profile", lambda name: profile)
    monkeypatch.setattr(methods_table, "model_facts", lambda profile: scripted_facts())
    monkeypatch.setattr(methods_table, "make_lm", lm)
    return made


def run(tmp_path: Path, *more: str) -> int:
    task = tmp_path / "double.toml"
    task.write_text(TASK, encoding="utf-8")
    return methods_table.main(["--out", str(tmp_path / "out"), "--task", str(task), *more])


TWO = ("--method", "fresh-start", "--method", "direct")


def test_a_line_for_every_method_with_its_figures(
    tmp_path: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, *TWO) == 0
    shown = capsys.readouterr()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.out.splitlines()[2:]]
    assert [(row[0], row[1], row[2], row[8], row[9]) for row in rows] == [
        ("direct", "1", "1", "1", "0"), ("fresh-start", "1", "1", "1", "0"),
    ]  # fmt: skip
    assert "sentence" not in shown.out + shown.err


def test_solved_is_what_passes_the_visible_checks_of_the_task(
    tmp_path: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    """AgentCoder runs its own checks: without any that can be read, nothing of the run says that it is wrong."""
    model.answer = ANSWER.format("number")
    assert run(tmp_path, "--method", "agentcoder", "--json") == 0
    [row] = json.loads(capsys.readouterr().out)
    assert (row["error"], row["candidates"], row["solved"]) == ("", 1, False)


def test_finished_runs_are_read_again(tmp_path: Path, model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    model.answer = ANSWER.format("number")
    assert run(tmp_path, *TWO, "--json") == 0
    first = json.loads(capsys.readouterr().out)
    made = model.calls
    assert [(row["method"], row["calls"], row["triggered_retries"], row["solved"]) for row in first] == [
        ("direct", 1, 0, False), ("fresh-start", 2, 1, False),
    ]  # fmt: skip
    assert run(tmp_path, *TWO, "--json") == 0
    assert json.loads(capsys.readouterr().out) == first
    assert model.calls == made == 3


def test_a_stopped_measurement_goes_on(tmp_path: Path, model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    model.down = True
    assert run(tmp_path, *TWO) == BackboneUnavailableError.exit_code
    model.down = False
    assert run(tmp_path, *TWO) == 0
    kinds = [event.kind for event in load_ledger(tmp_path / "out" / "direct" / "double").events]
    assert kinds.count("run.resumed") == 1
    assert kinds[-1] == "run.finished"


def test_a_killed_measurement_pays_for_no_answer_twice(
    tmp_path: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    model.answer = ANSWER.format("number")
    paid = tmp_path / "paid"
    arguments = ("--method", "pycapsule", "--method", "direct", "--method", "auditcoder-no-binding", "--k", "4")

    def killed_at(count: int) -> None:
        """Run a measurement in a process that is killed inside its call of this number, as by `kill -9`."""
        child = os.fork()
        if child == 0:
            model.limit, model.paid = count, paid
            run(tmp_path, *arguments)
            os._exit(1)  # it was not killed
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

    answered = 0
    for count in (1, 3, 4):
        killed_at(count)
        assert paid.stat().st_size == answered + count - 1 if paid.exists() else count == 1
        answered += count - 1
    assert run(tmp_path, *arguments, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["method"] for row in rows] == ["direct", "pycapsule", "auditcoder-no-binding"]
    assert sum(row["calls"] for row in rows) == model.calls + answered
    assert [row["calls"] for row in rows[:2]] == [1, 5]
    for row in rows:
        events = load_ledger(tmp_path / "out" / row["method"] / "double").events
        assert [event.kind for event in events].count("run.finished") == 1
    made = model.calls
    assert run(tmp_path, *arguments, "--json") == 0
    assert json.loads(capsys.readouterr().out) == rows
    assert model.calls == made


def test_variants_are_measured_under_their_own_settings(
    tmp_path: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    model.answer = ANSWER.format("number")
    chosen = [part for name in VARIANTS for part in ("--method", name)]
    assert run(tmp_path, *chosen, "--k", "2", "--json") == 0
    rows = {row["method"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == list(VARIANTS)
    for name in VARIANTS:
        first = load_ledger(tmp_path / "out" / name / "double").events[0]
        config = first.config  # type: ignore[union-attr]
        assert config == RunConfig.model_validate({"model": "embedded-small", "k": 2, **preset(name)})
        assert rows[name]["feedback_rounds"] <= config.k
    assert rows["auditcoder-no-binding"]["feedback_rounds"] == 2


def test_without_a_choice_no_variant_is_measured() -> None:
    assert methods_table.known_methods(()) == ("auditcoder", *(name for name in get_args(Method) if name in METHODS))


def test_a_folder_of_other_runs_is_refused(tmp_path: Path, model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, *TWO) == 0
    assert run(tmp_path, *TWO, "--k", "2") == 2
    assert "another --out" in capsys.readouterr().err


def test_methods_that_are_not_registered_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods_table, "METHODS", {"direct": object()})
    assert methods_table.known_methods(()) == ("auditcoder", "direct")
    assert methods_table.known_methods(("pycapsule",)) == ()


def test_an_unknown_method_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--method", "none") == 2
    assert "no method" in capsys.readouterr().err
