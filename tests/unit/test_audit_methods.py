"""The audit of rival methods' runs: an honest one verifies and replays, and each forgery is found by its check."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.execute import execute_again
from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verification import Verification
from auditcoder.audit.verify import verify_chain
from auditcoder.ledger.chain import Chain, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs import methods as programs_methods
from auditcoder.programs.baselines.direct import Direct
from auditcoder.programs.baselines.run import MethodRun
from auditcoder.programs.replaying import replay_run
from auditcoder.records.events import EVENT
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task
from auditcoder.sandbox.executor import SandboxExecutor

Solve = Callable[..., Any]
Facts = list[dict[str, Any]]
SIGNATURE = FunctionSignature(name="total", parameters=(Parameter(name="items", type="list[int]"),), returns="int")
TOTAL = Task(
    id="total",
    statement="Return the sum of the positive items.",
    entry=EntryPoint(kind="function", name="total", signature=SIGNATURE),
    examples=(
        Check(id="E1", input=FunctionInput(args=([1, 2],)), expected=Expected(value=3, has_value=True)),
        Check(id="E2", input=FunctionInput(args=([1, -2],)), expected=Expected(value=1, has_value=True)),
    ),
)
WRONG = "### reasoning\nSo.\n### requirements\nnone\n### code\n```python\ndef total(items):\n    return sum(items)\n```"
RIGHT = WRONG.replace("sum(items)", "sum(i for i in items if i > 0)")


def run_of(solve: Solve, *texts: str, **config: Any) -> Ledger:
    left, journal = list(texts), MemoryJournal()
    solve(TOTAL, lambda role, prompt: left.pop(0) if len(left) > 1 else left[0], journal=journal, **config)
    return journal.ledger


def audit(ledger: Ledger) -> Verification:
    return verify_chain(Chain(ledger, None), outputs=expected_outputs(fold_ledger(ledger)))


def found(ledger: Ledger) -> set[str]:
    return {str(difference.check) for difference in audit(ledger).differences}


HONEST = [
    ((RIGHT,), {"method": "direct"}),
    ((WRONG,), {"method": "direct"}),
    ((WRONG,), {"method": "pycapsule", "k": 30}),
    ((WRONG, RIGHT), {"method": "pycapsule", "k": 30}),
    ((WRONG, "no code"), {"method": "pycapsule", "k": 1}),
    ((WRONG,), {"method": "pycapsule", "adaptive": True}),
    ((WRONG,), {"method": "pycapsule", "k": 30, "max_calls": 3}),
    ((WRONG,), {"method": "fresh-start", "k": 30, "max_tokens": 2}),
    ((WRONG,), {"method": "fresh-start", "k": 30, "options": (("restart_after", 2),)}),
    ((RIGHT, WRONG), {"method": "fresh-start", "k": 30, "options": (("variant", "A"),)}),
    (("no code",), {"method": "direct"}),
]


@pytest.mark.parametrize(("texts", "config"), HONEST)
def test_an_honest_run_verifies_and_replays(solve: Solve, texts: tuple[str, ...], config: dict[str, Any]) -> None:
    ledger = run_of(solve, *texts, **config)
    assert [str(difference) for difference in audit(ledger).differences] == []
    assert [str(difference) for difference in replay_run(ledger).differences] == []
    assert replay_run(ledger).compared == len(ledger.events)


def last(facts: Facts, kind: str) -> dict[str, Any]:
    return [fact for fact in facts if fact["kind"] == kind][-1]


def change(kind: str, **fields: Any) -> Callable[[Facts], object]:
    return lambda facts: last(facts, kind).update(fields)


def drop(kind: str) -> Callable[[Facts], object]:
    return lambda facts: facts.remove(last(facts, kind))


def one_more_round(facts: Facts) -> None:
    facts.insert(len(facts) - 1, {"kind": "round.started", "index": 2, "how": "retry", "candidate": 2})


FORGED: list[tuple[str, str, Callable[[Facts], object]]] = [
    ("V2", "a round has another number", change("round.started", index=4)),
    ("V2", "a round reacts to a candidate that is not there", change("round.started", candidate=9)),
    ("V2", "a fix without a round", lambda facts: [drop("round.started")(facts), drop("round.started")(facts)]),
    ("V4", "another admission", change("checks.frozen", admission="none")),
    ("V4", "another attempt", change("attempt.started", reason="asked for")),
    ("V15", "the last candidate does not take over", change("candidate.ranked", active=False)),
    ("V19", "a round beyond K", one_more_round),
    ("V19", "a round reacts to an earlier candidate", change("round.started", candidate=0)),
    ("V20", "another reason", change("run.finished", reason="the call budget is used up")),
    ("V20", "a full pass that there was not", change("run.finished", reason="every check passes")),
]


@pytest.mark.parametrize(("check", "what", "forge"), FORGED, ids=[row[1] for row in FORGED])
def test_a_forgery_is_found_by_its_check(solve: Solve, check: str, what: str, forge: Callable[[Facts], object]) -> None:
    ledger = run_of(solve, WRONG, WRONG, WRONG.replace("items)", "items) + 1"), method="pycapsule", k=2)
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    forge(facts)
    sealed = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    assert check in found(sealed), (what, [str(d) for d in audit(sealed).differences])


@pytest.mark.parametrize(("check", "k"), [("V19", 1), ("V20", 5)], ids=["a round beyond K", "K is not used up"])
def test_rounds_and_their_end_must_fit_k(solve: Solve, check: str, k: int) -> None:
    ledger = run_of(solve, WRONG, method="pycapsule", k=2)
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    facts[0]["config"]["k"] = k
    assert check in found(MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger)


PROBED = "def total(items):\n    return 0\n"
OTHER = "def total(items):\n    return sum(item for item in items if item > 0)\n"


class Prober(Direct):
    """Runs a program that is no candidate, then asks again in a round."""

    def solve(self, run: MethodRun) -> str:
        run.write(lambda refused: self.programmer(run.task, refused))
        run.probe("tree", PROBED, run.task.entry, run.checks)
        run.start_round("feedback")
        run.write(lambda refused: self.programmer(run.task, refused))
        return ""


@pytest.fixture
def probing(solve: Solve, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setattr(programs_methods, "METHODS", {"direct": Prober})
    return run_of(solve, WRONG, RIGHT, method="direct")


def test_probes_verify_and_run_again(probing: Ledger, executor: SandboxExecutor) -> None:
    assert [event.kind for event in probing.events].count("program.probed") == 1
    assert fold_ledger(probing).reason == "every check passes"
    assert [str(difference) for difference in audit(probing).differences] == []
    assert replay_run(probing).compared == len(probing.events)
    assert execute_again(probing, executor).differences == ()


def change_probe(facts: Facts) -> None:
    last(facts, "program.probed")["report"]["results"][0]["outcome"] = "pass"


PROBES = [
    ("V3", change("program.probed", key="0" * 64)),
    ("V3", change("program.probed", program=OTHER)),
    ("V9", change("program.probed", program=OTHER)),
    ("V9", lambda facts: last(facts, "program.probed")["report"]["results"].pop()),
]


@pytest.mark.parametrize(("check", "forge"), PROBES)
def test_a_forged_probe_is_found(probing: Ledger, check: str, forge: Callable[[Facts], object]) -> None:
    facts = [json.loads(entry.raw)["event"] for entry in probing.entries]
    forge(facts)
    assert check in found(MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger)


def test_a_probe_with_another_outcome_is_found_by_running_it_again(probing: Ledger, executor: SandboxExecutor) -> None:
    facts = [json.loads(entry.raw)["event"] for entry in probing.entries]
    change_probe(facts)
    sealed = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    assert execute_again(sealed, executor).differences != ()


def test_requests_beyond_the_budget_are_found(solve: Solve) -> None:
    ledger = run_of(solve, WRONG, method="pycapsule", k=2, max_calls=3)
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    facts[0]["config"]["max_calls"] = 2
    assert "V19" in found(MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger)


def test_a_rival_in_an_older_format_is_found(solve: Solve) -> None:
    ledger = run_of(solve, WRONG, method="pycapsule", k=1)
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    facts[0]["format"] = "1.1"
    assert "V2" in found(MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger)
