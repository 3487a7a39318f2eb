"""One row of the study: inject, gather evidence, localize, select a scope, look whether the fault's owner is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import get_args

from auditcoder.core.case import LocateInputs
from auditcoder.core.locate import locate
from auditcoder.core.protocols import Executor, PredicateEvaluator
from auditcoder.core.scope import select_scope
from auditcoder.eval.containment.evidence import ARMS, EVIDENCE, Arm, Gathered, gather
from auditcoder.eval.containment.injection import Fault, inject
from auditcoder.eval.containment.mutators.catalogue import AIMS
from auditcoder.eval.containment.mutators.edit import Aim
from auditcoder.eval.containment.rows import Located, Row
from auditcoder.eval.containment.screening import screened
from auditcoder.eval.containment.subject import Subject
from auditcoder.records.code import Assembly
from auditcoder.records.localization import Policy

POLICIES: tuple[Policy, ...] = get_args(Policy)


def measure(
    subjects: Sequence[Subject],
    seed: int,
    executor: Executor,
    evaluator: PredicateEvaluator,
    done: frozenset[tuple[str, str, int]] = frozenset(),
) -> Iterator[Row]:
    """Yield one row for every program and aim that is not done yet; a program with one owner gets one aim only.

    The aims take turns, so that a run that is stopped has rows of all programs.

    Raises:
        SandboxError: the isolation failed.
    """
    fit: dict[str, Subject] = {}
    for aim in AIMS:
        for subject in subjects:
            if (subject.id, aim, seed) in done or aim not in aims_of(subject, seed):
                continue
            if subject.id not in fit:
                fit[subject.id] = screened(subject, executor).subject
            yield _row(fit[subject.id], aim, seed, executor, evaluator)


def aims_of(subject: Subject, seed: int) -> tuple[Aim, ...]:
    """Return what the faults of a program aim at: everything in turn, or one aim by seed where it has one owner."""
    return AIMS if len(subject.graph.owners) > 1 else (Random(f"{seed}/{subject.id}").choice(AIMS),)


def _row(subject: Subject, aim: Aim, seed: int, executor: Executor, evaluator: PredicateEvaluator) -> Row:
    fault = inject(subject, aim, seed, executor) if subject.checks or subject.reserve else None
    if fault is None:
        return Row(subject=subject.id, pack=subject.pack, aim=aim, seed=seed, nodes=len(subject.graph.owners),
                   checks=len(subject.checks) + len(subject.reserve))  # fmt: skip
    return row_of(fault, gather(fault, executor, evaluator), seed, evaluator)


def row_of(fault: Fault, gathered: Gathered, seed: int, evaluator: PredicateEvaluator) -> Row:
    """Return the row of a fault with its evidence."""
    subject = fault.subject
    return Row(
        subject=subject.id,
        pack=subject.pack,
        aim=fault.aim,
        seed=seed,
        place=subject.place(fault.part.owner),
        mutator=fault.mutator,
        unit=fault.part.unit,
        owner=fault.part.owner,
        failure=gathered.anchor.failure or "",
        nodes=len(subject.graph.owners),
        lines=_lines_of(gathered.active.assembly, [node.id for node in subject.graph.owners]),
        checks=len(fault.checks),
        failing=sum(result.outcome != "pass" for result in fault.report.results),
        examples=len(subject.examples),
        suspects=gathered.suspects.common,
        left=gathered.suspects.left,
        located=tuple(_located(fault, gathered, arm, policy, evaluator) for arm in ARMS for policy in POLICIES),
    )


def _located(fault: Fault, gathered: Gathered, arm: Arm, policy: Policy, evaluator: PredicateEvaluator) -> Located:
    findings = gathered.findings(arm)
    anchor = gathered.anchor.check.id
    inputs = LocateInputs(
        active=gathered.active,
        report=fault.report,
        checks=fault.checks,
        findings=findings,
        recording=next((run.recording for run in gathered.runs if run.check == anchor), None),
        measurement=gathered.measurement,
        policy=policy,
        evidence=EVIDENCE[arm],
    )
    found = locate(inputs, evaluator)
    scope = select_scope(found, gathered.active.graph, gathered.active.assembly, findings)
    return Located(
        arm=arm,
        policy=policy,
        rule=found.rule or "",
        defect=found.defect or "",
        grade=found.grade or "",
        action=scope.action or "",
        abstained=found.abstained or scope.abstained,
        implicated=found.implicated,
        scope=scope.nodes,
        lines=_lines_of(gathered.active.assembly, scope.nodes),
    )


def _lines_of(assembly: Assembly, owners: Iterable[str]) -> int:
    wanted = set(owners)
    return sum(entry.last - entry.first + 1 for entry in assembly.lines if entry.owner in wanted)
