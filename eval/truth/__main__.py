"""`python -m auditcoder.eval.truth --suite NAME`: does the harness find what is known about programs?

Reference solutions must pass, known faulty programs must not, recorded programs must get the recorded outcome. What is
judged goes to a file line by line, and what is there is not judged again. The summary holds ids and figures only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from auditcoder.eval.suites.registry import SUITES
from auditcoder.eval.truth.finding import Finding, find
from auditcoder.eval.truth.program import Program
from auditcoder.eval.truth.recorded import recorded
from auditcoder.eval.truth.references import references
from auditcoder.eval.truth.summary import summary, table
from auditcoder.sandbox.executor import SandboxExecutor


def main(arguments: list[str] | None = None) -> int:
    """Judge the programs of the suites; 0 when what is found agrees with what is known, or is explained."""
    parser = argparse.ArgumentParser(prog="python -m auditcoder.eval.truth", description=main.__doc__)
    parser.add_argument("--suite", action="append", choices=sorted(SUITES), required=True)
    parser.add_argument(
        "--data", type=Path, default=None, help="folder of the packs; by default what AUDITCODER_DATA names"
    )
    parser.add_argument(
        "--work", type=Path, default=Path("truth-work"), help="folder for what is judged, to go on later"
    )
    parser.add_argument("--out", type=Path, default=Path("docs/results"), help="folder for the summaries")
    parser.add_argument("--every", type=int, default=1, help="only every n-th recorded program")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args(arguments)
    good = True
    for name in given.suite:
        programs = [*references(name, given.data), *recorded(name, given.data)[:: given.every]]
        findings = judged(programs, given.work / f"{name}.jsonl", given.data, given.jobs)
        told = summary(name, findings)
        if given.every == 1:
            given.out.mkdir(parents=True, exist_ok=True)
            (given.out / f"truth-{name}.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(table(told))
        good = good and not told["unexplained"]
    return 0 if good else 1


def judged(programs: Sequence[Program], path: Path, data: Path | None, jobs: int) -> list[Finding]:
    """Return the findings in the order of the programs; those in the file are taken from it, new ones added to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    known = {one.id: one for line in lines if line.endswith("}") for one in [Finding.model_validate_json(line)]}
    left = [program for program in programs if program.id not in known]
    with path.open("a", encoding="utf-8") as file:
        for finding in _found(left, data, jobs):
            file.write(finding.model_dump_json() + "\n")
            file.flush()
            known[finding.id] = finding
    return [known[program.id] for program in programs]


def _found(programs: Sequence[Program], data: Path | None, jobs: int) -> Iterator[Finding]:
    if jobs == 1:
        yield from (_find(program, data) for program in programs)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_find, programs, [data] * len(programs))


def _find(program: Program, data: Path | None) -> Finding:
    return find(program, _executor(), data)


@cache
def _executor() -> SandboxExecutor:
    return SandboxExecutor()


if __name__ == "__main__":
    raise SystemExit(main())
