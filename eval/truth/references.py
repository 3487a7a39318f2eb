"""The reference solutions that the packs hold, as whole programs. Evaluation only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from auditcoder.eval.hidden.qf import published
from auditcoder.eval.suites import bigcodebench, classeval, humaneval, humanevalet, humanevalfix, mbpp, qf, quixbugs
from auditcoder.eval.suites.aerocomm.suite import PRIMITIVES
from auditcoder.eval.suites.data import data_folder, field, texts
from auditcoder.eval.truth.program import HEADER, Program


def _humaneval(folder: Path) -> Iterator[Program]:
    path = folder / "humaneval" / humaneval.OFFICIAL
    for number, row in sorted(humaneval.rows_by_number(path).items()):
        code = field(row, "prompt", str, path) + field(row, "canonical_solution", str, path)
        yield _right("humaneval", str(number), code)


def _humanevalet(folder: Path) -> Iterator[Program]:
    path = folder / "humaneval" / humaneval.OFFICIAL
    official = humaneval.rows_by_number(path)
    for number in humanevalet.rows(folder / "humaneval"):
        row = official[int(number)]
        code = field(row, "prompt", str, path) + field(row, "canonical_solution", str, path)
        yield _right("humanevalet", number, code)


def _humanevalfix(folder: Path) -> Iterator[Program]:
    pack = folder / humanevalfix.NAME
    for number, row in humanevalfix.rows(pack).items():
        head = HEADER + field(row, "declaration", str, pack)
        yield _right("humanevalfix", number, head + field(row, "canonical_solution", str, pack))
        yield _faulty("humanevalfix", number, head + field(row, "buggy_solution", str, pack))


def _mbpp(folder: Path) -> Iterator[Program]:
    path = folder / mbpp.NAME / mbpp.FILE
    for number, row in mbpp.rows(path).items():
        yield _right("mbpp", number, f"{HEADER}\n{field(row, 'canonical_solution', str, path)}\n")


def _quixbugs(folder: Path) -> Iterator[Program]:
    pack = folder / quixbugs.NAME
    for name, row in quixbugs.rows(pack).items():
        yield _right("quixbugs", name, field(row, "correct", str, pack))
        yield _faulty("quixbugs", name, field(row, "buggy", str, pack))


def _classeval(folder: Path) -> Iterator[Program]:
    pack = folder / classeval.NAME
    for number, row in classeval.rows(pack).items():
        imports = "\n".join(texts(row, "import_statement", pack))
        yield _right("classeval", number, f"{imports}\n{field(row, 'solution_code', str, pack)}\n")


def _qf(folder: Path) -> Iterator[Program]:
    for name in qf.ids(folder):
        path = qf.folder_of(name, folder)
        if any(path.glob(qf.TESTS)):
            yield _right("qf", name, qf.local(field(published(path), "solution_py", str, path)))


def _bigcodebench(folder: Path) -> Iterator[Program]:
    pack = folder / bigcodebench.NAME
    for number, row in bigcodebench.rows(pack).items():
        code = field(row, "complete_prompt", str, pack) + field(row, "canonical_solution", str, pack)
        yield _right("bigcodebench", number, code)


def _aerocomm() -> Iterator[Program]:
    for name, primitive in PRIMITIVES.items():
        yield _right("aerocomm", name, primitive.reference)
        yield _faulty("aerocomm", name, f"def {primitive.name}(*given, **named):\n    return 0.0\n")


def _right(suite: str, task: str, code: str) -> Program:
    return Program(f"reference:{task}", suite, task, code, "pass")


def _faulty(suite: str, task: str, code: str) -> Program:
    return Program(f"faulty:{task}", suite, task, code, "fail")


_PACKS: Mapping[str, Callable[[Path], Iterator[Program]]] = {
    "bigcodebench": _bigcodebench,
    "classeval": _classeval,
    "humaneval": _humaneval,
    "humanevalet": _humanevalet,
    "humanevalfix": _humanevalfix,
    "mbpp": _mbpp,
    "qf": _qf,
    "quixbugs": _quixbugs,
}


def references(suite: str, data: Path | str | None = None) -> list[Program]:
    """Return the programs of a suite that are known to be right, and those known to be faulty; none where it has none.

    Raises:
        TaskError: the data is absent or malformed.
    """
    if suite == "aerocomm":
        return list(_aerocomm())
    return list(_PACKS[suite](data_folder(data))) if suite in _PACKS else []
