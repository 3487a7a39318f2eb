"""Every method and every variant under each of the four protocols: within its budget, and with a record that verifies.

The registries are read here, so what is added to them is covered by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from auditcoder.audit.outputs import expected_outputs
from auditcoder.audit.verify import verify_chain
from auditcoder.core.spending import CALLS_SPENT, TOKENS_SPENT
from auditcoder.ledger.chain import Chain
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.method_result import method_result
from auditcoder.programs.baselines.base import Bounds, RivalMethod, options_of
from auditcoder.programs.methods import METHODS
from auditcoder.programs.replaying import replay_run
from auditcoder.programs.variants import VARIANTS, preset
from auditcoder.records.config import Method, RunConfig
from auditcoder.records.events import ModelCalled
from tests.answers import Forms, step_code, step_values
from tests.unit.test_method_mapcoder import TOTAL

Solve = Callable[..., Any]
MAKERS: dict[str, dict[str, Any]] = {
    **{name: dict(preset(name)) for name in VARIANTS},
    **{name: {"method": name} for name in METHODS},
}
CALLS, TOKENS = (2, 8), (1, 4000)
PROTOCOLS: dict[str, dict[str, Any]] = {
    "k1": {"k": 1},
    "adaptive": {"adaptive": True},
    **{f"calls-{most}": {"k": 30, "max_calls": most} for most in CALLS},
    **{f"tokens-{most}": {"k": 30, "max_tokens": most} for most in TOKENS},
}
IDLE = 4
"""Rounds without a further passed check that end an adaptive run."""
WRONG = "def helper(items):\n    return sum(items)\n\n\ndef total(items):\n    return helper(items)"
RIGHT = "def helper(items):\n    return sum(i for i in items if i > 0)\n\n\ndef total(items):\n    return helper(items)"
TOLD = {"input": "total([3, -1])", "inputs": "{'items': [3, -1]}", "expected": "3", **step_values()}


def model(code: str, choice: int = 0) -> Forms:
    """Return a model that always gives this program, and chooses the first or the last of several words."""
    return Forms(step_code(code), choice, TOLD)


def failing(choice: int = -1) -> Forms:
    """Return a model whose programs all fail, each in another way: wrong answers for the first choice, else crashes."""
    numbers = count(1000)

    def code(prompt: str) -> str:
        number = next(numbers)
        body = f"return {number}" if choice == 0 else f"raise ValueError('number {number}')"
        return f"def helper(items):\n    {body}\n\n\ndef total(items):\n    return helper(items)"

    return Forms(code, choice, TOLD)


def audited(solve: Solve, script: Any, **config: Any) -> Any:
    """Return a run whose record verifies and replays."""
    journal = MemoryJournal()
    run = solve(TOTAL, script, journal=journal, **config)
    ledger = journal.ledger
    found = verify_chain(Chain(ledger, None), outputs=expected_outputs(fold_ledger(ledger)))
    assert [str(difference) for difference in found.differences] == []
    replayed = replay_run(ledger)
    assert ([str(difference) for difference in replayed.differences], replayed.note) == ([], "")
    assert run.record.status == "finished"
    assert run.record.assembly is not None
    return run


def bounds(name: str, **config: Any) -> Bounds:
    """Return what a method says of its own calls."""
    settings = RunConfig.model_validate({"method": name, **config})
    method = METHODS[settings.method]
    return method(options_of(method, settings)).bounds(settings)


def tokens(run: Any) -> list[int]:
    """Return the tokens of each call."""
    calls = [event for event in run.events if isinstance(event, ModelCalled)]
    return [call.prompt_tokens + call.completion_tokens for call in calls]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", MAKERS)
def test_every_method_and_variant_ends_within_every_budget(solve: Solve, name: str, protocol: str) -> None:
    config = {**PROTOCOLS[protocol], **MAKERS[name]}
    run = audited(solve, model(WRONG), **config)
    result = method_result(run.events)
    reactions = result.feedback_rounds + (result.triggered_retries if name in METHODS else 0)
    assert not run.candidate.rank.full_pass
    assert len(run.calls) == len(tokens(run)) > 0
    match protocol.partition("-")[0]:
        case "k1":
            assert reactions <= config["k"] <= 1
        case "adaptive":
            assert reactions <= IDLE
        case "calls":
            assert len(run.calls) <= config["max_calls"]
            if name in METHODS and bounds(name, k=30).least > config["max_calls"]:
                assert (len(run.calls), run.record.reason) == (config["max_calls"], CALLS_SPENT)
        case "tokens":
            assert sum(tokens(run)[:-1]) < config["max_tokens"]
            if config["max_tokens"] == 1:
                assert len(run.calls) == 1
            if sum(tokens(run)) < config["max_tokens"]:
                assert run.record.reason != TOKENS_SPENT


@pytest.mark.parametrize("protocol", ["k1", "adaptive"])
@pytest.mark.parametrize("name", METHODS)
def test_what_may_react_to_a_failure_does(solve: Solve, name: str, protocol: str) -> None:
    reacts = bounds(name, k=1) != bounds(name, k=0)
    assert reacts == (name != "direct")
    result = method_result(audited(solve, failing(), method=name, **PROTOCOLS[protocol]).events)
    reactions = result.feedback_rounds + result.triggered_retries
    assert reactions == (0 if not reacts else 1 if protocol == "k1" else IDLE)


@pytest.mark.parametrize("name", MAKERS)
def test_answers_that_cannot_be_used_end_within_the_budget_too(solve: Solve, name: str) -> None:
    run = audited(solve, lambda role, prompt: "no", **{"k": 30, "max_calls": 9, **MAKERS[name]})
    assert len(run.calls) <= 9
    assert not (run.record.checks and run.candidate.rank.full_pass)


@pytest.mark.parametrize("protocol", ["adaptive", "calls-8"])
@pytest.mark.parametrize("name", MAKERS)
def test_nothing_more_is_asked_behind_a_program_that_passes(solve: Solve, name: str, protocol: str) -> None:
    run = audited(solve, model(RIGHT), **{**PROTOCOLS[protocol], **MAKERS[name]})
    result = method_result(run.events)
    assert run.candidate.rank.full_pass
    assert (result.feedback_rounds, result.triggered_retries) == (0, 0)
    if name in METHODS:
        assert len(run.calls) >= bounds(name).least


@pytest.mark.parametrize("name", METHODS)
def test_every_method_declares_its_bounds(name: Method) -> None:
    assert METHODS[name].bounds is not RivalMethod.bounds


SWITCHED: list[tuple[str, tuple[tuple[str, Any], ...]]] = [
    *((name, ()) for name in METHODS),
    ("mapcoder", (("k", 2), ("t", 0))),
    ("mapcoder", (("k", 2), ("plan_fallback", "free"))),
    ("codesim", (("d", 0), ("p", 3))),
    ("codesim", (("d", 2), ("p", 2))),
    ("pycapsule", (("fixes", 0),)),
    *(
        (name, options)
        for name, options in [
            ("agentcoder", (("mode", "resample"),)),
            ("agentcoder", (("rounds", 2),)),
            ("ldb", (("rounds", 2),)),
            ("codecor", (("prune", "none"), ("r", 2))),
            ("codecor", (("k1", "set"), ("n_p", 2))),
        ]
        if name in METHODS
    ),
    ("fresh-start", (("variant", "A"),)),
    ("fresh-start", (("draws", 3), ("restart_after", 1))),
]


@pytest.mark.parametrize(
    ("name", "options", "k"),
    [(name, options, k) for name, options in SWITCHED for k in ((1, 30) if options else (0, 1, 3, 30))],
    ids=str,
)
def test_the_bounds_are_what_is_measured(solve: Solve, name: str, options: tuple[tuple[str, Any], ...], k: int) -> None:
    told = bounds(name, k=k, options=options)
    config = {"method": name, "k": k, "options": options}
    least = min(len(solve(TOTAL, model(RIGHT, choice), **config).calls) for choice in (0, -1))
    most = max(len(solve(TOTAL, failing(choice), **config).calls) for choice in (0, -1))
    assert least == told.least
    assert most == told.most or (told.most is None and most >= least)


def test_the_bounds_are_those_of_the_specifications() -> None:
    told = {name: (bounds(name, k=1).least, bounds(name, k=1).most, bounds(name, k=30).most) for name in METHODS}
    wanted = {
        "direct": (1, 1, 1), "mapcoder": (8, 9, 25), "codesim": (3, 5, 45), "pycapsule": (1, 2, 6),
        "fresh-start": (1, 2, 6), "ldb": (1, 3, 21), "bpd": (1, 2, 6), "agentcoder": (2, 3, 7),
        "codecor": (4, 11, 35), "mgdebugger": (1, None, None),
    }  # fmt: skip
    assert told == {name: wanted[name] for name in METHODS}


def test_each_protocol_is_another_configuration_of_what_has_a_budget() -> None:
    hashes = Counter(
        RunConfig(**{**protocol, **maker}).content_hash()
        for protocol in PROTOCOLS.values()
        for maker in MAKERS.values()
    )
    budgeted = [name for name, maker in MAKERS.items() if "k" not in maker]
    assert len(hashes) >= len(PROTOCOLS) * len(budgeted)
