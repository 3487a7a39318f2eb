"""What `show` tells of monitors, local checks, scopes and re-verification: facts that are in the ledger only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditcoder.cli.main import app
from auditcoder.cli.showing.evidence import observed, reverified_lines
from auditcoder.cli.showing.facts import facts_of
from auditcoder.ledger.chain import LEDGER_NAME, read_ledger
from auditcoder.ledger.journal import FileJournal
from auditcoder.records import events as ev
from auditcoder.records.execution import CheckResult, ExecutionReport
from auditcoder.records.finding import Finding, Obligation
from auditcoder.records.graph import LocalCheck, TaskGraph
from auditcoder.records.localization import Expansion, OpenSlot, Scope
from auditcoder.records.transaction import BorderViolation
from auditcoder.records.values import Value, encode

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "record-example"
LEDGERS = [*(ROOT / "tests" / "replay").glob(f"*/*/{LEDGER_NAME}"), EXAMPLE / LEDGER_NAME]
SCOPE = Scope(
    defect="Ifc", action="regenerate", nodes=("S0", "S1"), branch="S1",
    open_slots=(OpenSlot(provider="S1", output="s", consumer="S0", slot="total"),),
    expansions=(Expansion(unit="<entry>", owner="S0", reason="calls `total`\x1b[1m, whose interface changes"),),
    notes=("branch S1 is not supported: \u202eit is called from outside",),
)  # fmt: skip


def finding(number: int, source: ev.FindingSource, verdict: str, witness: Value) -> ev.FindingsAdded:
    made = Finding.model_validate(
        {"id": f"F{number}", "owners": ("S1",), "verdict": verdict, "evidence": "exec", "versions": (),
         "obligation": Obligation(kind="semantic", predicate="p1"), "check": "e1", "witness": witness, "reason": "why"}
    )  # fmt: skip
    unevaluated = ("S1.p9: division by zero\x07",) if source == "monitors" else ()
    return ev.FindingsAdded(findings=(made,), source=source, unevaluated=unevaluated)


def with_local_check(graph: TaskGraph) -> TaskGraph:
    checks = tuple(
        LocalCheck(id=f"L{n}", text=f"total([{n}]) gives {n}", args=([n],), expected=n, has_expected=True)
        for n in (1, 2)
    )
    nodes = [n.model_copy(update={"local_checks": checks}) if n.id == "S1" else n for n in graph.nodes]
    return graph.model_copy(update={"nodes": tuple(nodes)})


def enriched() -> list[ev.Event]:
    """Return the example's events with more facts in them; the fold takes any of them."""
    events: list[ev.Event] = []
    for event in read_ledger(EXAMPLE).events:
        match event:
            case ev.PlanAccepted():
                event = event.model_copy(update={"graph": with_local_check(event.graph)})
            case ev.ProgramAssembled():
                event = event.model_copy(
                    update={"gate": (f"line 3: import: os in candidate {event.candidate}\x1b]0;x",)}
                )
            case ev.ScopeDeclared():
                plan = read_ledger(EXAMPLE).events[5]
                assert isinstance(plan, ev.PlanAccepted)
                event = event.model_copy(update={"scope": SCOPE, "graph": with_local_check(plan.graph)})
            case ev.RepairEnded():
                violation = BorderViolation(unit="helper", owner="S2", change="added")
                done = event.transaction.model_copy(update={"scope": SCOPE, "violations": (violation,)})
                event = ev.RepairEnded(transaction=done)
            case ev.NodesReverified():
                event = event.model_copy(update={"nodes": ("S0",), "findings": ("F8", "F9"), "rejected": ("F9",)})
            case _:
                pass
        events.append(event)
    passed = CheckResult(check="S1:L1", outcome="pass", observed=1, has_observed=True)
    wrong = CheckResult(check="S1:L2", outcome="wrong-answer", observed=encode((5, "a")), has_observed=True)
    report = ExecutionReport(program="", results=(passed, wrong))
    call = encode({"unit": "total", "args": [[1, 2]], "result": 4})
    events[-1:-1] = [
        ev.LocalChecksRun(key="k", candidate=1, node="S1", report=report),
        finding(8, "local-checks", "accept", None),
        finding(9, "monitors", "reject", call),
    ]
    return events


@pytest.fixture
def run(tmp_path: Path) -> Path:
    with FileJournal.create(tmp_path / "run") as journal:
        for event in enriched():
            journal.emit(event)
    return tmp_path / "run"


def shown(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["show", *map(str, arguments)], env={"COLUMNS": "220"})
    assert result.exit_code == code, result.output
    return result.stdout


