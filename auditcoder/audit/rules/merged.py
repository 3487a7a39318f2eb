"""V5 of programs that are put together from several answers: every step of a bottom-up pass is made again.

What ran for a function follows from the answer right before it, the checks from the answer that derived them, and the
program that comes out from the recorded verdicts (MGDebugger; `core.bottom_up`).
"""

from __future__ import annotations

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.rule import Rule, rule
from auditcoder.audit.rules.order import plan_of
from auditcoder.audit.walk import Walk
from auditcoder.core.bottom_up import (
    TREE,
    BottomUp,
    Part,
    definitions,
    label,
    root_name,
    takes_visible,
    unit_entry,
    unit_program,
    wanted_name,
)
from auditcoder.core.call_graph import RepairUnit
from auditcoder.core.fenced import answered_code
from auditcoder.core.parsing import Refusal
from auditcoder.core.rank import passed_checks, rank_of
from auditcoder.core.sub_checks import MOST, answered_checks, checkable, comparator_of, read_sub_checks
from auditcoder.errors import RecordError
from auditcoder.records.events import CodeWritten, ModelCalled, ProgramProbed, RoundStarted
from auditcoder.records.graph import ROOT
from auditcoder.records.task import Check, EntryPoint

_V = AuditCheck.CODE
METHOD = "mgdebugger"
"""The one method that puts programs together."""


def began(walk: Walk, event: RoundStarted) -> None:
    """V5. A round of the method is a pass from its first program, or from its last one."""
    if walk.started.config.method != METHOD:
        return
    graph = plan_of(walk)
    from_last = dict(walk.started.config.options).get("continue_from_last") is True
    start = walk.candidate(len(walk.state.candidates) - 1 if from_last else 0)
    if graph is None or start.rank is None or ROOT not in start.codes:
        raise RecordError("there is no program that the pass begins from")
    source = start.codes[ROOT].source
    walk.bottom_up = BottomUp(walk.started.task, graph, source, passed_checks(start.rank))


def probed(walk: Walk, event: ProgramProbed) -> None:
    """V5. What runs is the tree or a function as the answer right before has it, on the checks that belong to it."""
    if walk.started.config.method != METHOD:
        return
    state, task = walk.bottom_up, walk.started.task
    if state is None:
        raise RecordError("no pass has begun that the run belongs to")
    if event.what == TREE:
        part = _taken(state.tree(_answer(walk, "decomposer", root_name(task))))
        _ran(walk, event, part.assembly.program, task.entry, walk.checks)
        walk.holds(_V, state.begun == 0, "the tree is run before its functions")
        state.divide(part, passed_checks(rank_of(event.report, walk.checks)))
        return
    unit = next((unit for unit in state.units if label(unit) == event.what), None)
    if unit is None:
        raise RecordError(f"there is no function {event.what!r} to repair")
    if unit != state.unit:
        walk.holds(_V, state.units.index(unit) >= state.begun, "functions are repaired callees first, each once")
        part = state.begin(unit)
        state.checks = _checks(walk, unit, part)
    else:
        walk.holds(_V, not state.done, "a function that passes its checks is not repaired", recorded=event.what)
        part = _taken(state.fixed(_answer(walk, "debugger", wanted_name(task, unit))))
    _ran(walk, event, unit_program(task, unit, part.assembly), unit_entry(task, unit), state.checks)
    state.ran(part, event.report)


def written(walk: Walk, event: CodeWritten) -> None:
    """V5. The program that is put together has the best version of every function."""
    if event.how != "merged":
        return
    state, walk.bottom_up = walk.bottom_up, None
    if walk.holds(_V, state is not None, "a program is put together at the end of a bottom-up pass") and state:
        walk.same(_V, "program put together", event.code.source, state.settle())


def _ran(walk: Walk, event: ProgramProbed, program: str, entry: EntryPoint, checks: tuple[Check, ...]) -> None:
    walk.same(_V, f"program run for {event.what}", event.program, program)
    walk.same(_V, f"entry of {event.what}", event.entry, entry)
    walk.same(_V, f"checks of {event.what}", event.checks, checks)


def _answer(walk: Walk, agent: str, wanted: str) -> str:
    """Return the code of the call right before this event.

    Raises:
        RecordError: it is no call of that agent.
        UnusableAnswerError: it holds no code.
    """
    call = walk.previous
    if not isinstance(call, ModelCalled) or call.agent != agent:
        raise RecordError(f"what runs does not follow an answer of the {agent}")
    return answered_code(call.request, call.response, wanted)


def _taken(outcome: Part | Refusal) -> Part:
    if isinstance(outcome, Refusal):
        raise RecordError(f"the answer before cannot be used: {outcome.reason}")
    return outcome


def _checks(walk: Walk, unit: RepairUnit, part: Part) -> tuple[Check, ...]:
    """Return the checks of a unit: the visible ones, or those in the last answer that derived any."""
    task, call = walk.started.task, walk.last_call
    if takes_visible(task, unit, str(dict(walk.started.config.options).get("root_checks", "visible"))):
        return walk.checks
    function = checkable(definitions(part.source).get(unit.entry))
    if isinstance(function, str) or call is None or call.agent != "check-writer":
        raise RecordError(f"no answer before gives checks of {unit.entry}")
    texts = answered_checks(call.response, min(MOST, len(walk.checks)))
    return read_sub_checks(function, texts, comparator_of(task, walk.checks))[0]


RULES: tuple[Rule, ...] = (
    rule(_V, RoundStarted, began),
    rule(_V, ProgramProbed, probed),
    rule(_V, CodeWritten, written),
)
