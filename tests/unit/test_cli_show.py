"""`auditcoder show` on a recorded run: the run, a node, a line; as text and as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app
from auditcoder.cli.text import clean, one_line
from auditcoder.core.versions import versions_of
from auditcoder.ledger.journal import FileJournal
from auditcoder.ledger.outputs import write_outputs
from auditcoder.records import events as ev
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit, LineOwner, NodeCode
from auditcoder.records.config import ModelFacts, RunConfig
from auditcoder.records.execution import CheckResult, ExecutionReport, IsolationReport, Outcome
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import Contract, LocalCheck, Node, Predicate, Provider, Slot, TaskGraph
from auditcoder.records.localization import Localization, Scope
from auditcoder.records.task import Check, EntryPoint, Expected, FunctionSignature, Parameter, ProgramInput, Task
from auditcoder.records.transaction import Rank, Transaction

OLD = "def double(n: int) -> int:\n    return n\n"
NEW = "def double(n: int) -> int:\n    return 2 * n\n"
MAIN = "print(double(int(input())))\n"
CHECKS = tuple(
    Check(id=f"example-{n}", input=ProgramInput(stdin=f"{n}\n"), expected=Expected(stdout=f"{2 * n}\n")) for n in (0, 3)
)
TASK = Task(id="double", statement="Print twice the\nnumber.", entry=EntryPoint(kind="program"), examples=CHECKS)
LEAF = Node(
    id="S1", parent="S0", goal="Double \x1b[31mthe number", executor="number-theory", kind="leaf",
    contract=Contract(
        signatures=(FunctionSignature(name="double", parameters=(Parameter(name="n", type="int"),), returns="int"),),
        postconditions=(Predicate(id="post-1", text="the result is twice n", expression="result == 2 * n"),),
    ),
    inputs=(Slot(name="n", type="int"),), outputs=(Slot(name="twice", type="int"),),
    provenance=(Provider(slot="n", node="S0", output="number"),),
    local_checks=(
        LocalCheck(id="L1", text="only prose"),
        LocalCheck(id="L2", text="double(4) gives 8", args=(4,), expected=8, has_expected=True),
    ),
)  # fmt: skip
ROOT = Node(id="S0", goal="Read, double, print", executor="orchestration", kind="orchestrator")
GRAPH = TaskGraph(nodes=(ROOT, LEAF), order=("S1",))
WRONG = Rank(full_pass=False, external=1, internal=0, clean=2)
RIGHT = Rank(full_pass=True, external=2, internal=0, clean=2)
FOUND = Localization(policy="paper", anchor="example-3", failure="WA", rule="Local", implicated=("S1",), defect="Impl",
                     grade="medium")  # fmt: skip
SCOPE = Scope(defect="Impl", action="regenerate", nodes=("S1",), units=("double",))


def assembly(leaf: str) -> Assembly:
    program = f"{leaf}\n\n{MAIN}"
    units = (
        CodeUnit(name="double", kind="function", owner="S1", text=leaf, digest=sha256_text(leaf)),
        CodeUnit(name="<entry>", kind="block", owner="S0", text=MAIN, digest=sha256_text(MAIN)),
    )
    lines = (
        LineOwner(first=1, last=2, unit="double", owner="S1"),
        LineOwner(first=5, last=5, unit="<entry>", owner="S0"),
    )
    return Assembly(program=program, digest=sha256_text(program), units=units, lines=lines)


def written(node: str, source: str, how: str) -> ev.CodeWritten:
    code = NodeCode(node=node, source=source, digest=sha256_text(source))
    return ev.CodeWritten.model_validate({"attempt": 0, "code": code, "how": how})


def ran(candidate: int, leaf: str, second: Outcome) -> list[ev.Event]:
    program = assembly(leaf)
    results = (CheckResult(check="example-0", outcome="pass"), CheckResult(check="example-3", outcome=second))
    report = ExecutionReport(program=program.digest, results=results)
    return [
        ev.ProgramAssembled(candidate=candidate, attempt=0, assembly=program),
        ev.ChecksRun(key=f"run-{candidate}", candidate=candidate, report=report),
    ]


def run_events() -> list[ev.Event]:
    facts = ModelFacts(profile="embedded", model="m", price_in=1.0)
    versions = versions_of(GRAPH, {"S1": NodeCode(node="S1", source=OLD, digest=sha256_text(OLD))}, "S1")
    finding = Finding(
        id="F1", owners=("S1",), verdict="reject", obligation=Obligation(kind="semantic", predicate="post-1"),
        evidence="exec", versions=(versions,), check="example-3", reason="3 is not twice 3",
    )  # fmt: skip
    transaction = Transaction(
        index=0, localization=FOUND, scope=SCOPE, snapshot="s", before=WRONG, after=RIGHT, decision="accepted",
        reason="more checks pass",
    )  # fmt: skip
    return [
        ev.RunStarted(format="1.0", version="0", task=TASK, config=RunConfig(), config_hash="",
                      models=(("generator", facts),), isolation=IsolationReport(level=4, rung="full")),
        ev.ChecksFrozen(checks=CHECKS, hash="h", admission="confirmed"),
        ev.AttemptStarted(index=0, granularity="coarse", reason="asked for"),
        ev.PlanAccepted(attempt=0, granularity="coarse", graph=GRAPH),
        ev.ModelCalled(key="k", role="generator", node="S1", model="m", prompt_hash="", request="{}", response="{}",
                       prompt_tokens=1000, completion_tokens=20, seconds=1.5),
        written("S1", OLD, "generated"), written("S0", MAIN, "generated"),
        *ran(0, OLD, "wrong-answer"),
        ev.FindingsAdded(findings=(finding,)),
        ev.CandidateRanked(candidate=0, rank=WRONG, active=True),
        ev.RepairStarted(index=0, localization=FOUND, scope=SCOPE, snapshot="s"),
        written("S1", NEW, "regenerated"),
        *ran(1, NEW, "pass"),
        ev.RepairEnded(transaction=transaction),
        ev.RunFinished(candidate=1, program="", rank=RIGHT, reason="every check passes"),
    ]  # fmt: skip


def make_run(folder: Path, events: list[ev.Event]) -> Path:
    with FileJournal.create(folder) as journal:
        for event in events:
            journal.emit(event)
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = make_run(tmp_path / "run", run_events())
    write_outputs(folder)
    return folder


def shown(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["show", *map(str, arguments)], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output


def test_a_run(run: Path) -> None:
    text = shown(run)
    for part in (
        "double (program): Print twice the number.", "2 of 2 checks pass; every check passes", "full (level 4)",
        "owns double", "repairs 1", "example-3  example  pass", "(0, 1, 0, 2) -> (1, 2, 0, 2)  accepted",
        "WA at example-3: Local, Impl, medium", "generator      1",
    ):  # fmt: skip
        assert part in text, part


def test_escape_codes_of_a_model_do_not_reach_the_terminal(run: Path) -> None:
    assert "\x1b" not in shown(run) + shown(run, "S1") + shown(run, "2")


def test_a_ledger_file_is_its_run(run: Path) -> None:
    assert shown(run / "ledger.jsonl") == shown(run)


def test_a_node(run: Path) -> None:
    text = shown(run, "S1")
    for part in (
        "double(n: int) -> int", "ensures    the result is twice n   `result == 2 * n`", "n from S0.number",
        "check      S1:L2 double(4) gives 8",
        "F1 rejects semantic, executed at example-3 (candidate 0, not current): 3 is not twice 3",
        "return 2 * n", "repair 1", "accepted",
    ):  # fmt: skip
        assert part in text, part
    assert text.count("version ") == 2
    assert "only prose" not in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (2, ("return 2 * n", "double, lines 1 to 2", "owner      S1", "repair 1")),
        (3, ("nobody owns it",)),
        (5, ("print(double", "<entry>, lines 5 to 5", "owner      S0  Read, double, print")),
    ],
)
def test_a_line(run: Path, line: int, expected: tuple[str, ...]) -> None:
    text = shown(run, line)
    assert [part for part in expected if part not in text] == []


def test_json(run: Path) -> None:
    record = json.loads(shown(run, "--json"))
    assert (record["task"]["id"], record["candidate"], record["status"]) == ("double", 1, "finished")
    assert json.loads(shown(run, "S1", "--json"))["node"]["id"] == "S1"
    line = json.loads(shown(run, "2", "--json"))
    owner = {"first": 1, "last": 2, "unit": "double", "owner": "S1"}
    assert (line["line"], line["text"], line["owner"]) == (2, "    return 2 * n", owner)


@pytest.mark.parametrize("part", ["S1", "2"])
def test_the_json_of_a_node_and_of_a_line_holds_what_their_text_tells(run: Path, part: str) -> None:
    data = json.loads(shown(run, part, "--json"))
    assert data["candidate"] == 1
    old, new = sha256_text(OLD), sha256_text(NEW)
    assert data["versions"] == [
        {"digest": old, "candidates": [0], "current": False}, {"digest": new, "candidates": [1], "current": True},
    ]  # fmt: skip
    assert [(one["id"], one["candidate"], one["current"]) for one in data["findings"]] == [("F1", 0, False)]
    assert [(one["repair"], one["decision"]) for one in data["repairs"]] == [(1, "accepted")]


def test_a_node_id_may_be_written_small_and_a_line_with_its_file(run: Path) -> None:
    assert shown(run, "s1") == shown(run, "S1")
    assert shown(run, "program.py:2") == shown(run, "some/where/program.py:2") == shown(run, "2")


@pytest.mark.parametrize("count", [1, 4, 6, 8, 9, 12, 16])
def test_a_stopped_run_is_shown_and_counts_as_findings(tmp_path: Path, count: int) -> None:
    text = shown(make_run(tmp_path / "run", run_events()[:count]), code=1)
    assert "stopped before its end" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("S9",), "error[usage]: the plan has no node S9\n  Nodes: S0, S1."),
        (("6",), "error[usage]: the program has no line 6\n  It has 5 lines."),
        (("0",), "error[usage]: the program has no line 0"),
    ],
    ids=["node", "line", "line 0"],
)
def test_what_is_not_there(run: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in shown(run, *arguments, code=2)


def test_no_run_at_all(tmp_path: Path) -> None:
    assert f"error[usage]: {tmp_path} is no run folder" in shown(tmp_path, code=2)
    assert "error[usage]: there is no run folder some/nope" in shown("some/nope", code=2)


def test_without_a_name_the_newest_run_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "error[usage]: there is no run in runs" in shown(code=2)
    for age, name in enumerate(("b-newest", "a", "c")):
        folder = make_run(tmp_path / "runs" / name, run_events())
        os.utime(folder / "ledger.jsonl", (1_000_000 - age, 1_000_000 - age))
    newest, named = (CliRunner().invoke(app, ["show", *names]).stdout for names in ([], ["runs/b-newest"]))
    first, rest = newest.split("\n", 1)
    assert first.split() == ["run", "runs/b-newest"]
    assert rest == named


def test_a_changed_ledger(run: Path) -> None:
    file = run / "ledger.jsonl"
    file.write_bytes(file.read_bytes().replace(b"twice the", b"thrice th", 1))
    assert "error[ledger-corrupt]" in shown(run, code=1)


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["show", str(tmp_path), "--debug"])
    assert type(result.exception).__name__ == "UsageError"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\x1b[0mb", "a�[0mb"), ("tab\tand\nline", "tab\tand\nline"), ("\u202eabc", "�abc"), ("päß ✓", "päß ✓")],
    ids=["escape", "kept", "direction", "unicode"],
)
def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_one_line_is_cut() -> None:
    assert one_line(" a\n  b c ", 4) == "a b…"
