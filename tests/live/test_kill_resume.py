"""`kill -9` in the middle of real runs: the resumed run ends like an undisturbed one and repeats no finished call.

Run with `-m live`. The moments are drawn with a fixed seed over the length of the undisturbed run.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from auditcoder.ledger.chain import read_ledger
from auditcoder.records.events import ModelCalled

pytestmark = pytest.mark.live
TASK = Path(__file__).parents[2] / "examples" / "duty_roster.json"
KILLS = 10
SOLVE = (sys.executable, "-c", "from auditcoder.cli.main import main; main()", "solve")
OPTIONS = ("--model", "embedded-small", "--granularity", "single", "--no-cache")


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen((*SOLVE, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def only_run(out: Path) -> Path:
    [folder] = [path for path in out.iterdir() if path.is_dir()]
    return folder


def calls(folder: Path) -> list[str]:
    return [event.key for event in read_ledger(folder).events if isinstance(event, ModelCalled)]


def killed(out: Path, moment: float) -> bool:
    """Start a run and kill it after `moment` seconds; return whether it was still going on."""
    process = start(str(TASK), "--out", str(out), *OPTIONS)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=moment)
        return False
    process.kill()
    process.wait()
    return True


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    out = tmp_path_factory.mktemp("undisturbed")
    began = time.monotonic()
    assert start(str(TASK), "--out", str(out), *OPTIONS).wait() in (0, 1)
    return only_run(out), time.monotonic() - began


@pytest.mark.parametrize("number", range(KILLS))
def test_a_killed_run_resumes_to_the_same_program(number: int, undisturbed: tuple[Path, float], tmp_path: Path) -> None:
    whole, length = undisturbed
    moment = random.Random(f"kill-{number}").uniform(0.05, 0.95) * length
    while not killed(tmp_path, moment):  # the machine is quicker now: the run had ended before its moment came
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        moment /= 2
    if not any(tmp_path.iterdir()):  # killed before the run had a folder: nothing to resume, nothing was paid
        assert start(str(TASK), "--out", str(tmp_path), *OPTIONS).wait() in (0, 1)
    else:
        folder = only_run(tmp_path)
        paid = calls(folder) if (folder / "ledger.jsonl").stat().st_size else []
        start("--resume", str(folder)).wait()
        assert calls(folder)[: len(paid)] == paid
    folder = only_run(tmp_path)
    assert calls(folder) == calls(whole)
    assert (folder / "program.py").read_bytes() == (whole / "program.py").read_bytes()
