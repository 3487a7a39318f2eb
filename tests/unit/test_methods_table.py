"""The table of measured methods: every method once a task, figures only, and a second call makes no model call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.backbones.scripted import ScriptedEngine, scripted_facts
from auditcoder.errors import BackboneUnavailableError
from auditcoder.eval import methods_table
from auditcoder.ledger.outputs import load_ledger

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

    def __call__(self, request: Any) -> str:
        if self.down:
            raise BackboneUnavailableError("no server")
        self.calls += 1
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
