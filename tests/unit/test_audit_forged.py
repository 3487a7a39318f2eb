"""Forged ledgers: the chain is whole, the hashes are made again, one fact is another one; its check finds it.

One row a forgery. The ledger is sealed anew after it, so V1 holds, and the output files are those of the forged ledger,
so V21 holds as well: only recomputation can tell.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditcoder.audit.outputs import Outputs, expected_outputs
from auditcoder.audit.verification import Verification
from auditcoder.audit.verify import verify_chain
from auditcoder.ledger.chain import Chain, Ledger, read_ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.records.base import sha256_text
from auditcoder.records.events import EVENT, Event

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "record-example"
KEPT = ROOT / "tests" / "replay" / "format-1.0"
REPAIRED, PLANNED, ROLLED_BACK = (
    KEPT / name for name in ("average-rating-0.5b", "average-rating-planned-1.5b", "largest-jump-0.5b")
)
Facts = list[dict[str, Any]]


@dataclass(frozen=True)
class Forgery:
    """What is changed in the events of a run, as plain JSON, and the check that must find it."""

    check: str
    what: str
    change: Callable[[Facts], object]
    run: Path = EXAMPLE


def sealed(facts: Facts) -> Ledger:
    """Return a ledger of these events with a whole chain."""
    return MemoryJournal([event_of(fact) for fact in facts]).ledger


def event_of(fact: dict[str, Any]) -> Event:
    return EVENT.validate_python(json.loads(json.dumps(fact)))


def facts_of(run: Path) -> Facts:
    return [json.loads(entry.raw)["event"] for entry in read_ledger(run).entries]


def audit(ledger: Ledger) -> Verification:
    return verify_chain(Chain(ledger, None), outputs=expected_outputs(fold_ledger(ledger)))


def nth(facts: Facts, kind: str, number: int = 0) -> dict[str, Any]:
    return [fact for fact in facts if fact["kind"] == kind][number]


def place(facts: Facts, kind: str, number: int = 0) -> int:
    return [index for index, fact in enumerate(facts) if fact["kind"] == kind][number]


def put(kind: str, path: str, value: Any, number: int = 0) -> Callable[[Facts], object]:
    """Return a change of one value; the path is dotted, list indices are numbers."""

    def change(facts: Facts) -> None:
        *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
        target: Any = nth(facts, kind, number)
        for part in way:
            target = target[part]
        target[last] = value(target[last]) if callable(value) else value

    return change


def drop(kind: str, number: int = 0) -> Callable[[Facts], object]:
    return lambda facts: facts.pop(place(facts, kind, number))


def double(kind: str, number: int = 0) -> Callable[[Facts], object]:
    return lambda facts: facts.insert(place(facts, kind, number), dict(nth(facts, kind, number)))


def swap(kind: str, number: int = 0) -> Callable[[Facts], None]:
    def change(facts: Facts) -> None:
        index = place(facts, kind, number)
        facts[index], facts[index + 1] = facts[index + 1], facts[index]

    return change


def other_source(facts: Facts) -> None:
    """Another source with a right digest, but not what the rules accept: it defines another function."""
    code = nth(facts, "code.written")["code"]
    code["source"] = code["source"].replace("def total(", "def summed(")
    code["digest"] = sha256_text(code["source"])


def other_program(facts: Facts) -> None:
    assembly = nth(facts, "program.assembled")["assembly"]
    assembly["program"] = assembly["program"].replace("numbers[1:]", "numbers[2:]")
    assembly["digest"] = sha256_text(assembly["program"])


def pass_instead(facts: Facts) -> None:
    nth(facts, "checks.run")["report"]["results"][0].update(outcome="pass", message="")


def leave_out_an_attempt(facts: Facts) -> None:
    del facts[place(facts, "attempt.started", 1) : place(facts, "repair.started")]


def run_across_the_border(facts: Facts) -> None:
    """The scope is the other node, so that the candidate changes what is outside."""
    for kind in ("scope.declared", "repair.started"):
        nth(facts, kind)["scope"].update(nodes=["S0"], units=["<entry>"])


FORGERIES = (
    Forgery("V2", "an event is missing", drop("checks.frozen")),
    Forgery("V2", "the plan is missing", drop("plan.accepted")),
    Forgery("V2", "a repair does not end", drop("repair.ended")),
    Forgery("V2", "a scope is not declared", drop("scope.declared")),
    Forgery("V2", "code before its scope", swap("scope.declared")),
    Forgery("V2", "a candidate is ranked twice", double("candidate.ranked")),
    Forgery("V2", "something behind the end", lambda facts: facts.append(dict(facts[-2]))),
    Forgery("V2", "numbers of attempts", put("attempt.started", "index", 1)),
    Forgery("V2", "numbers of candidates", put("program.assembled", "candidate", 3)),
    Forgery("V2", "numbers of repairs", put("repair.started", "index", 1)),
    Forgery("V3", "hash of the configuration", put("run.started", "config_hash", "0" * 64)),
    Forgery("V3", "another configuration", put("run.started", "config.seed", 5)),
    Forgery("V3", "hash of a prompt", put("model.called", "prompt_hash", "0" * 64)),
    Forgery("V3", "another request", put("model.called", "request", lambda text: text.replace("Split", "Cut"))),
    Forgery("V3", "tokens", put("model.called", "prompt_tokens", 1)),
    Forgery("V3", "hash of the checks", put("checks.frozen", "hash", "0" * 64)),
    Forgery("V3", "digest of a source", put("code.written", "code.digest", "0" * 64)),
    Forgery("V3", "digest of a unit", put("program.assembled", "assembly.units.0.digest", "0" * 64)),
    Forgery("V3", "key of a run", put("checks.run", "key", "0" * 64)),
    Forgery("V3", "key of a recording", put("calls.recorded", "key", "0" * 64)),
    Forgery("V4", "an example is another one", put("checks.frozen", "checks.0.expected.stdout", "5\n")),
    Forgery("V4", "admission policy", put("checks.frozen", "admission", "paper")),
    Forgery("V4", "granularity of the attempt", put("attempt.started", "granularity", "single")),
    Forgery("V4", "a plan without integrity", put("plan.accepted", "graph.nodes.1.parent", "S9")),
    Forgery("V4", "a plan that the review refuses", put("plan.accepted", "graph.nodes.1.goal", "")),
    Forgery("V4", "a plan that was not reviewed", drop("plan.reviewed")),
    Forgery("V4", "a single owner's plan", put("plan.accepted", "graph.nodes.0.goal", "Something else."), REPAIRED),
    Forgery("V5", "a source that is not accepted", other_source),
    Forgery("V5", "code that no model answered", drop("model.called", 1)),
    Forgery("V5", "another answer", put("model.called", "response", lambda text: text.replace("[1:]", "[2:]"), 1)),
    Forgery("V5", "a note on code", put("code.written", "notes", ["added: import os"])),
    Forgery("V5", "a linked root that is not the plan's", put("code.written", "code.source", "x = 1\n", 3), PLANNED),
    Forgery("V6", "another program", other_program),
    Forgery("V6", "a line map", put("program.assembled", "assembly.lines.0.last", 1)),
    Forgery("V7", "an owner that the plan has not", put("program.assembled", "assembly.units.0.owner", "S7")),
    Forgery("V7", "a line that nobody owns", lambda facts: nth(facts, "program.assembled")["assembly"]["lines"].pop()),
    Forgery("V8", "a finding of the gate", put("program.assembled", "gate", ["line 1: import: os"])),
    Forgery("V9", "a pass that was none", pass_instead),
    Forgery("V9", "another observation", put("checks.run", "report.results.0.observed", "6\n")),
    Forgery("V9", "another isolation", put("checks.run", "report.isolation", "0" * 64)),
    Forgery("V9", "a report of another program", put("checks.run", "report.program", "0" * 64)),
    Forgery("V9", "checks in another order", lambda facts: nth(facts, "checks.run")["report"]["results"].reverse()),
    Forgery("V9", "a confirmation is missing", drop("checks.run", 2), REPAIRED),
    Forgery("V9", "calls of a strange unit", put("calls.recorded", "recording.calls.0.unit", "other")),
    Forgery("V9", "a verdict of the gate on a run", put("checks.run", "report.results.0.outcome", "policy-reject")),
    Forgery("V10", "a finding left out", drop("findings.added")),
    Forgery("V10", "a finding of no evidence", double("findings.added")),
    Forgery("V10", "verdict of a finding", put("findings.added", "findings.0.verdict", "accept")),
    Forgery("V10", "version of a finding", put("findings.added", "findings.0.versions.0.code", "0" * 64)),
    Forgery("V10", "id of a finding", put("findings.added", "findings.0.id", "F7")),
    Forgery("V10", "source of findings", put("findings.added", "source", "checks")),
    Forgery("V10", "another recorded result", put("calls.recorded", "recording.calls.0.result", 6)),
    Forgery("V11", "another owner", put("repair.started", "localization.implicated", ["S0"])),
    Forgery("V11", "another grade", put("repair.started", "localization.grade", "high")),
    Forgery("V11", "no evidence on the anchor", drop("calls.recorded"), REPAIRED),
    Forgery("V12", "a wider scope", put("repair.started", "scope.nodes", ["S0", "S1"])),
    Forgery("V12", "an abstention instead", put("repair.started", "scope.abstained", "not-localized")),
    Forgery("V13", "a wider final scope", put("scope.declared", "scope.nodes", ["S0", "S1"])),
    Forgery("V13", "a unit that is not frozen", put("scope.declared", "frozen", [])),
    Forgery("V13", "an expansion that nothing needs",
            lambda facts: nth(facts, "scope.declared")["scope"].update(
                expansions=[{"unit": "<entry>", "owner": "S0", "reason": "for good measure"}])),
    Forgery("V14", "a candidate that crosses the border ran", run_across_the_border),
    Forgery("V14", "a violation that is none",
            put("repair.ended", "transaction.violations", [{"unit": "<entry>", "owner": "S0", "change": "changed"}])),
    Forgery("V15", "a better rank", put("candidate.ranked", "rank.external", 2)),
    Forgery("V15", "not the program", put("candidate.ranked", "active", False)),
    Forgery("V15", "rank before a repair", put("repair.ended", "transaction.before.external", 1)),
    Forgery("V15", "a candidate that was never ranked", drop("candidate.ranked"), PLANNED),
    Forgery("V16", "rolled back instead", put("repair.ended", "transaction.decision", "rolled-back")),
    Forgery("V16", "accepted instead", put("repair.ended", "transaction.decision", "accepted"), ROLLED_BACK),
    Forgery("V16", "another reason", put("repair.ended", "transaction.reason", "it looked better")),
    Forgery("V17", "another snapshot", put("repair.started", "snapshot", "0" * 64)),
    Forgery("V17", "another restored state", put("repair.ended", "transaction.restored", "0" * 64), ROLLED_BACK),
    Forgery("V18", "no re-verification", drop("nodes.reverified")),
    Forgery("V18", "another node re-verified", put("nodes.reverified", "nodes", ["S1"])),
    Forgery("V18", "a rejection kept silent", put("nodes.reverified", "findings", ["F1"])),
    Forgery("V19", "more repairs than allowed", put("run.started", "config.k", 1), ROLLED_BACK),
    Forgery("V19", "a run that stopped early", put("run.started", "config.k", 9), ROLLED_BACK),
    Forgery("V19", "a plan attempt left out", leave_out_an_attempt, PLANNED),
    Forgery("V20", "another final rank", put("run.finished", "rank.clean", 1)),
    Forgery("V20", "another final program", put("run.finished", "program", "0" * 64)),
    Forgery("V20", "another reason to end", put("run.finished", "reason", "time is up")),
)  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: f"{forgery.check}: {forgery.what}")
def test_a_forged_fact_fails_its_check(forgery: Forgery) -> None:
    facts = facts_of(forgery.run)
    forgery.change(facts)
    found = audit(sealed(facts))
    failed = {check.value for check in found.failed}
    assert forgery.check in failed, found.differences
    assert not failed & {"V1", "V21"}
    assert not found.verified


@pytest.mark.parametrize("run", sorted({forgery.run for forgery in FORGERIES}), ids=lambda run: run.name)
def test_the_runs_that_are_forged_verify_as_they_are(run: Path) -> None:
    assert audit(sealed(facts_of(run))).verified


def test_every_check_that_recomputes_has_a_forgery() -> None:
    assert {forgery.check for forgery in FORGERIES} == {f"V{number}" for number in range(2, 21)}


@pytest.mark.parametrize("name", ["record", "program"])
def test_outputs_that_are_missing_or_of_another_moment_fail_v21(name: str) -> None:
    ledger = read_ledger(EXAMPLE)
    right = expected_outputs(fold_ledger(ledger))
    early = expected_outputs(fold_ledger(ledger, 20))
    for forged in (right._replace(**{name: None}), right._replace(**{name: getattr(early, name)})):
        found = verify_chain(Chain(ledger, None), outputs=forged)
        assert {check.value for check in found.failed} == {"V21"}, forged


def test_an_unfinished_run_is_verified_as_far_as_it_went() -> None:
    entries = read_ledger(ROLLED_BACK).entries
    for count in range(1, len(entries)):
        found = verify_chain(Chain(Ledger(entries[:count]), None), outputs=Outputs(None, None))
        assert (found.differences, found.status, found.verified) == ((), "unfinished", False)
