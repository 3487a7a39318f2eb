"""Builds the program out of its parts and runs it on one task."""

from __future__ import annotations

from collections.abc import Mapping

import dspy

import auditcoder
from auditcoder.backbones.context import call_context
from auditcoder.core.formats import needed_format
from auditcoder.core.protocols import Executor, Journal, PredicateEvaluator
from auditcoder.core.spending import spending_of
from auditcoder.programs.boundary import CheckDesigner
from auditcoder.programs.branch_planning import BranchPlanner, BranchPlanning
from auditcoder.programs.construction import Construction
from auditcoder.programs.feedback import Feedback
from auditcoder.programs.investigation import Investigation
from auditcoder.programs.local_checks import LocalCheckDesigner
from auditcoder.programs.methods import build_method
from auditcoder.programs.node_generator import NodeGenerator
from auditcoder.programs.orchestrator import Orchestrator
from auditcoder.programs.pipeline import AuditCoder
from auditcoder.programs.planner import Planner
from auditcoder.programs.planning import Planning
from auditcoder.programs.regeneration import Regeneration
from auditcoder.programs.regenerator import Regenerator
from auditcoder.programs.renegotiation import Renegotiation, Renegotiator
from auditcoder.programs.repair import Repair
from auditcoder.programs.replanner import Replanner
from auditcoder.programs.reviewer import Reviewer
from auditcoder.programs.session import Candidate, Session
from auditcoder.programs.verifier import Verifier
from auditcoder.programs.whole_repair import WholeRepair
from auditcoder.records.config import ROLES, ModelFacts, Role, RunConfig
from auditcoder.records.events import RunStarted
from auditcoder.records.task import Task
from auditcoder.sandbox.predicates import check_expression


def build_program(config: RunConfig, lms: Mapping[Role, dspy.LM]) -> AuditCoder:
    """Return the variant of the program that a configuration asks for, with every role's backbone set."""
    planner, reviewer, replanner, local_checks = Planner(), Reviewer(), Replanner(), LocalCheckDesigner()
    renegotiator, branch_planner = Renegotiator(), BranchPlanner()
    generator, orchestrator = NodeGenerator(generic=config.agents == "generic"), Orchestrator()
    verifier, regenerator, designer = Verifier(), Regenerator(), CheckDesigner()
    roles: Mapping[Role, tuple[dspy.Module, ...]] = {
        "planner": (planner, designer, local_checks),
        "reviewer": (reviewer,),
        "generator": (generator,),
        "orchestrator": (orchestrator,),
        "verifier": (verifier,),
        "regenerator": (regenerator,),
        "replanner": (replanner, renegotiator, branch_planner),
    }
    for role, modules in roles.items():
        for module in modules:
            module.set_lm(lms[role])
    investigation, feedback = Investigation(verifier), Feedback()
    bounded = Repair(
        investigation,
        feedback,
        Renegotiation(renegotiator),
        BranchPlanning(branch_planner, check_expression),
        Regeneration(regenerator, generator, orchestrator),
    )
    return AuditCoder(
        designer,
        Planning(planner, reviewer, replanner, local_checks, check_expression),
        Construction(generator, orchestrator),
        WholeRepair(investigation, feedback, regenerator, generator) if config.repair == "whole" else bounded,
    )


def solve_task(
    task: Task,
    config: RunConfig,
    *,
    journal: Journal,
    executor: Executor,
    evaluator: PredicateEvaluator,
    lms: Mapping[Role, dspy.LM],
    facts: Mapping[Role, ModelFacts],
) -> Candidate:
    """Return the final candidate; the journal holds the whole record.

    Args:
        task: The task.
        config: The resolved configuration.
        journal: The ledger, new or resumed.
        executor: The sandbox.
        evaluator: The metered evaluator of predicates.
        lms: One backbone a role.
        facts: What identifies them in the record; the strength of the generator's decides how `auto` begins.

    Raises:
        ConfigError: an option of the method is unknown, or its value is not allowed.
        BackboneError: a backbone cannot be used at all.
        SandboxError: the isolation failed.
        LedgerError: the ledger cannot be written, or a resumed run diverged.
    """
    program = build_program(config, lms) if config.method == "auditcoder" else build_method(config, lms)
    journal.emit(
        RunStarted(
            format=needed_format(config),
            version=auditcoder.__version__,
            task=task,
            config=config,
            config_hash=config.content_hash(),
            models=tuple((role, facts[role]) for role in ROLES),
            isolation=executor.isolation(),
        )
    )
    session = Session(task, config, journal, executor, evaluator, weak=facts["generator"].strength == "weak")
    with call_context(spending=spending_of(config)):
        return program(session)
