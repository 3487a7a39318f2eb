"""`auditcoder solve` from the command line to the run folder, against a scripted model server on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app
from auditcoder.ledger.chain import read_ledger
from auditcoder.records.events import ModelCalled
from tests.loopback import Server, serving

TASK = """
id = "{name}"
statement = "Return twice the number ({name})."
[entry]
signature = "double(n: int) -> int"
[[examples]]
args = [2]
expected = 4
[[examples]]
args = [5]
expected = 10
"""
RIGHT = "```python\ndef double(n: int) -> int:\n    return 2 * n\n```"
WRONG = "```python\ndef double(n: int) -> int:\n    return n + 2\n```"
WORSE = "```python\ndef double(n: int) -> int:\n    return -n\n```"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.answers = [RIGHT]
        yield made


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDITCODER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    write_task("double")
    return tmp_path


def write_task(name: str, parent: str = ".") -> Path:
    file = Path(parent) / f"{name}.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(TASK.format(name=name))
    return file


Solve = Callable[..., Any]


@pytest.fixture
def solve(server: Server) -> Solve:
    """Return a function that solves with the scripted model, undivided and without boundary checks."""

    def run(*arguments: str, code: int = 0, options: tuple[str, ...] = ("-g", "single", "-c", "boundary=none")) -> Any:
        result = CliRunner().invoke(app, ["solve", *arguments, *options, "--model", server.model])
        assert result.exit_code == code, result.output + repr(result.exception)
        return result

    return run


def only_run(task: str = "double") -> Path:
    (folder,) = Path("runs").glob(f"{task}-*")
    return folder


def test_a_right_program(solve: Solve, server: Server) -> None:
    result = solve("double.toml")
    run = only_run()
    assert re.fullmatch(r"double-\d{8}-\d{6}-[0-9a-f]{6}", run.name)
    assert sorted(path.name for path in run.iterdir()) == ["ledger.jsonl", "program.py", "record.json"]
    assert "return 2 * n" in (run / "program.py").read_text()
    assert "double: 2 of 2 checks pass; every check passes" in result.output
    assert f"program  {run}/program.py" in result.output
    assert len(server.prompts) == 1


def test_json_goes_to_standard_output_alone(solve: Solve) -> None:
    result = solve("double.toml", "--json")
    (run,) = json.loads(result.stdout)["runs"]
    assert (run["solved"], run["checks"], run["usage"]["calls"]) == (
        True,
        {"example-1": "pass", "example-2": "pass"},
        1,
    )
    assert "checks  2/2 passed" in result.stderr


def test_a_task_without_examples_is_not_called_checked(solve: Solve) -> None:
    Path("blind.toml").write_text(TASK.partition("[[examples]]")[0].format(name="blind"))
    told = solve("blind.toml").output
    assert "done    not checked: the task has no examples\n" in told
    assert "blind: not checked: the task has no examples\n" in told
    assert "pass" not in told
    shown = CliRunner().invoke(app, ["show", str(only_run("blind"))])
    assert shown.exit_code == 0
    assert re.search(r"^status +not checked: the task has no examples *$", shown.output, re.MULTILINE)
    found = json.loads(solve("blind.toml", "double.toml", "--json").stdout)
    assert [(run["checked"], run["solved"]) for run in found["runs"]] == [(False, False), (True, True)]
    assert "1 of 2 tasks solved: every check passes; 1 not checked" in solve("blind.toml", "double.toml").output


def test_a_wrong_program_is_exit_code_1(solve: Solve, server: Server) -> None:
    server.answers = [WRONG]
    result = solve("double.toml", "--k", "0", code=1)
    assert "double: 1 of 2 checks pass; the repair budget is used up" in result.output


def test_a_repair_is_accepted(solve: Solve, server: Server) -> None:
    server.answers = [WRONG, RIGHT]
    (run,) = json.loads(solve("double.toml", "--json").stdout)["runs"]
    assert (run["solved"], run["repairs"]) == (True, ["accepted"])
    assert "Expected: 10" in server.prompts[1].replace("\\n", "\n")


def test_a_repair_is_rolled_back(solve: Solve, server: Server) -> None:
    server.answers = [WRONG, WORSE]
    (run,) = json.loads(solve("double.toml", "--json", code=1).stdout)["runs"]
    assert (run["passed"], run["repairs"]) == (1, ["rolled-back"])
    assert "return n + 2" in (only_run() / "program.py").read_text()


def test_quiet_says_the_result_only(solve: Solve) -> None:
    result = solve("double.toml", "--quiet")
    assert result.output.startswith("double: 2 of 2 checks pass")


def test_a_folder_of_tasks_and_its_resumption(solve: Solve, server: Server) -> None:
    write_task("one", "tasks")
    write_task("two", "tasks")
    server.answers = [RIGHT, WRONG]
    result = solve("tasks", "--k", "0", code=1)
    assert "1 of 2 tasks solved" in result.output
    assert re.search(r"one +2 of 2 checks pass", result.output)
    assert re.search(r"two +1 of 2 checks pass", result.output)
    write_task("three", "tasks")
    asked = len(server.prompts)
    solve("tasks", "--k", "0", "--resume", code=1)
    assert len(server.prompts) == asked + 1  # `three` alone was open
    assert len(list(Path("runs").iterdir())) == 3


def test_an_answer_of_an_earlier_run_is_not_paid_for_again(solve: Solve, server: Server) -> None:
    first, second = (json.loads(solve("double.toml", "--json").stdout)["runs"][0] for _ in range(2))
    assert (first["usage"]["cached"], second["usage"]["cached"], len(server.prompts)) == (0, 1, 1)
    solve("double.toml", "--no-cache")
    assert len(server.prompts) == 2


def test_dry_run_asks_nothing_and_writes_nothing(solve: Solve, server: Server) -> None:
    (plan,) = json.loads(solve("double.toml", "--dry-run", "--json").stdout)["plans"]
    assert (plan["least"], plan["calls"][0]["role"], plan["calls"][0]["profile"]) == (1, "generator", server.model)
    assert re.search(r"in all +1 to \d+", solve("double.toml", "--dry-run").output)
    assert server.prompts == []
    assert not Path("runs").exists()


def test_the_forecast_holds(solve: Solve, server: Server) -> None:
    (plan,) = json.loads(solve("double.toml", "--dry-run", "--json").stdout)["plans"]
    server.answers = [WORSE]
    (run,) = json.loads(solve("double.toml", "--json", code=1).stdout)["runs"]
    assert plan["least"] <= run["usage"]["calls"] <= plan["most"]


def stopped(server: Server, number: signal.Signals) -> tuple[int, str]:
    """Return exit code and standard error of a solve that is stopped while the server thinks on its second call."""
    server.answers = [WRONG, None]
    line = [
        sys.executable, "-c", "from auditcoder.cli.main import main; main()", "solve", "double.toml", "-g", "single",
        "-c", "boundary=none", "--model", server.model,
    ]  # fmt: skip
    heard = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731  # a background job's is off
    process = subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=heard)
    assert server.asked.wait(120)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    return process.returncode, told


def gone_on_with(server: Server, *arguments: str) -> None:
    """Resume, and show that only the call without an answer is made again."""
    server.answers = [WRONG, None, RIGHT]
    result = CliRunner().invoke(app, ["solve", *arguments])
    assert result.exit_code == 0, result.output
    assert re.search(r"^resumed \d+ recorded steps, 1 model call not repeated$", result.output, re.MULTILINE)
    assert len(server.prompts) == 3  # two before the stop, of which one had no answer yet
    calls = [event for event in read_ledger(only_run()).events if isinstance(event, ModelCalled)]
    assert len({call.key for call in calls}) == len(calls) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_a_stopped_run_is_gone_on_with(server: Server, number: signal.Signals) -> None:
    code, told = stopped(server, number)
    assert code == 130
    assert f"\nresume with: auditcoder solve --resume {only_run()}\n" in told
    assert "return n + 2" in (only_run() / "program.py").read_text()  # what there is so far is the user's
    gone_on_with(server, "--resume", str(only_run()))


def test_a_killed_run_is_gone_on_with(server: Server) -> None:
    assert stopped(server, signal.SIGKILL)[0] == -signal.SIGKILL
    gone_on_with(server, "double.toml", "--resume")


def test_a_finished_run_that_is_resumed_is_only_read(solve: Solve, server: Server) -> None:
    solve("double.toml")
    before = (only_run() / "ledger.jsonl").read_bytes()
    result = CliRunner().invoke(app, ["solve", "--resume", str(only_run())])
    assert (result.exit_code, len(server.prompts)) == (0, 1)
    assert (only_run() / "ledger.jsonl").read_bytes() == before


def remove(path: Path) -> Path:
    path.unlink()
    return path


OUTPUT_FAULTS: dict[str, Callable[[Path], object]] = {
    "no record": lambda run: (run / "record.json").unlink(),
    "no program": lambda run: (run / "program.py").unlink(),
    "neither": lambda run: [remove(run / name) for name in ("record.json", "program.py")],
    "other program": lambda run: (run / "program.py").write_text("print(1)\n"),
    "edited record": lambda run: edit(run / "record.json", '"reason"', '"reason" '),
    "another verdict": lambda run: edit(run / "record.json", "every check passes", "all is well"),
    "no json": lambda run: (run / "record.json").write_text("{"),
}


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize("spoil", OUTPUT_FAULTS.values(), ids=OUTPUT_FAULTS)
def test_outputs_of_a_finished_run_are_written_again(
    solve: Solve, server: Server, spoil: Callable[[Path], object]
) -> None:
    solve("double.toml")
    run = only_run()
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    assert "warning" not in CliRunner().invoke(app, ["show", str(run)]).stderr
    spoil(run)
    shown = CliRunner().invoke(app, ["show", str(run)])
    assert "warning: " in shown.stderr or "error[record]" in shown.stderr
    result = CliRunner().invoke(app, ["solve", "--resume", str(run)])
    assert result.exit_code == 0, result.output
    assert "missing or changed; written again from the ledger" in result.output
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    assert len(server.prompts) == 1
    assert "written again" not in CliRunner().invoke(app, ["solve", "--resume", str(run)]).output
    assert "warning" not in CliRunner().invoke(app, ["show", str(run)]).stderr


def test_a_warning_leaves_json_alone(solve: Solve) -> None:
    solve("double.toml")
    (only_run() / "program.py").unlink()
    result = CliRunner().invoke(app, ["show", str(only_run()), "--json"])
    assert json.loads(result.stdout)["status"] == "finished"
    assert "warning: program.py missing or changed" in result.stderr


def test_a_ledger_that_was_cut_is_not_mended_over(solve: Solve) -> None:
    solve("double.toml")
    ledger, record = only_run() / "ledger.jsonl", only_run() / "record.json"
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
    before = record.read_bytes()
    result = CliRunner().invoke(app, ["show", str(only_run())])
    assert (result.exit_code, record.read_bytes()) == (1, before)
    assert "error[ledger-corrupt]" in result.stderr


OTHER_SETTINGS: dict[str, tuple[list[str], str]] = {
    "k": (["--k", "3"], "k = 1, not 3"),
    "seed": (["--seed", "7"], "seed = 0, not 7"),
    "granularity": (["-g", "fine"], "granularity = single, not fine"),
    "model": (["--model", "embedded"], "not embedded"),
    "role": (["--role", "verifier=embedded"], "not embedded"),
    "policy": (["--policy", "strict"], "gate = warn, not strict"),
    "locate": (["--locate", "paper"], "locate = executed-first, not paper"),
    "adaptive": (["--adaptive"], "adaptive = False, not True"),
    "override": (["-c", "verify=never"], "verify = on-failure, not never"),
}


@pytest.mark.parametrize("finished", [True, False], ids=["finished", "unfinished"])
@pytest.mark.parametrize(("options", "told"), OTHER_SETTINGS.values(), ids=OTHER_SETTINGS)
def test_another_setting_is_refused_on_resume(
    solve: Solve, server: Server, options: list[str], told: str, *, finished: bool
) -> None:
    solve("double.toml")
    ledger = only_run() / "ledger.jsonl"
    if not finished:
        ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
        (only_run() / "record.json").unlink()
    before = ledger.read_bytes()
    result = CliRunner().invoke(app, ["solve", "--resume", str(only_run()), *options])
    assert result.exit_code == 2, result.output
    assert told in result.stderr
    assert (ledger.read_bytes(), len(server.prompts)) == (before, 1)


def test_the_same_settings_are_no_conflict(solve: Solve) -> None:
    solve("double.toml", "--k", "2")
    solve("--resume", str(only_run()), "--k", "2", "--seed", "0")


def test_a_file_with_other_settings_is_told_of(solve: Solve) -> None:
    solve("double.toml")
    Path("own.toml").write_text("[run]\nk = 5\nseed = 0\n")
    result = CliRunner().invoke(app, ["solve", "--resume", str(only_run()), "--config", "own.toml"])
    assert result.exit_code == 0, result.output
    assert "keeps the settings it was started with, not those of own.toml: k = 1\n" in result.output


def test_a_server_that_is_down(server: Server) -> None:
    server.http.server_close()
    result = CliRunner().invoke(
        app, ["solve", "double.toml", "-g", "single", "-c", "boundary=none", "-m", server.model]
    )
    assert result.exit_code == 3
    assert "error[backbone-unavailable]:" in result.stderr
    assert f"resume with: auditcoder solve --resume {only_run()}" in result.stderr
    assert "Traceback" not in result.output


def test_a_run_that_did_not_begin_leaves_nothing() -> None:
    os.environ.pop("OPENAI_API_KEY", None)
    result = CliRunner().invoke(app, ["solve", "double.toml", "--model", "openai/gpt-4.1-mini"])
    assert result.exit_code == 3, result.output
    assert "error[backbone-auth]: " in result.stderr
    assert "OPENAI_API_KEY" in result.stderr
    assert "resume with" not in result.stderr
    assert not list(Path("runs").iterdir())


USAGE: dict[str, tuple[list[str], str]] = {
    "no task": ([], "error[usage]: no task is named"),
    "no such file": (["none.toml"], "error[task]: none.toml: cannot be read"),
    "not a task": (["bad.toml"], "error[task]: bad.toml: statement"),
    "no such suite": (["humaneval:x!"], "error[task]: 'humaneval:x!' is no task reference"),
    "no such number": (["humaneval:x"], "error[task]: there is no task x"),
    "no such profile": (["double.toml", "--model", "nope"], "error[config]: There is no backbone profile 'nope'"),
    "no such role": (["double.toml", "--role", "x=y"], "error[config]: there is no role 'x'"),
    "nothing to resume": (["double.toml", "--resume"], "error[usage]: no unfinished run of double in runs"),
    "nothing at all": (["--resume"], "error[usage]: no unfinished run in runs"),
}


@pytest.mark.parametrize(("arguments", "message"), USAGE.values(), ids=USAGE.keys())
def test_usage_errors(arguments: list[str], message: str) -> None:
    Path("bad.toml").write_text('id = "bad"\n')
    result = CliRunner().invoke(app, ["solve", *arguments])
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert not Path("runs").exists()


def test_a_run_folder_is_no_task(solve: Solve) -> None:
    solve("double.toml")
    result = CliRunner().invoke(app, ["solve", str(only_run())])
    assert result.exit_code == 2
    assert f"auditcoder solve --resume {only_run()}" in result.stderr


def test_show_tells_of_the_run(solve: Solve, server: Server) -> None:
    server.answers = [WRONG, RIGHT]
    solve("double.toml")
    result = CliRunner().invoke(app, ["show", str(only_run())])
    assert result.exit_code == 0, result.output
    assert "2 of 2 checks pass" in result.output
    assert "accepted" in result.output
    line = CliRunner().invoke(app, ["show", str(only_run()), "2"])
    assert "owner      S0" in line.output
    assert "repair 1" in line.output


def test_settings_and_profiles_share_a_file(server: Server) -> None:
    profile = f'[profiles.mine]\nengine = "lm"\nmodel = "scripted"\napi_base = "{server.model.partition("#")[0]}"\n'
    Path("own.toml").write_text(f'[run]\nmodel = "mine"\ngranularity = "single"\nboundary = "none"\n{profile}')
    result = CliRunner().invoke(app, ["solve", "double.toml", "--config", "own.toml"])
    assert result.exit_code == 0, result.output
    assert len(server.prompts) == 1


def test_a_rival_tells_its_agents_and_rounds_and_is_named_afterwards(solve: Solve, server: Server) -> None:
    server.answers = [f"### code\n{WRONG}", f"### code\n{RIGHT}"]
    told = solve("double.toml", "--method", "pycapsule", options=()).output
    assert re.findall(r"^call    (.*?):", told, re.M) == ["programmer (generator)", "fixer (regenerator)"]
    assert "round   1: feedback on candidate 0\n" in told
    assert len(server.prompts) == 2
    shown = CliRunner().invoke(app, ["show", str(only_run())])
    assert re.search(r"^method +pycapsule *$", shown.output, re.M)


def test_a_batch_counts_rounds_of_rivals_beside_repairs(solve: Solve, server: Server) -> None:
    write_task("other")
    server.answers = [f"### code\n{WRONG}"]
    told = solve("double.toml", "other.toml", "--method", "pycapsule", "--k", "2", code=1, options=()).output
    assert "repairs, rounds" in told
    assert len(re.findall(r"1 of 2 checks pass +2 +3 ", told)) == 2, told


def test_a_variant_runs_by_its_name_and_goes_on_as_that_alone(solve: Solve, server: Server) -> None:
    server.answers = [WRONG, WORSE]
    told = solve("double.toml", "--method", "auditcoder-feedback-resample", code=1).output
    assert "shows   resample: asked for\n" in told
    (run,) = json.loads(solve("double.toml", "--method", "auditcoder-feedback-resample", "--json", "--out", "second",
                              code=1).stdout)["runs"]  # fmt: skip
    assert run["method"] == "auditcoder-feedback-resample"
    shown = CliRunner().invoke(app, ["show", str(only_run())])
    assert re.search(r"^method +auditcoder-feedback-resample *$", shown.output, re.M)
    batch = ("double.toml", "double.toml", "--resume", "--method")
    assert "finished already" in solve(*batch, "auditcoder-feedback-resample", code=1).output
    assert "no run of it with these settings" in solve(*batch, "auditcoder-agents", code=1).output
