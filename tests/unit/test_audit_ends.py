"""Where a rival method ends and what its rounds are: a ledger that says otherwise is found, for every method."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain
from auditcoder.core.method_ends import LIMIT, LIMITED_BY, METHOD_ENDS, ONE_PROGRAM, own_limit, round_kinds
from auditcoder.ledger.chain import Chain, Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.methods import METHODS
from auditcoder.programs.replaying import replay_run
from auditcoder.records.config import RunConfig
from auditcoder.records.events import EVENT
from tests.unit.test_method_mapcoder import TOTAL
from tests.unit.test_methods_budgets import RIGHT, failing, model

Solve = Callable[..., Any]
Facts = list[dict[str, Any]]
PLANNED = ("mapcoder", "codesim")
"""Methods whose limit depends on how many plans could be used."""


def ledger_of(solve: Solve, script: Any, **config: Any) -> Ledger:
    journal = MemoryJournal()
    solve(TOTAL, script, journal=journal, **config)
    return journal.ledger


def found(ledger: Ledger) -> set[str]:
    outputs = expected_outputs(fold_ledger(ledger))
    return {str(difference.check) for difference in verify_chain(Chain(ledger, None), outputs=outputs).differences}


def forged(ledger: Ledger, forge: Callable[[Facts], object]) -> Ledger:
    """Return the ledger with other facts, sealed anew."""
    facts = [json.loads(entry.raw)["event"] for entry in ledger.entries]
    forge(facts)
    return MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger


def cut(reason: str) -> Callable[[Facts], object]:
    """Return a forgery that ends a run behind its first program, for a reason."""

    def forge(facts: Facts) -> None:
        place = [fact["kind"] for fact in facts].index("candidate.ranked")
        (assembled,) = [fact for fact in facts[:place] if fact["kind"] == "program.assembled"]
        told = {"candidate": 0, "program": assembled["assembly"]["digest"], "rank": facts[place]["rank"]}
        facts[place + 1 :] = [{**facts[-1], **told, "reason": reason}]

    return forge


def another_round(facts: Facts) -> None:
    """Begin a round that brings nothing, right before the end."""
    made = sum(fact["kind"] == "round.started" for fact in facts)
    ranked = [fact for fact in facts if fact["kind"] == "candidate.ranked" and fact["active"]]
    started = {"kind": "round.started", "index": made, "how": "feedback", "candidate": ranked[-1]["candidate"]}
    facts.insert(len(facts) - 1, started)


def other_kinds(facts: Facts) -> None:
    for fact in facts:
        if fact["kind"] == "round.started":
            fact["how"] = "retry" if fact["how"] == "feedback" else "feedback"


def other_agents(facts: Facts) -> None:
    for fact in facts:
        if fact["kind"] == "model.called":
            fact["agent"] = "somebody"


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_is_cut_short_has_no_reason_for_its_end(solve: Solve, method: str) -> None:
    ledger = ledger_of(solve, failing(0), method=method, k=30)
    assert found(ledger) == set()
    holding = {ONE_PROGRAM} if method == "direct" else {LIMIT} if method in PLANNED else set()
    for reason in {*METHOD_ENDS, "the repair budget is used up", "every check passes"} - holding:
        assert "V20" in found(forged(ledger, cut(reason))), reason


@pytest.mark.parametrize("method", METHODS)
def test_no_round_begins_behind_a_full_pass(solve: Solve, method: str) -> None:
    ledger = ledger_of(solve, model(RIGHT), method=method, k=30)
    assert found(ledger) == set()
    assert "V19" in found(forged(ledger, another_round))


@pytest.mark.parametrize("method", LIMITED_BY)
def test_no_round_begins_beyond_the_limit_of_a_method(solve: Solve, method: str) -> None:
    ledger = ledger_of(solve, failing(0), method=method, k=30)
    assert "V19" in found(forged(ledger, another_round))


@pytest.mark.parametrize("method", [*LIMITED_BY, "fresh-start"])
def test_a_round_of_a_kind_that_a_method_has_not_is_found(solve: Solve, method: str) -> None:
    ledger = ledger_of(solve, failing(0), method=method, k=1)
    assert found(ledger) == set()
    assert found(forged(ledger, other_kinds)) == {"V19"}


@pytest.mark.parametrize("method", METHODS)
def test_replaying_finds_a_call_that_another_agent_is_said_to_have_made(solve: Solve, method: str) -> None:
    ledger = ledger_of(solve, failing(0), method=method, k=1)
    assert replay_run(ledger).differences == ()
    (difference,) = replay_run(forged(ledger, other_agents)).differences
    assert "a model call of agent" in str(difference)


def test_limits_are_those_of_the_options() -> None:
    for name, (option, default) in LIMITED_BY.items():
        assert METHODS[name].Options.model_fields[option].default == default  # type: ignore[index]
    rows: list[tuple[str, dict[str, Any], int | None]] = [
        ("agentcoder", {"mode": "resample", "epochs": 2}, 2),
        ("agentcoder", {"mode": "resample"}, 5),
        ("fresh-start", {}, 5),
        ("fresh-start", {"draws": 3}, 2),
        ("mapcoder", {}, None),
    ]
    for method, options, limit in rows:
        assert own_limit(RunConfig.model_validate({"method": method, "options": tuple(options.items())})) == limit
        adaptive = {"method": method, "options": tuple(options.items()), "adaptive": True}
        assert own_limit(RunConfig.model_validate(adaptive)) is None
    assert own_limit(RunConfig(method="fresh-start", max_calls=4)) is None
    hybrid = RunConfig(method="fresh-start", options=(("restart_after", 2),))
    assert round_kinds(hybrid) == ("feedback", "retry")
