"""What stops a run of any method from outside: a full disk, a model that tells no tokens, too small a context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dspy.lm15 as lm15
import pytest
from dspy.lm15 import Message, Response, Usage

from auditcoder.errors import BackboneError, LedgerError
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.methods import METHODS
from auditcoder.records.events import CodeWritten, MethodNoted, ModelCalled
from tests.unit.test_method_mapcoder import TOTAL
from tests.unit.test_methods_budgets import WRONG, failing, model
from tests.unit.test_methods_hostile import audited

Solve = Callable[..., Any]
NAMES = ("auditcoder", *METHODS)


class Full(MemoryJournal):
    """A journal on a device that is full when the second answer of a model is written."""

    def _store(self, seq: int, raw: bytes) -> None:
        if b'"kind":"model.called"' in raw and any(isinstance(event, ModelCalled) for event in self.events):
            raise LedgerError(f"event {seq} could not be written", hint="Free some space.")


@pytest.mark.parametrize("method", NAMES)
def test_a_full_disk_is_told_as_what_it_is_and_the_run_goes_on_later(solve: Solve, method: str) -> None:
    journal, options = Full(), {"variant": "A"} if method == "fresh-start" else {}
    config = {"method": method, "options": tuple(options.items()), "k": 2}
    if method == "direct":
        solve(TOTAL, model(WRONG), journal=journal, **config)  # one answer, and no second one to write
        return
    with pytest.raises(LedgerError, match="could not be written"):
        solve(TOTAL, model(WRONG), journal=journal, **config)
    run = solve(TOTAL, model(WRONG), journal=MemoryJournal(journal.events), **config)
    whole = solve(TOTAL, model(WRONG), **config)
    assert [event.kind for event in run.events] == [event.kind for event in whole.events]
    assert run.record.assembly == whole.record.assembly


def untold(role: str, prompt: str) -> Response:
    """Return an answer of a server that tells nothing of tokens."""
    message = Message.assistant("no code")
    return Response(id="1", model="scripted", message=message, finish_reason="stop", usage=Usage())


@pytest.mark.parametrize("method", NAMES)
def test_a_budget_of_tokens_needs_a_model_that_tells_them(solve: Solve, method: str) -> None:
    with pytest.raises(BackboneError, match="does not tell how many tokens"):
        solve(TOTAL, untold, method=method, max_tokens=1000)
    assert solve(TOTAL, untold, method=method, max_calls=3).record.status == "finished"


@pytest.mark.parametrize("room", [0, 2000])
@pytest.mark.parametrize("method", METHODS)
def test_prompts_that_do_not_fit_the_context_end_a_run_as_rounds_without_a_program_do(
    solve: Solve, method: str, room: int
) -> None:
    script = failing(0)

    class Small(type(script)):  # type: ignore[misc]
        """Takes prompts up to a size."""

        def answer(self, prompt: str, schema: Any) -> str:
            if len(prompt) > room:
                raise lm15.ContextLengthError("the prompt is too long")
            return str(super().answer(prompt, schema))

    small = Small(script.code, script.choice, script.told)
    run = audited(solve, TOTAL, small, method=method, adaptive=True)
    assert run.record.status == "finished"
    assert room or "no usable program" in run.record.assembly.program


@pytest.mark.parametrize("method", ["pycapsule", "bpd"])
def test_a_conversation_that_outgrows_the_context_goes_on_with_its_last_turn(solve: Solve, method: str) -> None:
    programs = [f"def total(items):\n    return sum(items) + {number}" for number in range(1, 8)]
    sizes: list[int] = []

    def answer(role: str, prompt: str) -> str:
        sizes.append(len(prompt))
        if len(prompt) > 1500:
            raise lm15.ContextLengthError("the prompt is too long")
        code = programs[min(len(sizes), len(programs)) - 1]
        return f"### reasoning\nSo.\n### requirements\nnone\n### code\n```python\n{code}\n```"

    run = audited(solve, TOTAL, answer, method=method, k=30)
    cut = [event for event in run.events if isinstance(event, MethodNoted) and event.what == "history-cut"]
    written = [event for event in run.events if isinstance(event, CodeWritten)]
    assert cut, sizes
    assert len(written) == 1 + 5, "every fix has its program"
    assert len(run.calls) == 6 + len(cut)
