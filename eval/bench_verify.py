"""Benchmark of the audit: events a second that `verify` decides again, on ledgers of growing length.

Run `python -m auditcoder.eval.bench_verify [ROUNDS ...]`. The ledgers are real runs of the pipeline on a scripted
model that mends one check in every few rounds of repair, so that accepted and rolled-back transactions alternate and
the run goes on for as long as is asked. Two kinds: `traced`, two owners whose crash is traced and leaves no finding, so
that every round is as large as the one before; `findings`, one owner with a finding a check and round, each of which
every later localization and snapshot accounts for, so that the ledger itself grows with the square of the rounds.

One JSON line a ledger: events, kilobytes, CPU seconds of `verify` (best of a few), events and megabytes a second. The
exponents are those of the least-squares lines through the logarithms: of seconds by events, and by bytes.
"""

from __future__ import annotations

import json
import sys
from itertools import count
from typing import Any, Literal, NamedTuple

from auditcoder.audit.verification import Verification
from auditcoder.audit.verify import verify_chain
from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.backbones.scripted import ScriptedEngine, scripted_facts
from auditcoder.core.protocols import Executor
from auditcoder.eval.bench_core import best_of, exponent
from auditcoder.ledger.chain import parse_chain
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.programs.solver import solve_task
from auditcoder.records.config import ROLES, Role, RunConfig
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionInput, FunctionSignature, Parameter, Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.sandbox.predicates import MeteredEvaluator

ROUNDS = (4, 8, 16, 32, 60)
CHECKS = 16
_PERIOD = 4
"""Every fourth round mends a check; the adaptive budget ends a run after four rounds without one."""
_TASK = Task(
    id="squares",
    statement="Return the square of n.",
    entry=EntryPoint(
        kind="function",
        name="square",
        signature=FunctionSignature(name="square", parameters=(Parameter(name="n", type="int"),), returns="int"),
    ),
    examples=tuple(
        Check(id=f"E{n}", input=FunctionInput(args=(n,)), expected=Expected(value=n * n, has_value=True))
        for n in range(1, CHECKS + 1)
    ),
)


Kind = Literal["traced", "findings"]
KINDS: tuple[Kind, ...] = ("traced", "findings")


class Line(NamedTuple):
    """One ledger."""

    kind: Kind
    rounds: int
    events: int
    kilobytes: int
    findings: int
    verify_s: float
    events_per_s: int
    megabytes_per_s: float
    differences: int


def main() -> int:
    """Print the curves as JSON lines; return 1 when a ledger does not verify."""
    lines: list[Line] = []
    with SandboxExecutor() as sandbox:
        for kind in KINDS:
            for rounds in [int(given) for given in sys.argv[1:]] or list(ROUNDS):
                lines.append(_measure(kind, long_ledger(kind, rounds, sandbox)))
                sys.stdout.write(json.dumps(lines[-1]._asdict()) + "\n")
                sys.stdout.flush()
            _write_exponents(kind, [line for line in lines if line.kind == kind])
    return 1 if any(line.differences for line in lines) else 0


def _write_exponents(kind: Kind, lines: list[Line]) -> None:
    if len(lines) > 1:
        by_events = exponent([(line.events, line.verify_s) for line in lines])
        by_bytes = exponent([(line.kilobytes, line.verify_s) for line in lines])
        found = {"kind": kind, "exponent_by_events": round(by_events, 2), "exponent_by_bytes": round(by_bytes, 2)}
        sys.stdout.write(json.dumps(found) + "\n")


def long_ledger(kind: Kind, rounds: int, sandbox: Executor) -> MemoryJournal:
    """Return the ledger of a run whose model goes on mending for about `rounds` rounds of repair, and then no more."""
    journal = MemoryJournal()
    answers = _Traced(rounds) if kind == "traced" else _Judged(rounds)
    solve_task(
        _TASK,
        RunConfig(
            granularity="coarse" if kind == "traced" else "single",
            adaptive=True,
            boundary="none",
            verify="never",
        ),
        journal=journal,
        executor=sandbox,
        evaluator=MeteredEvaluator(),
        lms={role: lm_over(_engine(role, journal, answers), _PROFILE) for role in ROLES},
        facts=dict.fromkeys(ROLES, scripted_facts()),
    )
    return journal


_PROFILE = Profile(name="scripted", engine="lm", model="scripted")


class _Judged:
    """One owner that gives wrong answers: each answer is another program, better once in a period."""

    def __init__(self, rounds: int) -> None:
        self._numbers = count()
        self._number = 0
        self._rounds = rounds

    def answer(self, role: Role, prompt: str) -> str:
        """Return the next program."""
        level = self.level()
        return _fenced(f"def square(n):\n    return n * n if n <= {level} else -{self._number + 1}")

    def level(self) -> int:
        """Return up to which n the next program is right."""
        self._number = next(self._numbers)
        return min(self._number, self._rounds) // _PERIOD


class _Traced(_Judged):
    """Two steps, of which the first crashes."""

    def answer(self, role: Role, prompt: str) -> str:
        """Return a plan of two steps, or the code of one of them."""
        if role == "planner":
            last = prompt[prompt.rindex(_TASK.statement) :]
            if "keep: " in last:
                return _detail("n", "kept")
            steps = [{"name": name, "goal": f"does {name} on it", "kind": "greedy"} for name in ("keep", "power")]
            return _detail("kept", "answer") if "power: " in last else json.dumps({"steps": steps})
        if role == "generator" and "power" in prompt[prompt.rindex("def ") :]:
            return _fenced("def power(kept):\n    return kept * kept")
        level = self.level()
        return _fenced(f"def keep(n):\n    if n > {level}:\n        raise ValueError({self._number})\n    return n")


def _detail(takes: str, gives: str) -> str:
    return json.dumps({"takes": [takes], "gives": gives, "type": "int", "requires": "", "ensures": ""})


def _fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def _engine(role: Role, journal: MemoryJournal, answers: _Judged) -> RecordingEngine:
    def answer(request: Any) -> str:
        return answers.answer(role, "\n".join([request.system or "", *(m.text or "" for m in request.messages)]))

    return RecordingEngine(
        ScriptedEngine(answer),
        journal=journal,
        role=role,
        facts=scripted_facts(),
        supports_schema=True,
        supports_prefill=False,
    )


def _measure(kind: Kind, journal: MemoryJournal) -> Line:
    data = journal.data

    def verify() -> Verification:
        return verify_chain(parse_chain(data))

    result, seconds = best_of(verify)
    events = len(journal.events)
    kinds = [event.kind for event in journal.events]
    findings = sum(len(event.findings) for event in journal.events if event.kind == "findings.added")
    return Line(
        kind,
        kinds.count("repair.ended"),
        events,
        len(data) // 1024,
        findings,
        round(seconds, 4),
        round(events / seconds),
        round(len(data) / seconds / 1e6, 2),
        len(result.differences),
    )


if __name__ == "__main__":
    raise SystemExit(main())
