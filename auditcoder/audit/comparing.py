"""Two runs, or two states of one run, compared: pure functions over their ledgers (core.md section 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any, Literal

from auditcoder.audit.comparison import (
    CheckPair,
    Comparison,
    FieldChange,
    FindingCount,
    NodeChange,
    RepairFacts,
    RepairPair,
    Section,
    UnitChange,
    UsagePair,
)
from auditcoder.audit.parting import parting
from auditcoder.audit.showing import first_difference
from auditcoder.core.naming import id_key
from auditcoder.ledger.chain import Ledger
from auditcoder.ledger.fold import fold_ledger
from auditcoder.records.base import Record
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.config import ROLES, Role
from auditcoder.records.execution import CheckResult
from auditcoder.records.run import RunRecord, Usage
from auditcoder.records.transaction import Transaction

PROGRAM = "<program>"
_TOTAL: Literal["total"] = "total"


def compare(one: Ledger, other: Ledger) -> Comparison:
    """Return everything in which two runs differ, section by section.

    Raises:
        RecordError: one of the ledgers does not begin with the start of a run.
    """
    left, right = fold_ledger(one), fold_ledger(other)
    aligned = left.task == right.task and left.config == right.config
    found = Comparison(
        different=(),
        task=fields_of(left.task, right.task),
        settings=_settings(left, right),
        plan=_plan(left, right),
        nodes=tuple(_nodes(left, right)),
        program=tuple(program_changes(left.assembly, right.assembly)),
        checks=tuple(_checks(left, right)),
        rank_one=left.rank,
        rank_other=right.rank,
        findings=tuple(_findings(left, right)),
        repairs=tuple(_repairs(left, right)),
        usage=tuple(_usage(left, right)),
        ending=_ending(left, right),
        aligned=aligned,
        parting=parting(one.entries, other.entries) if aligned else None,
    )
    return found.model_copy(update={"different": tuple(_different(found))})


def _different(found: Comparison) -> Iterator[Section]:
    differs: dict[Section, bool] = {
        "task": bool(found.task),
        "settings": bool(found.settings),
        "plan": bool(found.plan or found.nodes),
        "program": bool(found.program),
        "checks": not all(pair.same for pair in found.checks),
        "rank": found.rank_one != found.rank_other,
        "findings": any(count.one != count.other for count in found.findings),
        "repairs": any(pair.one != pair.other for pair in found.repairs),
        "usage": any(usage_differs(pair) for pair in found.usage),
        "ending": bool(found.ending),
        "events": found.parting is not None,
    }
    for section, differing in differs.items():
        if differing:
            yield section


def usage_differs(pair: UsagePair) -> bool:
    """Return whether the calls of a role differ in number, failures or tokens."""
    return any(one != other for one, other in (pair.calls, pair.failed, pair.prompt_tokens, pair.completion_tokens))


def fields_of(one: Record, other: Record) -> tuple[FieldChange, ...]:
    """Return the fields in which two records of one kind differ, each with its first place."""
    return _changes({name: (getattr(one, name), getattr(other, name)) for name in type(one).model_fields})


def _changes(pairs: Mapping[str, tuple[Any, Any]]) -> tuple[FieldChange, ...]:
    found: list[FieldChange] = []
    for name, (one, other) in pairs.items():
        place = first_difference(one, other)
        if place is not None:
            path = name + (place.path if place.path.startswith("[") or not place.path else f".{place.path}")
            found.append(FieldChange(path=path, one=place.recorded, other=place.recomputed, more=place.more))
    return tuple(found)


def _settings(left: RunRecord, right: RunRecord) -> tuple[FieldChange, ...]:
    ours, theirs = dict(left.models), dict(right.models)
    roles = sorted(ours.keys() | theirs.keys())
    return (
        *fields_of(left.config, right.config),
        *_changes({f"models.{role}": (ours.get(role), theirs.get(role)) for role in roles}),
        *_changes({"version": (left.version, right.version), "format": (left.format, right.format)}),
        *_changes({"isolation": (left.isolation, right.isolation)}),
    )


def _ending(left: RunRecord, right: RunRecord) -> tuple[FieldChange, ...]:
    """Return how the endings differ; a run that has not ended has no reason that could."""
    both = bool(left.reason and right.reason)
    reasons = {"reason": (left.reason, right.reason)} if both else {}
    return _changes({"status": (left.status, right.status), **reasons})


def _plan(left: RunRecord, right: RunRecord) -> tuple[FieldChange, ...]:
    if left.graph is None or right.graph is None:
        return ()
    return _changes(
        {
            "order": (left.graph.order, right.graph.order),
            "decisions": (left.graph.decisions, right.graph.decisions),
        }
    )


def _nodes(left: RunRecord, right: RunRecord) -> Iterator[NodeChange]:
    ours = {node.id: node for node in (left.graph.nodes if left.graph else ())}
    theirs = {node.id: node for node in (right.graph.nodes if right.graph else ())}
    for node in sorted(ours.keys() | theirs.keys(), key=id_key):
        if node not in theirs:
            yield NodeChange(node=node, change="only in one")
        elif node not in ours:
            yield NodeChange(node=node, change="only in other")
        elif fields := fields_of(ours[node], theirs[node]):
            yield NodeChange(node=node, change="changed", fields=fields)


def program_changes(one: Assembly | None, other: Assembly | None) -> Iterator[UnitChange]:
    """Yield the units that differ between two programs, in the order of the first, then what only the second has.

    A method has no place of its own in a program: it is compared as part of its class.
    """
    ours, theirs = _units(one), _units(other)
    differing = [_unit_change(name, ours.get(name), theirs.get(name)) for name in {**ours, **theirs}]
    found = [change for change in differing if change is not None]
    yield from found
    texts = (one.program if one else "", other.program if other else "")
    if not found and texts[0] != texts[1]:
        yield UnitChange(unit=PROGRAM, change="changed", diff=_diff(*texts))


def _units(assembly: Assembly | None) -> dict[str, CodeUnit]:
    return {unit.name: unit for unit in (assembly.units if assembly else ()) if unit.kind != "method"}


def _unit_change(name: str, one: CodeUnit | None, other: CodeUnit | None) -> UnitChange | None:
    if one is not None and other is not None and (one.text, one.owner) == (other.text, other.owner):
        return None
    change: Literal["only in one", "only in other", "changed", "other owner"] = "changed"
    if one is None or other is None:
        change = "only in other" if one is None else "only in one"
    elif one.text == other.text:
        change = "other owner"
    return UnitChange(
        unit=name,
        change=change,
        owner_one=one.owner if one else "",
        owner_other=other.owner if other else "",
        diff=_diff(one.text if one else "", other.text if other else ""),
    )


def _diff(one: str, other: str) -> tuple[str, ...]:
    lines = unified_diff(one.splitlines(), other.splitlines(), lineterm="")
    return tuple(line for number, line in enumerate(lines) if number > 1)


def _checks(left: RunRecord, right: RunRecord) -> Iterator[CheckPair]:
    ours, theirs = ({check.id: check for check in record.checks} for record in (left, right))
    mine, its = ({r.check: r for r in record.report.results} if record.report else {} for record in (left, right))
    for check in {**ours, **theirs}:
        defined: Literal["same", "differently", "only in one", "only in other"] = "same"
        if check not in ours or check not in theirs:
            defined = "only in one" if check in ours else "only in other"
        elif ours[check] != theirs[check]:
            defined = "differently"
        one, other = mine.get(check), its.get(check)
        same = defined == "same" and _verdict(one) == _verdict(other)
        yield CheckPair(check=check, one=_outcome(one), other=_outcome(other), same=same, defined=defined)


def _verdict(result: CheckResult | None) -> object:
    return result and (result.outcome, result.detail, result.has_observed, repr(result.observed))


def _outcome(result: CheckResult | None) -> str:
    return f"{result.outcome} {result.detail}".strip() if result else ""


def _findings(left: RunRecord, right: RunRecord) -> Iterator[FindingCount]:
    ours, theirs = (Counter((f.obligation.kind, f.evidence, f.verdict) for f in r.findings) for r in (left, right))
    for key in sorted(ours.keys() | theirs.keys()):
        kind, evidence, verdict = key
        yield FindingCount(kind=kind, evidence=evidence, verdict=verdict, one=ours[key], other=theirs[key])


def _repairs(left: RunRecord, right: RunRecord) -> Iterator[RepairPair]:
    ours, theirs = ({done.index: repair_facts(done) for done in record.transactions} for record in (left, right))
    for index in sorted(ours.keys() | theirs.keys()):
        yield RepairPair(index=index, one=ours.get(index), other=theirs.get(index))


def repair_facts(done: Transaction) -> RepairFacts:
    """Return what decides about a transaction, without its hashes (which hold times of runs)."""
    where, scope = done.localization, done.scope
    diagnosis = ", ".join(part for part in (where.rule, where.defect, where.grade) if part)
    abstained = where.abstained or scope.abstained
    return RepairFacts(
        localization=f"abstained: {abstained}" if abstained else f"{where.failure} at {where.anchor}: {diagnosis}",
        action=scope.action or "",
        nodes=scope.nodes,
        expansions=tuple(expansion.unit for expansion in scope.expansions),
        decision=done.decision,
        before=done.before,
        after=done.after,
    )


def _usage(left: RunRecord, right: RunRecord) -> Iterator[UsagePair]:
    ours, theirs = ({row.role: row for row in record.usage} for record in (left, right))
    asked: list[Role | Literal["total"]] = [role for role in ROLES if role in ours or role in theirs]
    for role in (*asked, _TOTAL):
        one, other = ours.get(role, Usage(role=role)), theirs.get(role, Usage(role=role))
        yield UsagePair(
            role=role,
            calls=(one.calls, other.calls),
            failed=(one.failed, other.failed),
            prompt_tokens=(one.prompt_tokens, other.prompt_tokens),
            completion_tokens=(one.completion_tokens, other.completion_tokens),
        )
