"""Files of a run that could be read for ever are not read; amounts that cannot be added up are no amounts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from auditcoder.audit.verify import verify_run
from auditcoder.cli.main import app
from auditcoder.errors import LedgerError
from auditcoder.ledger.chain import LEDGER_NAME, read_ledger
from auditcoder.ledger.outputs import PROGRAM_NAME, RECORD_NAME
from auditcoder.records.config import ModelFacts
from auditcoder.records.events import ModelCalled

KEPT = Path(__file__).parents[1] / "replay" / "runs" / "average-rating-0.5b"
STRANGE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": lambda path: path.mkdir(),
    "dangling-link": lambda path: path.symlink_to("nowhere"),
}


@pytest.mark.parametrize("name", [RECORD_NAME, PROGRAM_NAME])
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE.keys())
def test_an_output_that_is_no_regular_file_is_an_error_and_loses_no_other_run(
    tmp_path: Path, make: Callable[[Path], object], name: str
) -> None:
    for run in ("bad", "good"):
        shutil.copytree(KEPT, tmp_path / run)
    (tmp_path / "bad" / name).unlink()
    make(tmp_path / "bad" / name)
    with pytest.raises(LedgerError, match="cannot be read"):
        verify_run(tmp_path / "bad")
    result = CliRunner().invoke(app, ["verify", str(tmp_path)])
    assert result.exit_code == 3
    assert "1 of 2 runs verified" in result.output


@pytest.mark.parametrize("make", [STRANGE["pipe"], STRANGE["device"]], ids=["pipe", "device"])
def test_a_ledger_that_is_no_regular_file_is_not_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / LEDGER_NAME)
    with pytest.raises(LedgerError, match="no regular file"):
        read_ledger(tmp_path)


@pytest.mark.parametrize("amount", [10**400, -1, 10**13])
def test_amounts_that_no_sum_can_hold_are_refused(amount: int) -> None:
    known = {"key": "k", "role": "planner", "model": "m", "prompt_hash": "h", "request": "{}"}
    for field in ("prompt_tokens", "completion_tokens", "seconds"):
        assert ModelCalled.model_validate({**known, field: 10**12})
        with pytest.raises(ValidationError):
            ModelCalled.model_validate({**known, field: amount})
    for price in ("price_in", "price_out"):
        with pytest.raises(ValidationError):
            ModelFacts.model_validate({"profile": "p", "model": "m", price: amount})
