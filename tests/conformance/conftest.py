from __future__ import annotations

from collections.abc import Iterator

import pytest

from auditcoder.errors import HarnessError
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.probe import examine
from auditcoder.sandbox.rungs import Rung, ladder


@pytest.fixture(scope="session")
def sandbox() -> Iterator[SandboxExecutor]:
    """The executor at the level that this machine gives."""
    with SandboxExecutor() as executor:
        yield executor


SOUND = [rung for rung in ladder() if rung.level >= 2]


@pytest.fixture(scope="session", params=SOUND, ids=[f"level-{rung.level}" for rung in SOUND])
def sound_sandbox(request: pytest.FixtureRequest) -> Iterator[SandboxExecutor]:
    """An executor on each rung that untrusted code may run on, where the machine has its features."""
    rung: Rung = request.param
    try:
        probed = examine(rung)
    except HarnessError as error:
        pytest.skip(f"this machine does not give level {rung.level}: {error.message}")
    with SandboxExecutor(probed=probed) as executor:
        yield executor
