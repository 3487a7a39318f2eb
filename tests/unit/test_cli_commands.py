"""`doctor`, `models`, `schema`, the fetch bar, and the forecast."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from io import StringIO
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from auditcoder.backbones.weights import FetchProgress
from auditcoder.cli.fetching import FetchBar
from auditcoder.cli.forecast import forecast
from auditcoder.cli.main import app
from auditcoder.records.config import RunConfig
from auditcoder.records.task import Check, EntryKind, EntryPoint, Expected, FunctionInput, Task
from auditcoder.tasks.loader import load_tasks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No weights, no configuration of a user."""
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("AUDITCODER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("AUDITCODER_MODELS", raising=False)
    monkeypatch.delenv("AUDITCODER_CONFIG", raising=False)


def invoke(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def doctor(code: int) -> dict[str, dict[str, object]]:
    found = json.loads(invoke("doctor", "--json", code=code).stdout)
    assert found["ready"] == (code == 0)
    return {one["name"]: one for one in found["findings"]}


def test_doctor_tells_all_that_a_solve_needs() -> None:
    result = CliRunner().invoke(app, ["doctor"])
    found = doctor(result.exit_code)
    assert list(found)[:4] == ["machine", "python", "isolation", "runtime"]
    assert all(one["ok"] or one["needs"] for one in found.values())
    assert found["embedded"]["needs"] != []
    assert found["embedded"]["required"] is False
    for one in found.values():
        assert str(one["said"]) in result.output


def test_doctor_says_how_to_get_a_missing_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)
    found = doctor(3)
    assert found["runtime"]["ok"] is False
    assert "pip install 'auditcoder[embedded]'" in str(found["runtime"]["needs"])


def test_models_list() -> None:
    listed = {one["name"]: one for one in json.loads(invoke("models", "list", "--json").stdout)}
    assert {"embedded", "embedded-small"} <= set(listed)
    assert listed["embedded"]["weights_state"] == "not fetched"
    text = invoke("models", "list").output
    assert "qwen2.5-coder-1.5b-instruct-q4_k_m" in text
    assert "ollama/MODEL" in text


def test_models_list_shows_profiles_of_the_user() -> None:
    Path("configs").mkdir()
    Path("configs/models.toml").write_text('[profiles.mine]\nengine = "lm"\nmodel = "m"\nprice_in = 0.25\n')
    assert "mine" in invoke("models", "list").output


def test_a_server_has_no_weights_to_fetch() -> None:
    assert "has no weights to fetch" in invoke("models", "fetch", "ollama/x", code=2).stderr


def test_weights_that_are_here_are_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    assert invoke("models", "fetch", "gguf:own.gguf").stdout == f"{tmp_path}/own.gguf\n"


def test_checking_a_server_that_is_down() -> None:
    found = json.loads(invoke("models", "check", "http://127.0.0.1:9/v1#m", "--json", code=3).stdout)
    assert found["reachable"] is False
    assert "127.0.0.1:9" in found["error"]


def test_a_failing_check_says_what_is_wrong_and_nothing_else() -> None:
    result = invoke("models", "check", "http://127.0.0.1:9/v1#m", code=3)
    assert result.stdout == ""
    first, *hint = result.stderr.splitlines()
    assert first.startswith("error[backbone]: http://127.0.0.1:9/v1#m: ")
    assert [line.startswith("  ") for line in hint] == [True]


def test_the_models_of_a_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "own.gguf").write_bytes(b"GGUF")
    server = '[profiles.far]\nengine = "lm"\nmodel = "m"\napi_base = "http://127.0.0.1:9/v1"\nretries = 0\n'
    Path("own.toml").write_text(f'{server}[profiles.near]\nengine = "embedded"\npath = "{tmp_path}/own.gguf"\n')
    listed = {one["name"] for one in json.loads(invoke("models", "list", "--config", "own.toml", "--json").stdout)}
    assert {"far", "near"} <= listed
    assert invoke("models", "fetch", "near", "--config", "own.toml").stdout == f"{tmp_path}/own.gguf\n"
    found = json.loads(invoke("models", "check", "far", "--config", "own.toml", "--json", code=3).stdout)
    assert "127.0.0.1:9" in found["error"]
    assert "no backbone profile 'far'" in invoke("models", "check", "far", code=2).stderr


