"""All mutators, by what they aim at."""

from __future__ import annotations

from auditcoder.eval.containment.mutators.arguments import SwappedArguments, SwappedUnitArguments
from auditcoder.eval.containment.mutators.arity import WrongArity
from auditcoder.eval.containment.mutators.boundaries import OffByOne
from auditcoder.eval.containment.mutators.burdens import QuadraticWork
from auditcoder.eval.containment.mutators.comparisons import OtherComparison
from auditcoder.eval.containment.mutators.conditions import OtherCondition
from auditcoder.eval.containment.mutators.constants import OtherConstant
from auditcoder.eval.containment.mutators.edit import Aim, Mutator
from auditcoder.eval.containment.mutators.growth import DoubledMemory
from auditcoder.eval.containment.mutators.indexing import ShiftedIndex
from auditcoder.eval.containment.mutators.keys import MissingKey
from auditcoder.eval.containment.mutators.nothing import NoneValue
from auditcoder.eval.containment.mutators.operand_types import WrongOperandType
from auditcoder.eval.containment.mutators.operators import OtherOperator
from auditcoder.eval.containment.mutators.results import WrongResult
from auditcoder.eval.containment.mutators.shapes import OtherShape
from auditcoder.eval.containment.mutators.stalls import StalledLoop
from auditcoder.eval.containment.mutators.statements import DroppedStatement

AIMS: tuple[Aim, ...] = ("wrong-answer", "exception", "interface", "timeout", "memory")
MUTATORS: tuple[Mutator, ...] = (
    OtherOperator(),
    OtherComparison(),
    OtherConstant(),
    OffByOne(),
    OtherCondition(),
    DroppedStatement(),
    WrongResult(),
    SwappedArguments(),
    ShiftedIndex(),
    MissingKey(),
    NoneValue(),
    WrongArity(),
    WrongOperandType(),
    OtherShape(),
    SwappedUnitArguments(),
    StalledLoop(),
    QuadraticWork(),
    DoubledMemory(),
)


def mutators_for(aim: Aim) -> tuple[Mutator, ...]:
    """Return the mutators that aim at one kind of failure."""
    return tuple(mutator for mutator in MUTATORS if mutator.aim == aim)
