"""The tasks of AeroComm-Small8, with their public specifications and visible calls only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auditcoder.eval.suites.aerocomm import (
    convolutional,
    crc16,
    hohmann,
    kepler,
    path_loss,
    qpsk,
    quaternion,
    vis_viva,
)
from auditcoder.eval.suites.aerocomm.primitive import Case, Primitive
from auditcoder.eval.suites.data import picked
from auditcoder.records.task import Check, Comparator, EntryPoint, Expected, FunctionInput, Task
from auditcoder.records.values import encode
from auditcoder.tasks.signatures import parse_signature

NAME = "aerocomm"
_MODULES = (vis_viva, hohmann, kepler, quaternion, qpsk, path_loss, crc16, convolutional)
PRIMITIVES: dict[str, Primitive] = {module.PRIMITIVE.id: module.PRIMITIVE for module in _MODULES}


def load(ids: Sequence[str] | None = None, data_dir: Path | str | None = None) -> tuple[Task, ...]:
    """Return the tasks with these names in their order, or all eight; they need no data.

    Raises:
        TaskError: a name is not there.
    """
    return tuple(_task(primitive) for _, primitive in picked(PRIMITIVES, ids, Path(NAME)))


def _task(primitive: Primitive) -> Task:
    sources = "\n".join(f"- {source}" for source in primitive.sources)
    examples = [call_check(f"example-{number}", case) for number, case in enumerate(primitive.visible, start=1)]
    return Task(
        id=f"{NAME}-{primitive.id}",
        statement=f"{primitive.statement}\nUse the standard library only.\n\nSources:\n{sources}\n",
        entry=EntryPoint(
            kind="function", name=primitive.name, signature=parse_signature(primitive.signature).signature
        ),
        examples=tuple(examples),
    )


def call_check(check_id: str, case: Case) -> Check:
    """Return the check of a case that has a result."""
    return Check(
        id=check_id,
        input=FunctionInput(args=tuple(encode(arg) for arg in case.args)),
        expected=Expected(value=encode(case.result), has_value=True),
        comparator=Comparator(rel_tol=case.rel, abs_tol=case.absolute),
    )
