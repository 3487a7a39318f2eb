"""All suites by name: how to load their tasks, which there are, their hidden tests, and what is known against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from auditcoder.errors import TaskError
from auditcoder.eval.hidden.lookup import BUILDERS, Builder
from auditcoder.eval.suites import (
    apps,
    bigcodebench,
    classeval,
    humaneval,
    humanevalet,
    humanevalfix,
    livecodebench,
    mbpp,
    qf,
    quixbugs,
    scicode,
)
from auditcoder.eval.suites.aerocomm import suite as aerocomm
from auditcoder.eval.suites.data import data_folder
from auditcoder.records.task import Task

Data = Path | str | None
Loader = Callable[[Sequence[str] | None, Data], tuple[Task, ...]]


class Suite(NamedTuple):
    """One benchmark."""

    load: Loader
    """Ids within the suite (all for None) and the folder of the packs, to tasks in that order."""
    ids: Callable[[Data], tuple[str, ...]]
    """All ids, in the suite's order."""
    hidden: Builder
    """An id within the suite, to its hidden tests."""
    defective: Mapping[str, str] = {}
    """Tasks on which a verdict says nothing about the program, and why."""
    needs: Callable[[str, Data], tuple[str, ...]] = lambda task_id, data: ()
    """An id, to the packages that its programs and tests need in the sandbox."""
    untested: Callable[[Data], Mapping[str, str]] = lambda data: {}
    """Tasks whose hidden tests the data does not hold, and why."""

    def chosen(self, data: Data = None, *, include_defective: bool = False) -> tuple[str, ...]:
        """Return the ids that a run over the whole suite takes: those with tests, defective ones only when asked for.

        Raises:
            TaskError: the data is absent or malformed.
        """
        left_out = {*self.untested(data), *(() if include_defective else self.defective)}
        return tuple(one for one in self.ids(data) if one not in left_out)

    def missing(self, task_id: str, data: Data = None) -> tuple[str, ...]:
        """Return the packages that a task needs and that are not installed."""
        return tuple(name for name in self.needs(task_id, data) if find_spec(name) is None)


def _numbers(ids: Sequence[str] | None) -> list[int] | None:
    if ids is None:
        return None
    wrong = [one for one in ids if not one.isdecimal()]
    if wrong:
        raise TaskError(f"there is no task {wrong[0]}", hint="Tasks of this suite have numbers.", field="id")
    return [int(one) for one in ids]


def _apps_ids(data: Data) -> tuple[str, ...]:
    return tuple(str(number) for number in sorted(apps.rows_by_id(data_folder(data) / "apps")))


SUITES: dict[str, Suite] = {
    "aerocomm": Suite(aerocomm.load, lambda data: tuple(aerocomm.PRIMITIVES), BUILDERS["aerocomm"]),
    "apps": Suite(lambda ids, data: apps.load(_numbers(ids), data), _apps_ids, BUILDERS["apps"], apps.DEFECTIVE),
    "bigcodebench": Suite(
        bigcodebench.load,
        lambda data: tuple(bigcodebench.rows(data_folder(data) / bigcodebench.NAME)),
        BUILDERS["bigcodebench"],
        needs=bigcodebench.needs,
    ),
    "classeval": Suite(
        classeval.load,
        lambda data: tuple(classeval.rows(data_folder(data) / classeval.NAME)),
        BUILDERS["classeval"],
        classeval.DEFECTIVE,
        lambda task_id, data: classeval.NEEDS.get(task_id, ()),
    ),
    "humaneval": Suite(
        lambda ids, data: humaneval.load(_numbers(ids), data),
        lambda data: tuple(map(str, humaneval.numbers(data))),
        BUILDERS["humaneval"],
    ),
    "humanevalet": Suite(
        humanevalet.load,
        lambda data: tuple(humanevalet.rows(data_folder(data) / "humaneval")),
        BUILDERS["humanevalet"],
        humanevalet.DEFECTIVE,
    ),
    "humanevalfix": Suite(
        humanevalfix.load,
        lambda data: tuple(humanevalfix.rows(data_folder(data) / humanevalfix.NAME)),
        BUILDERS["humanevalfix"],
    ),
    "livecodebench": Suite(
        livecodebench.load,
        lambda data: tuple(livecodebench.rows(data_folder(data) / livecodebench.NAME)),
        BUILDERS["livecodebench"],
    ),
    "mbpp": Suite(
        mbpp.load,
        lambda data: tuple(mbpp.rows(data_folder(data) / mbpp.NAME / mbpp.FILE)),
        BUILDERS["mbpp"],
        mbpp.DEFECTIVE,
    ),
    "qf": Suite(
        qf.load,
        qf.ids,
        BUILDERS["qf"],
        needs=lambda task_id, data: qf.NEEDS.get(task_id, ()),
        untested=qf.untested,
    ),
    "quixbugs": Suite(
        quixbugs.load, lambda data: tuple(quixbugs.rows(data_folder(data) / quixbugs.NAME)), BUILDERS["quixbugs"]
    ),
    "scicode": Suite(
        scicode.load,
        lambda data: tuple(scicode.rows(data_folder(data) / scicode.NAME / scicode.STEPS)),
        BUILDERS["scicode"],
        scicode.DEFECTIVE,
        lambda task_id, data: ("numpy", "scipy"),
        scicode.untested,
    ),
}


def suite(name: str) -> Suite:
    """Return the suite of this name.

    Raises:
        TaskError: there is none.
    """
    if name not in SUITES:
        raise TaskError(f"there is no suite {name!r}", hint=f"Suites: {', '.join(sorted(SUITES))}.", field="suite")
    return SUITES[name]