def test_the_run_tells_gate_findings_scopes_and_what_was_looked_at_again(run: Path) -> None:
    text = shown(run)
    for part in (
        "policy gate\n  line 3: import: os in candidate 1",
        "executed on nodes: 2 rejections, 1 accept",
        "F9       S1    monitors  semantic p1 at e1  total([1, 2]) -> 4",
        "predicates that could not be evaluated\n  S1.p9: division by zero",
        "repair 1: replans the branch below S1: S0, S1",
        "repair 1: open slot S1.s -> S0.total",
        "repair 1: expanded to <entry> of S0: calls `total`",
        "repair 1: branch S1 is not supported: \ufffdit is called from outside",
        "repair 1: the plan is revised",
        "repair 1: crossed the border: helper of S2 added",
        "repair 1: looked again at frozen S0: 2 executed findings, rejected: F9",
    ):
        assert part in text, part
    assert "candidate 0" not in text


def test_a_node_tells_its_local_checks_its_findings_and_that_it_was_looked_at_again(run: Path) -> None:
    text = shown(run, "S1")
    for part in (
        "check      S1:L1 total([1]) gives 1: pass",
        "check      S1:L2 total([2]) gives 2: wrong-answer, gave (5, 'a')",
        "F9 rejects semantic, executed by monitors at e1 on total([1, 2]) -> 4 (no code version, not current): why",
        "F8 accepts semantic, executed by local-checks at e1 (no code version, not current): why",
    ):
        assert part in text, part
    root = shown(run, "S0")
    assert "again      looked at behind repair 1, which left it as it was" in root
    assert "expanded to <entry>: accepted" in root


def test_a_local_check_that_was_not_run_says_so(run: Path) -> None:
    number = next(i for i, event in enumerate(enriched()) if isinstance(event, ev.LocalChecksRun))
    assert "S1:L2 total([2]) gives 2: not run" in shown(run, "S1", "--at", number - 1)


def test_nothing_that_steers_a_terminal_is_shown(run: Path) -> None:
    text = shown(run) + shown(run, "S1") + shown(run, "S0") + shown(run, "2") + shown(run, "--events")
    assert [char for char in text if char in "\x1b\x07\u202e"] == []


def test_json_has_the_facts_beside_the_record(run: Path) -> None:
    data = json.loads(shown(run, "--json"))
    facts = data["facts"]
    assert data["status"] == "finished"
    assert facts["sources"] == {"F1": "monitors", "F8": "local-checks", "F9": "monitors"}
    assert facts["local_checks"]["S1:L2"]["outcome"] == "wrong-answer"
    assert facts["declared"][0]["scope"]["branch"] == "S1"
    assert facts["reverified"][0]["rejected"] == ["F9"]
    assert sorted(facts["gates"]) == ["0", "1"]
    assert facts["unevaluated"] == ["S1.p9: division by zero\x07"]


@pytest.mark.parametrize(
    ("witness", "text"),
    [
        (None, ""),
        (encode({"unit": "f", "args": [1, (2, "x")], "result": {3}}), "f(1, (2, 'x')) -> {3}"),
        (encode({"unit": "f", "args": [], "exception": "ValueError"}), "f() raises ValueError"),
        (encode({"outcome": "wrong-answer", "detail": ""}), "{'outcome': 'wrong-answer', 'detail': ''}"),
        ({"t": "dict", "v": [["unit", "f"], ["args", 3], ["result", 1]]}, "{'unit': 'f', 'args': 3, 'result': 1}"),
        ({"t": "nonsense"}, '{"t":"nonsense"}'),
        ({"t": "dict", "v": [["unit", "f"], ["args", [{"t": "int", "v": "zz"}]], ["result", None]]},
         'f({"t":"int","v":"zz"}) -> None'),
        ("\x1b[2Jplain", "'\\x1b[2Jplain'"),
    ],
    ids=["none", "call", "raised", "outcome", "odd args", "unknown tag", "malformed value", "escape"],
)  # fmt: skip
def test_what_was_observed(witness: Value, text: str) -> None:
    assert observed(witness) == text


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (ev.NodesReverified(index=0, nodes=()), []),
        (ev.NodesReverified(index=0, nodes=("S2",)), ["looked again at frozen S2: nothing on it can be executed"]),
        (
            ev.NodesReverified(index=0, nodes=("S2", "S3"), findings=("F1",)),
            ["looked again at frozen S2, S3: 1 executed finding, all hold"],
        ),
        (
            ev.NodesReverified(index=0, nodes=("S2",), findings=("F1",), rejected=("F1",)),
            ["looked again at frozen S2: 1 executed finding, rejected: F1"],
        ),
    ],
    ids=["none touched", "nothing to run", "all hold", "rejected"],
)
def test_what_was_looked_at_again(event: ev.NodesReverified, lines: list[str]) -> None:
    assert list(reverified_lines(event)) == lines


@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda file: f"{file.parent.parent.name}/{file.parent.name}")
def test_every_real_run_and_its_nodes_are_shown(ledger: Path) -> None:
    data = json.loads(CliRunner().invoke(app, ["show", str(ledger), "--json"]).stdout)
    assert data["facts"] == json.loads(json.dumps(facts_of(read_ledger(ledger).events).data()))
    for node in data["graph"]["nodes"]:
        assert node["id"] in shown(ledger, node["id"])
