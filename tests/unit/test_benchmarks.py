"""The benchmarks measure what they say: their worlds are sound, their programs behave, their fits are right."""

from __future__ import annotations

import json
import sys

import pytest

from auditcoder.audit.verify import verify_chain
from auditcoder.core.graph import integrity
from auditcoder.eval import bench_core
from auditcoder.eval.bench_core import exponent, per_doubling
from auditcoder.eval.bench_recording import WORKLOADS, Workload, prepare
from auditcoder.eval.bench_verify import KINDS, Kind, long_ledger
from auditcoder.eval.bench_world import make_world
from auditcoder.ledger.chain import parse_chain
from auditcoder.records.task import Limits
from auditcoder.sandbox.executor import SandboxExecutor


@pytest.mark.parametrize(("power", "factor"), [(1.0, 2.0), (2.0, 4.0), (0.5, 2**0.5)], ids=["n", "n2", "root"])
def test_the_exponent_of_a_power_is_found(power: float, factor: float) -> None:
    curve = [(n, 3.0 * n**power) for n in (30, 100, 300, 1000)]
    assert exponent(curve) == pytest.approx(power)
    assert per_doubling(curve[1], curve[3]) == pytest.approx(factor)


def test_a_generated_plan_is_sound_and_always_the_same() -> None:
    world = make_world(60, 200)
    assert integrity(world.active.graph) == ()
    assert len(world.findings) == 200
    assert world == make_world(60, 200)
    kinds = {(finding.verdict, finding.evidence, finding.obligation.kind) for finding in world.findings}
    assert {("accept", "exec", "semantic"), ("reject", "exec", "interface"), ("reject", "judg", "resource")} <= kinds


def test_the_core_is_measured_on_a_localized_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench_core", "30", "60"])
    assert bench_core.main() == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [(line["policy"], line["defect"], line["implicated"], line["action"]) for line in lines[:4]]
    assert found == [("paper", "Ifc", 3, "replan"), ("executed-first", "Ifc", 2, "replan")] * 2
    assert [line["policy"] for line in lines[4:]] == ["paper", "executed-first"]


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
def test_recorded_programs_behave_and_keep_their_contracts(workload: Workload, executor: SandboxExecutor) -> None:
    active, entry, check = prepare(workload)
    program, units = active.assembly.program, ("solve", "step")
    assert executor.run(program, entry, [check], Limits()).results[0].outcome == "pass"
    recording = executor.record(program, entry, check, Limits(cpu_seconds=10.0), units)
    assert {call.unit for call in recording.calls} == set(units)


@pytest.mark.parametrize("kind", KINDS)
def test_long_ledgers_are_long_and_verify(kind: Kind, executor: SandboxExecutor) -> None:
    short, long = (long_ledger(kind, rounds, executor) for rounds in (2, 6))
    kinds = [event.kind for event in long.events]
    assert kinds.count("repair.ended") > [event.kind for event in short.events].count("repair.ended")
    decisions = [event.transaction.decision for event in long.events if event.kind == "repair.ended"]
    assert {"accepted", "rolled-back"} <= set(decisions)
    assert ("findings.added" in kinds) == (kind == "findings")
    assert verify_chain(parse_chain(long.data)).differences == ()
