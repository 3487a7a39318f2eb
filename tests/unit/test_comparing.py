"""Comparison of two runs: one change at a time to a recorded run, and what is no difference at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditcoder.audit.comparing import compare, program_changes
from auditcoder.audit.comparison import Comparison
from auditcoder.audit.restoring import upto
from auditcoder.audit.showing import apart, first_difference
from auditcoder.cli.main import app
from auditcoder.cli.showing.comparison import closing, over_roles
from auditcoder.ledger.chain import LEDGER_NAME, Ledger, read_ledger
from auditcoder.ledger.journal import FileJournal, MemoryJournal
from auditcoder.records import events as ev
from auditcoder.records.base import sha256_text
from auditcoder.records.code import Assembly, CodeUnit
from auditcoder.records.config import ROLES

ROOT = Path(__file__).resolve().parents[2]
OLD = ROOT / "tests" / "replay" / "format-1.0"
LEDGERS = [*sorted((ROOT / "tests" / "replay").glob(f"*/*/{LEDGER_NAME}")), ROOT / "docs/record-example" / LEDGER_NAME]
RUN = read_ledger(OLD / "largest-jump-0.5b")
"""Event 7 is the first run on Q, 8 its findings, 12 a call, 18 and 26 the ends of two rolled-back repairs."""
PLANNED = read_ledger(OLD / "largest-jump-coarse-0.5b")


def changed(number: int, change: Callable[[dict[str, Any]], None], ledger: Ledger = RUN) -> Ledger:
    """Return a ledger in which the payload of one event is changed."""
    events = list(ledger.events)
    payload = events[number].model_dump(mode="json")
    change(payload)
    events[number] = ev.EVENT.validate_python(payload)
    return MemoryJournal(events).ledger


def setting(*path: Any, to: object) -> Callable[[dict[str, Any]], None]:
    def change(payload: dict[str, Any]) -> None:
        place: Any = payload
        for part in path[:-1]:
            place = place[part]
        assert path[-1] in place or isinstance(place, list)
        place[path[-1]] = to

    return change


def slower(payload: dict[str, Any]) -> None:
    for result in payload["report"]["results"]:
        result.update(cpu_seconds=1.5, wall_seconds=2.5, peak_mb=9.0)


def answered_elsewhere(payload: dict[str, Any]) -> None:
    body = json.loads(payload["response"])
    payload.update(response=json.dumps({**body, "id": "other", "created": 17}), seconds=99.0, cached=True)


NO_DIFFERENCE: list[tuple[str, Ledger]] = [
    ("itself", RUN),
    ("times of checks", changed(7, slower)),
    ("a call from the cache, with another id", changed(12, answered_elsewhere)),
    ("state hashes", changed(11, setting("snapshot", to="0" * 64))),
    ("restored hashes", changed(18, setting("transaction", "restored", to="0" * 64))),
    ("isolation of one report", changed(7, setting("report", "isolation", to="other"))),
]
ONE_DIFFERENCE: list[tuple[str, Ledger, set[str], int | None, str]] = [
    ("statement", changed(0, setting("task", "statement", to="Other.")), {"task"}, None, ""),
    ("limits", changed(0, setting("task", "limits", "cpu_seconds", to=3.0)), {"task"}, None, ""),
    ("configuration", changed(0, setting("config", "k", to=5)), {"settings"}, None, ""),
    ("backbone", changed(0, setting("models", 0, 1, "model", to="m")), {"settings"}, None, ""),
    ("version", changed(0, setting("version", to="9")), {"settings"}, None, ""),
    ("isolation", changed(0, setting("isolation", "level", to=1)), {"settings"}, None, ""),
    ("goal of a node", changed(3, setting("graph", "nodes", 0, "goal", to="g")), {"plan", "events"}, 3,
     "graph.nodes[0].goal"),
    ("executor category", changed(3, setting("graph", "nodes", 0, "executor", to="greedy")), {"plan", "events"}, 3,
     "graph.nodes[0].executor"),
    ("tokens", changed(12, setting("prompt_tokens", to=1)), {"usage", "events"}, 12, "prompt_tokens"),
    ("outcome", changed(7, setting("report", "results", 0, "outcome", to="pass")), {"checks", "events"}, 7,
     "report.results[0].outcome"),
    ("observed", changed(7, setting("report", "results", 0, "observed", to=5)), {"checks", "events"}, 7,
     "report.results[0].observed"),
    ("rank", changed(9, setting("rank", "clean", to=3)), {"rank", "events"}, 9, "rank.clean"),
    ("verdict", changed(8, setting("findings", 0, "verdict", to="accept")), {"findings", "events"}, 8,
     "findings[0].verdict"),
    ("reason of a finding", changed(8, setting("findings", 0, "reason", to="r")), {"events"}, 8, "findings[0].reason"),
    ("scope", changed(18, setting("transaction", "scope", "nodes", to=["S9"])), {"repairs", "events"}, 18,
     "transaction.scope.nodes[0]"),
    ("ending", changed(27, setting("reason", to="r")), {"ending", "events"}, 27, "reason"),
]  # fmt: skip


@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda file: f"{file.parent.parent.name}/{file.parent.name}")
def test_a_real_run_is_the_same_as_itself(ledger: Path) -> None:
    run = read_ledger(ledger)
    found = compare(run, run)
    assert (found.same, found.parting, found.aligned) == (True, None, True)
    assert found.rank_one == found.rank_other is not None


@pytest.mark.parametrize(("name", "other"), NO_DIFFERENCE, ids=[row[0] for row in NO_DIFFERENCE])
def test_what_is_no_difference(name: str, other: Ledger) -> None:
    assert compare(RUN, other).different == ()
    assert compare(other, RUN).different == ()


@pytest.mark.parametrize(
    ("name", "other", "sections", "event", "path"), ONE_DIFFERENCE, ids=[row[0] for row in ONE_DIFFERENCE]
)
def test_one_difference(name: str, other: Ledger, sections: set[str], event: int | None, path: str) -> None:
    found, back = compare(RUN, other), compare(other, RUN)
    assert set(found.different) == set(back.different) == sections
    assert found.aligned == (not found.task and name != "configuration")
    if event is None:
        assert found.parting is None
    else:
        assert found.parting is not None
        assert (found.parting.event_one, found.parting.event_other, found.parting.path) == (event, event, path)


def test_a_change_of_the_program_is_shown_unit_by_unit() -> None:
    def rewrite(payload: dict[str, Any]) -> None:
        unit = payload["assembly"]["units"][0]
        unit["text"] = unit["text"].replace("print(max_diff)", "return max_diff")

    found = compare(RUN, changed(6, rewrite))
    assert set(found.different) == {"program", "events"}
    (unit,) = found.program
    assert (unit.unit, unit.change, unit.owner_one, unit.owner_other) == ("largest_jump", "changed", "S0", "S0")
    assert [line for line in unit.diff if line[0] in "+-"] == ["-    print(max_diff)", "+    return max_diff"]


def assembly(*units: tuple[str, str, str], text: str | None = None) -> Assembly:
    made = tuple(
        CodeUnit.model_validate(
            {"name": name, "kind": "method" if "." in name else "function", "owner": owner, "text": code,
             "digest": sha256_text(code)}
        )
        for name, owner, code in units
    )  # fmt: skip
    program = text if text is not None else "".join(code for _, _, code in units)
    return Assembly(program=program, digest=sha256_text(program), units=made, lines=())


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (None, None, []),
        (assembly(("f", "S1", "a\n")), assembly(("f", "S1", "a\n")), []),
        (None, assembly(("f", "S1", "a\n")), [("f", "only in other", "", "S1", ["+a"])]),
        (assembly(("f", "S1", "a\n")), None, [("f", "only in one", "S1", "", ["-a"])]),
        (assembly(("f", "S1", "a\n")), assembly(("f", "S2", "a\n")), [("f", "other owner", "S1", "S2", [])]),
        (assembly(("f", "S1", "a\n")), assembly(("f", "S2", "b\n")), [("f", "changed", "S1", "S2", ["-a", "+b"])]),
        (
            assembly(("f", "S1", "a\n"), ("g", "S1", "b\n")),
            assembly(("h", "S1", "c\n"), ("g", "S1", "b\n")),
            [("f", "only in one", "S1", "", ["-a"]), ("h", "only in other", "", "S1", ["+c"])],
        ),
        (
            assembly(("C", "S1", "a\n"), ("C.m", "S1", "a\n")),
            assembly(("C", "S1", "b\n"), ("C.m", "S1", "b\n")),
            [("C", "changed", "S1", "S1", ["-a", "+b"])],
        ),
        (
            assembly(("f", "S1", "a\n"), text="# x\na\n"),
            assembly(("f", "S1", "a\n"), text="# y\na\n"),
            [("<program>", "changed", "", "", ["-# x", "+# y"])],
        ),
    ],
    ids=["none", "same", "added", "removed", "owner", "both", "renamed", "method", "between units"],
)
def test_units(one: Assembly | None, other: Assembly | None, expected: list[tuple[object, ...]]) -> None:
    found = [
        (unit.unit, unit.change, unit.owner_one, unit.owner_other, [line for line in unit.diff if line[0] in "+-"])
        for unit in program_changes(one, other)
    ]
    assert found == expected


def test_two_plans_of_one_task() -> None:
    found = compare(RUN, PLANNED)
    assert set(found.different) == {
        "settings", "plan", "program", "checks", "rank", "findings", "repairs", "usage",
    }  # fmt: skip
    assert [(node.node, node.change) for node in found.nodes] == [("S0", "changed"), ("S1", "only in other")]
    assert ("kind", "leaf", "orchestrator") in [(f.path, f.one, f.other) for f in found.nodes[0].fields]
    first = found.checks[0]
    assert (first.check, first.one, first.other) == ("example-1", "wrong-answer", "pass")
    assert [(count.verdict, count.one, count.other) for count in found.findings] == [
        ("accept", 4, 0), ("reject", 8, 0),
    ]  # fmt: skip
    assert [pair.other.decision if pair.other else None for pair in found.repairs] == ["accepted", None]
    roles = {pair.role: pair.calls for pair in found.usage}
    assert roles == {"planner": (0, 2), "generator": (1, 1), "regenerator": (3, 1), "total": (4, 4)}
    assert "events" not in closing(found)


def test_a_call_that_failed_and_was_made_again_is_usage_and_no_parting() -> None:
    events = list(RUN.events)
    call = events[12]
    assert isinstance(call, ev.ModelCalled)
    failed = call.model_copy(update={"response": "", "error": "backbone-unavailable: down", "completion_tokens": 0})
    resumed = MemoryJournal([*events[:12], failed, ev.RunResumed(failed=12), *events[12:]]).ledger
    found = compare(RUN, resumed)
    assert (found.different, found.parting) == (("usage",), None)
    later = changed(14, setting("how", to="generated"), MemoryJournal(events).ledger)
    parted = compare(later, resumed).parting
    assert parted is not None
    assert (parted.event_one, parted.event_other, parted.path) == (14, 16, "how")


def test_measured_texts_of_a_slow_program_are_no_difference() -> None:
    def timed(text: str, seconds: float) -> Ledger:
        def change(payload: dict[str, Any]) -> None:
            payload["report"]["results"][0].update(outcome="timeout", detail="cpu", message=text, cpu_seconds=seconds)

        def found(payload: dict[str, Any]) -> None:
            payload["findings"][0].update(obligation={"kind": "resource"}, reason=text, witness=[seconds])

        return changed(8, found, changed(7, change))

    assert compare(timed("2.01 s", 2.01), timed("2.07 s", 2.07)).different == ()


@pytest.mark.parametrize("event", [0, 5, 11, 18, 26])
def test_a_state_against_the_whole_run_parts_at_the_next_event(event: int) -> None:
    found = compare(upto(RUN, event), RUN)
    assert found.parting is not None
    assert (found.parting.event_one, found.parting.event_other) == (None, event + 1)
    assert {"events", "ending"} <= set(found.different)
    assert not {"task", "settings"} & set(found.different)


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["diff", *map(str, arguments)], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output


def test_the_command_on_two_runs() -> None:
    text = run(OLD / "largest-jump-0.5b", OLD / "largest-jump-coarse-0.5b", code=1)
    for part in (
        "granularity  single  coarse", "step_largest_jump [S1] only in other", "  -    print(max_diff)",
        "example-4  pass          runtime-error ValueError  differs", "rank  (0, 2, 0, 4) | (0, 3, 0, 3)",
        "RE at example-3: Trace, Impl, high", "regenerator  3 | 1",
        "different: settings, plan, program, checks, rank, findings, repairs, usage; the same: task, ending",
    ):  # fmt: skip
        assert part in text, part


def test_the_command_on_the_same_run() -> None:
    name = OLD / "duty-roster-0.5b"
    assert "the same: no decision, text or verdict differs" in run(name, name / LEDGER_NAME)
    assert "the same" in run(f"{name}@18", name)


def test_the_command_on_two_states() -> None:
    name = OLD / "largest-jump-0.5b"
    text = run(f"{name}@17", name, code=1)
    assert "one ends where other goes on: event 18, repair.ended" in text
    assert "other ends where one goes on: event 18, repair.ended" in run(name, f"{name}@17", code=1)
    assert '""' not in text
    assert "reason" not in text.partition("\nending\n")[2].partition("\n\n")[0]
    found = json.loads(run(f"{name}@11", f"{name}@17", "--json", code=1))
    assert (found["schema"], found["one"], found["other"], found["same"]) == (1, f"{name}@11", f"{name}@17", False)
    assert Comparison.model_validate({k: v for k, v in found.items() if k not in ("schema", "one", "other", "same")})


def test_the_command_says_where_two_runs_of_one_setting_part(tmp_path: Path) -> None:
    other = changed(8, setting("findings", 0, "reason", to="\x1b[2J\u202eother\u2066"))
    with FileJournal.create(tmp_path / "run@7") as journal:
        for event in other.events:
            journal.emit(event)
    text = run(OLD / "largest-jump-0.5b", tmp_path / "run@7", code=1)  # a folder of that name wins over an event
    assert "the ledgers part at event 8, findings.added, field findings[0].reason:" in text
    assert [char for char in text if char in "\x1b\u202e\u2066"] == []


@pytest.mark.parametrize(
    ("one", "message"),
    [
        ("nope", "there is no run folder nope"),
        ("nope@3", "there is no run folder nope"),
        (f"{OLD / 'duty-roster-0.5b'}@99", "the run has no event 99"),
        (f"{OLD / 'duty-roster-0.5b'}@x", "{run}@x: the event number behind @ is missing, x is none"),
        (
            f"{OLD / 'duty-roster-0.5b'}@",
            "{run}@: the event number behind @ is missing\n  For example {run}@0.",
        ),
        ("nope@x", "there is no run folder nope@x"),
        (OLD, "is no run folder"),
    ],
    ids=[
        "missing",
        "missing with event",
        "no such event",
        "no number",
        "nothing behind @",
        "no run and no number",
        "folder of runs",
    ],
)
def test_what_cannot_be_compared(one: object, message: str) -> None:
    message = message if message[0] == "i" else f"error[usage]: {message}"
    assert message.replace("{run}", str(OLD / "duty-roster-0.5b")) in run(one, OLD / "duty-roster-0.5b", code=2)


def model(role: int, name: str, ledger: Ledger) -> Ledger:
    return changed(0, setting("models", role, 1, "model", to=name), ledger)


def test_equal_changes_of_several_roles_are_one_line() -> None:
    other, some = RUN, RUN
    for number in range(len(ROLES)):
        other = model(number, "other/model", other)
        some = model(number, "other/model", some) if number < 2 else some
    found = compare(RUN, other).settings
    assert [change.path for change in found] == [f"models.{role}.model" for role in sorted(ROLES)]
    (one,) = over_roles(found)
    assert (one.path, one.one, one.other) == ("all roles: model", found[0].one, "other/model")
    (one,) = over_roles(compare(RUN, some).settings)
    first = RUN.events[0]
    assert isinstance(first, ev.RunStarted)
    names = sorted(role for role, _ in first.models[:2])
    assert one.path == f"{', '.join(names)}: model"


def test_changes_that_are_not_the_same_for_all_roles_stay_apart() -> None:
    found = compare(RUN, model(1, "b", model(0, "a", changed(0, setting("config", "k", to=5))))).settings
    assert sorted(change.other for change in over_roles(found)) == ["5", "a", "b"]


def test_the_command_at_eighty_columns_shows_where_long_values_differ() -> None:
    one, other = OLD / "average-rating-0.5b", OLD / "average-rating-planned-1.5b"
    shown = CliRunner().invoke(app, ["diff", str(one), str(other)], env={"COLUMNS": "80"}).stdout
    settings = shown.partition("\nsettings")[2].partition("\n\n")[0]
    assert settings.count("all roles: model") == 1
    assert "\u2026" not in settings
    joined = ["".join(line[start:end].strip() for line in settings.splitlines()[4:]) for start, end in
              columns(settings, "one", "other")]  # fmt: skip
    assert "qwen2.5-coder-0.5b" in joined[0]
    assert "qwen2.5-coder-1.5b" in joined[1]


def columns(text: str, *names: str) -> list[tuple[int, int | None]]:
    heading = text.splitlines()[1]
    starts = [heading.index(f" {name}") + 1 for name in names]
    return list(zip(starts, [*starts[1:], None], strict=True))


@pytest.mark.parametrize(
    ("one", "other", "limit", "expected"),
    [
        ("abc", "abd", 10, ("abc", "abd")),
        ("a" * 50 + "x", "a" * 50 + "y", 20, ("aaaaa...aaaaax", "aaaaa...aaaaay")),
        ("a" * 50 + "x" * 50, "a" * 50, 20, ("aaaaa...aaaaaxxxx...", "aaaaa...aaaaa")),
        ("b" * 50, "c" * 50, 20, ("b" * 17 + "...", "c" * 17 + "...")),
        ("", "c" * 50, 20, ("", "c" * 17 + "...")),
    ],
    ids=["short", "at the end", "a prefix", "at once", "empty"],
)
def test_two_texts_are_cut_so_that_their_difference_is_seen(
    one: str, other: str, limit: int, expected: tuple[str, str]
) -> None:
    assert apart(one, other, limit) == expected
    assert apart(other, one, limit) == expected[::-1]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2], [1, 3], ("[1]", "2", "3", 0)),
        ([1, 2, 3], [1, 2], ("[2]", "3", "(missing)", 0)),
        ([], [{"id": "e1", "n": None}], ("", "[]", '[{id: "e1", n: null}]', 0)),
        ({"a": [1], "b": "x"}, {"a": [2], "b": ""}, ("a[0]", "1", "2", 1)),
        ({"b": "x"}, {"b": ""}, ("b", "x", '""', 0)),
    ],
    ids=["in a list", "a shorter list", "an empty list", "two places", "an empty text"],
)
def test_where_two_values_differ_first(one: object, other: object, expected: tuple[object, ...]) -> None:
    assert first_difference(one, other) == expected