class Refusing(BaseHTTPRequestHandler):
    """A server that refuses every key."""

    def do_POST(self) -> None:
        body = b'{"error": {"message": "invalid api key"}}'
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(401)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def refusing() -> Iterator[str]:
    """Return the URL of a server that refuses every key."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def test_a_refused_key_names_its_variable(refusing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE_KEY", "k-1234567890")
    Path("own.toml").write_text(
        f'[profiles.mine]\nengine = "lm"\nmodel = "m"\napi_base = "{refusing}"\napi_key_env = "MINE_KEY"\n'
    )
    told = invoke("models", "check", "mine", "--config", "own.toml", code=3).stderr
    assert "the server refused the key in MINE_KEY: invalid api key" in told
    assert "export MINE_KEY=" in told
    assert "auditcoder-server" not in told
    assert "k-1234567890" not in told


def test_a_url_whose_server_wants_a_key_says_how_to_give_one(refusing: str) -> None:
    told = invoke("models", "check", f"{refusing}#m", code=3).stderr
    assert "the server wants a key, and none was given: invalid api key" in told
    assert f'[profiles.NAME]: engine = "lm", model = "m", api_base = "{refusing}", api_key_env = "VARIABLE"' in told


@pytest.mark.parametrize(
    ("name", "whole"),
    [("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1#MODEL"), ("ollama", "ollama/MODEL"), ("openai", "openai/MODEL")],
)
def test_a_name_without_its_model_is_completed(name: str, whole: str) -> None:
    told = invoke("models", "check", name, code=2).stderr
    assert f"error[config]: '{name}' names no model\n  Add it: {whole}" in told


@pytest.mark.parametrize("which", ["task", "record", "ledger"])
def test_schemas_are_schemas(which: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(invoke("schema", which).stdout))


def bar(*reports: FetchProgress, terminal: bool = False, quiet: bool = False) -> str:
    file = StringIO()
    with FetchBar(Console(file=file, force_terminal=terminal, width=100), quiet=quiet) as shown:
        for report in reports:
            shown(report)
    return file.getvalue()


FETCH = (
    FetchProgress("model hub", 0, 200_000_000), FetchProgress("model hub", 1_000_000, 200_000_000),
    FetchProgress("model hub", 100_000_000, 200_000_000), FetchProgress("verify", 200_000_000, 200_000_000),
)  # fmt: skip


def test_a_fetch_is_told_by_tenths() -> None:
    assert bar(*FETCH) == (
        "weights from model hub: 0 of 200 MB\nweights from model hub: 100 of 200 MB\nweights verifying: 200 of 200 MB\n"
    )


def test_a_terminal_gets_a_bar_and_quiet_nothing() -> None:
    assert "100.0/200.0 MB" in bar(*FETCH[:3], terminal=True)
    assert bar(*FETCH, quiet=True) == ""
    assert bar(terminal=True) == ""


def calls(kind: EntryKind, *, weak: bool = True, **config: object) -> dict[tuple[str, str], tuple[int, int | None]]:
    example = Check(id="e", input=FunctionInput(), expected=Expected(value=1, has_value=True))
    task = Task(id="t", statement="s", entry=EntryPoint(kind=kind, name="f"), examples=(example,))
    rows = forecast(task, RunConfig.model_validate({"boundary": "none", "k": 0, **config}), weak=weak)
    return {(row.step.partition(",")[0], row.role): (row.least, row.most) for row in rows}


def test_an_undivided_attempt_is_one_call_for_code() -> None:
    assert calls("function", granularity="single") == {("plan attempt 1 (single)", "generator"): (1, 2)}


def test_what_comes_after_a_failing_check_may_never_come() -> None:
    rows = calls("program", k=2)
    assert {step: least for (step, _), (least, _) in rows.items()} == {
        "plan attempt 1 (single)": 1, "plan attempt 2 (coarse)": 0, "repairs": 0,
    }  # fmt: skip


def test_a_class_is_never_divided() -> None:
    assert {role for _, role in calls("class", granularity="fine")} == {"generator"}


def test_a_strong_backbone_starts_with_a_plan_and_writes_its_root() -> None:
    rows = calls("function", weak=False)
    assert next(iter(rows)) == ("plan attempt 1 (fine)", "planner")
    assert rows["plan attempt 1 (fine)", "orchestrator"] == (1, 2)


def test_an_adaptive_budget_has_no_upper_end() -> None:
    assert calls("program", granularity="single", adaptive=True)["repairs", "regenerator"] == (0, None)


@pytest.mark.parametrize(
    ("feedback", "writers"),
    [("error", "regenerator"), ("resample", "generator"), ("auto", "generator, regenerator")],
)
def test_a_repair_asks_the_writers_of_its_feedback(feedback: str, writers: str) -> None:
    rows = calls("program", granularity="single", k=2, verify="never", feedback=feedback)
    assert rows["repairs", writers] == (0, 8)


@pytest.mark.parametrize(
    ("admission", "weak", "most"),
    [("auto", True, None), ("auto", False, 3), ("confirmed", True, 3), ("paper", True, 1), ("none", False, None)],
)
def test_boundary_checks(admission: str, weak: bool, most: int | None) -> None:
    rows = calls("function", granularity="single", weak=weak, boundary=admission)
    assert rows.get(("boundary checks", "planner")) == (None if most is None else (1, most))


@pytest.mark.parametrize(
    ("policy", "weak", "planner"),
    [("auto", True, (2, 10)), ("auto", False, (3, 19)), ("confirmed", True, (3, 19)), ("none", False, (2, 10))],
)
def test_local_checks_are_three_calls_a_step(policy: str, weak: bool, planner: tuple[int, int]) -> None:
    rows = calls("function", granularity="coarse", weak=weak, local_checks=policy)
    assert rows["plan attempt 1 (coarse)", "planner"] == planner


def test_every_example_has_a_forecast() -> None:
    for task in load_tasks(EXAMPLES):
        rows = forecast(task, RunConfig(), weak=True)
        assert sum(row.least for row in rows) >= 1
        assert all(row.most is not None and row.most >= row.least for row in rows)
