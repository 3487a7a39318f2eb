"""What docs/record-format.md says is true; `python tests/unit/test_ledger_docs.py` writes its generated files anew."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import jsonschema
import pytest

from auditcoder.audit.verify import verify_run
from auditcoder.core.assembly import assemble
from auditcoder.core.case import LocateInputs
from auditcoder.core.effect_keys import model_key, record_key, run_key
from auditcoder.core.formats import needed_format
from auditcoder.core.locate import locate
from auditcoder.core.monitors import monitor
from auditcoder.core.reverification import reverification
from auditcoder.core.scope import select_scope
from auditcoder.core.state import RunState
from auditcoder.core.transaction import close_transaction, declare, open_transaction
from auditcoder.errors import LedgerCorruptError
from auditcoder.ledger.chain import LEDGER_NAME, parse_ledger
from auditcoder.ledger.fold import core_state, replay
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.outputs import PROGRAM_NAME, RECORD_NAME, changed_outputs, load_run, write_outputs
from auditcoder.records.base import FORMAT_VERSION, canonical_json, sha256_text
from auditcoder.records.code import Assembly, NodeCode
from auditcoder.records.config import ModelFacts, Role, RunConfig
from auditcoder.records.events import (
    AttemptStarted,
    CallsRecorded,
    CandidateRanked,
    ChecksFrozen,
    ChecksRun,
    CodeWritten,
    Event,
    FindingsAdded,
    ModelCalled,
    NodesReverified,
    PlanAccepted,
    PlanReviewed,
    ProgramAssembled,
    RepairEnded,
    RepairStarted,
    RunFinished,
    RunStarted,
    ScopeDeclared,
)
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport, RecordedCall, Recording
from auditcoder.records.graph import Contract, Node, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.run import RunRecord
from auditcoder.records.schema import record_schema, render_schema
from auditcoder.records.task import (
    Check,
    EntryPoint,
    Expected,
    FunctionSignature,
    Parameter,
    ProgramInput,
    Task,
    checks_hash,
)
from auditcoder.records.transaction import Rank
from auditcoder.sandbox.compare import Observed, compare
from auditcoder.sandbox.predicates import MeteredEvaluator

AGAIN = "run: python tests/unit/test_ledger_docs.py"
DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLE = DOCS / "record-example"
SCHEMA = DOCS / "record.schema.json"
MODEL = "openai/example-coder"


def check(name: str, stdin: str, stdout: str) -> Check:
    return Check(id=name, input=ProgramInput(stdin=stdin), expected=Expected(stdout=stdout))


CHECKS = (check("e1", "1 2 3\n", "6\n"), check("e2", "7\n", "7\n"))
TASK = Task(
    id="sum-of-numbers",
    statement="Read integers from one line and print their sum.",
    entry=EntryPoint(kind="program"),
    examples=CHECKS,
)
TOTAL = FunctionSignature(name="total", parameters=(Parameter(name="numbers", type="list[int]"),), returns="int")
GRAPH = TaskGraph(
    nodes=(
        Node(
            id="S0", goal="Read the line, print the sum.", executor="orchestration", kind="orchestrator",
            outputs=(Slot(name="stdout", type="str"),), depends_on=("S1",),
            provenance=(Provider(slot="stdin", node="task", output="stdin"), Provider(slot="s", node="S1", output="s")),
            inputs=(Slot(name="stdin", type="str"), Slot(name="s", type="int")),
        ),
        Node(
            id="S1", parent="S0", goal="Add up the integers.", executor="numerical", kind="leaf",
            contract=Contract(
                signatures=(TOTAL,),
                postconditions=(
                    Predicate(id="p1", text="The sum.", slots=("s",), expression="result == sum(numbers)"),
                ),
            ),
            inputs=(Slot(name="numbers", type="list[int]"),), outputs=(Slot(name="s", type="int"),),
            provenance=(Provider(slot="numbers", node="task", output="stdin"),),
        ),
    ),
    order=("S1",),
)  # fmt: skip
ROOT_SOURCE = 'if __name__ == "__main__":\n    print(total([int(word) for word in input().split()]))\n'
WRONG = "def total(numbers: list[int]) -> int:\n    return sum(numbers[1:])\n"
RIGHT = "def total(numbers: list[int]) -> int:\n    return sum(numbers)\n"
BAD = Rank(full_pass=False, external=0, internal=0, clean=2)
GOOD = Rank(full_pass=True, external=2, internal=0, clean=2)
ISOLATION = IsolationReport(level=4, rung="namespaces")


def code(node: str, source: str) -> NodeCode:
    return NodeCode(node=node, source=source, digest=sha256_text(source))


def called(role: Role, node: str, ask: str, answer: str, tokens: tuple[int, int], seconds: float) -> ModelCalled:
    request = canonical_json(
        {
            "config": {"max_tokens": 1024, "temperature": 0.0},
            "messages": [{"parts": [{"text": ask, "type": "text"}], "role": "user"}],
            "model": MODEL,
        }
    ).decode("ascii")
    response = canonical_json(
        {
            "finish_reason": "stop",
            "id": f"example-{sha256_text(answer)[:8]}",
            "message": {"parts": [{"text": answer, "type": "text"}], "role": "assistant"},
            "model": MODEL,
            "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)},
        }
    ).decode("ascii")
    return ModelCalled(
        key=model_key(role, MODEL, "", request),
        role=role,
        node=node,
        model=MODEL,
        prompt_hash=sha256_text(request),
        sampling=(("max_tokens", "1024"), ("temperature", "0.0")),
        request=request,
        response=response,
        finish="stop",
        prompt_tokens=tokens[0],
        completion_tokens=tokens[1],
        seconds=seconds,
    )


def candidate(number: int, source: str, observed: tuple[str, str], before: Assembly | None = None) -> list[Event]:
    """Return a candidate of this source of S1, and its run on Q."""
    codes = {"S0": code("S0", ROOT_SOURCE), "S1": code("S1", source)}
    assembly = assemble(GRAPH, codes, TASK, before=before)
    results = tuple(
        CheckResult(
            check=done.id,
            outcome="pass" if found == done.expected.stdout else "wrong-answer",
            message="" if found == done.expected.stdout else compare(done, Observed(stdout=found.encode())).message,
            observed=found,
            has_observed=True,
            stdout=found,
            cpu_seconds=0.004,
            wall_seconds=0.006,
        )
        for done, found in zip(CHECKS, observed, strict=True)
    )
    report = ExecutionReport(program=assembly.digest, results=results, isolation=ISOLATION.content_hash())
    key = run_key(assembly, checks_hash(CHECKS), TASK.limits)
    return [
        ProgramAssembled(candidate=number, attempt=0, assembly=assembly),
        ChecksRun(key=key, candidate=number, report=report),
    ]


def construction() -> list[Event]:
    """Return the events up to the first ranked program, which is wrong."""
    config = RunConfig(model="example", granularity="coarse")
    facts = ModelFacts(profile="example", model=MODEL, context_tokens=32768, price_in=0.1, price_out=0.3)
    roles: tuple[Role, ...] = ("planner", "generator", "orchestrator", "verifier", "regenerator")
    return [
        RunStarted(
            format=needed_format(config), version="0.1.0", task=TASK, config=config, config_hash=config.content_hash(),
            models=tuple((role, facts) for role in roles), isolation=ISOLATION,
        ),
        ChecksFrozen(checks=CHECKS, hash=checks_hash(CHECKS), admission="none"),
        AttemptStarted(index=0, granularity="coarse", reason="asked for"),
        called("planner", "", "Split the task ...", "S1: total(numbers) ...", (612, 88), 1.91),
        PlanReviewed(attempt=0, round=0, reviewer="deterministic"),
        PlanAccepted(attempt=0, granularity="coarse", graph=GRAPH),
        called("generator", "S1", "Write total ...", f"```python\n{WRONG}```", (345, 31), 0.74),
        CodeWritten(attempt=0, code=code("S1", WRONG), how="generated"),
        called("orchestrator", "S0", "Write the entry ...", f"```python\n{ROOT_SOURCE}```", (402, 29), 0.7),
        CodeWritten(attempt=0, code=code("S0", ROOT_SOURCE), how="generated"),
        *candidate(0, WRONG, ("5\n", "0\n")),
        CandidateRanked(candidate=0, rank=BAD, active=True),
    ]  # fmt: skip


def state_after(events: list[Event]) -> RunState:
    state = core_state(replay(events))
    assert state is not None
    return state


def evidence(events: list[Event]) -> list[Event]:
    """Return the recorded calls of the anchor, and what the contract monitors find in them."""
    state = state_after(events)
    calls = (RecordedCall(unit="total", args=([1, 2, 3],), result=5),)
    recording = Recording(check="e1", calls=calls)
    found = monitor(recording, state.active, MeteredEvaluator(), start=0)
    return [
        CallsRecorded(key=record_key(state.assembly, "e1", TASK.limits), candidate=0, recording=recording),
        FindingsAdded(findings=found.findings, source="monitors", unevaluated=found.unevaluated),
    ]


def example_events() -> list[Event]:
    """Return a run that plans two nodes, fails both checks, and repairs the one node whose contract was broken."""
    built = construction()
    recorded = evidence(built)
    state = state_after([*built, *recorded])
    assert isinstance(recorded[0], CallsRecorded)
    inputs = LocateInputs(
        active=state.active, report=state.report, checks=CHECKS, findings=state.findings,
        recording=recorded[0].recording,
    )  # fmt: skip
    where = locate(inputs, MeteredEvaluator())
    scope = select_scope(where, state.graph, state.assembly, state.findings)
    opened = declare(open_transaction(0, state, CHECKS, where, scope), scope, None)
    repaired = candidate(1, RIGHT, ("6\n", "7\n"), before=state.assembly)
    assert isinstance(repaired[0], ProgramAssembled)
    assert isinstance(repaired[1], ChecksRun)
    codes = (code("S0", ROOT_SOURCE), code("S1", RIGHT))
    update = {"codes": codes, "assembly": repaired[0].assembly, "report": repaired[1].report}
    closed = close_transaction(opened, state.model_copy(update=update))
    return [
        *built,
        *recorded,
        RepairStarted(index=0, localization=where, scope=scope, snapshot=opened.snapshot),
        ScopeDeclared(index=0, scope=scope, frozen=opened.frozen),
        called("regenerator", "S1", "Mend total ...", f"```python\n{RIGHT}```", (498, 28), 0.71),
        CodeWritten(attempt=0, code=code("S1", RIGHT), how="regenerated"),
        *repaired,
        RepairEnded(transaction=closed.transaction),
        NodesReverified(index=0, nodes=reverification(state.active, closed.state.active, scope).nodes),
        RunFinished(candidate=1, program=repaired[0].assembly.digest, rank=GOOD, reason="every check passes"),
    ]


def example_data() -> bytes:
    times = (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC) + timedelta(milliseconds=730 * n) for n in range(1000))
    return MemoryJournal(example_events(), clock=lambda: next(times)).data


def write_docs() -> None:
    EXAMPLE.mkdir(exist_ok=True)
    (EXAMPLE / LEDGER_NAME).write_bytes(example_data())
    (EXAMPLE / RECORD_NAME).unlink(missing_ok=True)
    write_outputs(EXAMPLE)
    SCHEMA.write_text(render_schema(), encoding="ascii")


def page() -> str:
    return (DOCS / "record-format.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page(), re.DOTALL | re.MULTILINE)


def test_the_example_is_current() -> None:
    assert (EXAMPLE / LEDGER_NAME).read_bytes() == example_data(), AGAIN
    assert changed_outputs(EXAMPLE) == ()


def test_the_example_is_a_run_that_verifies() -> None:
    assert verify_run(EXAMPLE).differences == ()
    assert verify_run(EXAMPLE).verified


def test_the_example_folds_to_what_the_page_shows() -> None:
    record = load_run(EXAMPLE)
    assert (record.status, record.candidate, record.rank) == ("finished", 1, GOOD)
    assert (EXAMPLE / PROGRAM_NAME).read_text(encoding="utf-8") == f"{RIGHT}\n\n{ROOT_SOURCE}"
    [shown] = fenced("json")
    stored = json.loads((EXAMPLE / RECORD_NAME).read_bytes())
    assert json.loads(shown) == next(entry for entry in stored["responsibilities"] if entry["node"] == "S1")


def test_the_example_program_really_prints_sums(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda: "1 2 3")
    exec(compile((EXAMPLE / PROGRAM_NAME).read_text(), PROGRAM_NAME, "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == "6\n"


def test_the_line_on_the_page_is_a_line_of_the_example() -> None:
    [shown] = fenced("jsonl")
    lines = (EXAMPLE / LEDGER_NAME).read_text(encoding="ascii").splitlines()
    assert shown.splitlines() == lines[2:3]


def test_the_page_lists_the_events_of_the_example_in_order() -> None:
    [shown] = fenced("text")
    kinds = [event.kind for event in parse_ledger((EXAMPLE / LEDGER_NAME).read_bytes()).events]
    assert re.findall(r"^ *(\d+) +(\S+)", shown, re.MULTILINE) == [(str(n), kind) for n, kind in enumerate(kinds)]


def test_the_page_has_every_kind_of_event() -> None:
    kinds = {kind.model_fields["kind"].default for kind in get_args(get_args(Event)[0])}
    _, _, section = page().partition("## The events")
    assert set(re.findall(r"^\| `([a-z.]+)` \|", section, re.MULTILINE)) == kinds


def test_the_page_names_every_field_of_the_record() -> None:
    _, _, section = page().partition("## The record")
    assert [name for name in RunRecord.model_fields if f"`{name}`" not in section] == []


def test_the_standalone_reader_on_the_page_agrees_with_ours(tmp_path: Path) -> None:
    [source] = fenced("python")
    names: dict[str, object] = {}
    exec(compile(source, "record-format.md", "exec"), names)
    check_chain = names["check_chain"]
    assert callable(check_chain)
    data = (EXAMPLE / LEDGER_NAME).read_bytes()
    assert check_chain(EXAMPLE / LEDGER_NAME) == len(parse_ledger(data).entries)
    broken = tmp_path / LEDGER_NAME
    for position in range(0, len(data) - 1, 97):
        changed = data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :]
        broken.write_bytes(changed)
        with pytest.raises((AssertionError, ValueError, KeyError, TypeError)):
            check_chain(broken)
        with pytest.raises(LedgerCorruptError):
            parse_ledger(changed)


def test_the_committed_schema_is_current() -> None:
    assert SCHEMA.read_text(encoding="ascii") == render_schema(), AGAIN
    assert record_schema()["version"] == FORMAT_VERSION


def test_record_and_ledger_fit_the_schema() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="ascii"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    lines = [json.loads(line) for line in (EXAMPLE / LEDGER_NAME).read_bytes().splitlines()]
    record = json.loads((EXAMPLE / RECORD_NAME).read_bytes())
    for document in (record, *lines):
        validator.validate(document)
    for document in (record, *lines):
        assert not validator.is_valid(document | {"more": 1})
        assert not validator.is_valid({name: value for name, value in document.items() if name not in ("seq", "task")})
    assert not validator.is_valid(lines[0] | {"event": {"kind": "no.such"}})


if __name__ == "__main__":
    write_docs()
