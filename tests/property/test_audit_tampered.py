"""A ledger, a record and a program with one byte changed anywhere, or a line dropped, repeated, moved or cut: found.

And a value changed anywhere in an event, with the chain sealed anew: found too, unless it is one of the facts that
docs/guide/verify.md says no recomputation can check.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditcoder.audit.outputs import Outputs, expected_outputs, outputs_match, read_outputs
from auditcoder.audit.verify import verify_chain, verify_run
from auditcoder.audit.walk import Walk
from auditcoder.ledger.chain import LEDGER_NAME, Chain, Ledger, parse_chain, read_ledger
from auditcoder.ledger.fold import fold_ledger, replay
from auditcoder.ledger.journal import MemoryJournal
from auditcoder.ledger.outputs import PROGRAM_NAME, RECORD_NAME
from auditcoder.records.events import EVENT
from auditcoder.sandbox.predicates import MeteredEvaluator

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "record-example"
REAL = ROOT / "tests" / "replay" / "format-1.0" / "average-rating-0.5b"
PLANNED = ROOT / "tests" / "replay" / "format-1.0" / "average-rating-planned-1.5b"
SLOW = pytest.mark.slow
FREE = (
    r"run\.started (version|task\..*|models\..*|isolation\..*)",
    r"model\.called (node|cached|seconds|error|response|request)",
    r"checks\.frozen (derivations|checks\.\*\.note).*",
    r"plan\.reviewed (complaints.*|reviewer|round)",
    r"plan\.accepted (fallback|graph\..*)",
    r"code\.rejected (node|reason|digest)",
    r"checks\.run report\.results\.\*\.(cpu_seconds|wall_seconds|peak_mb|stdout|stderr|truncated)",
    r"checks\.run report\.results\.\*\.(frames\..*|message|detail)",
    r"calls\.recorded recording\.(complete|calls\..*)",
    r"costs\.measured measurement\..*",
    r"local\.checked report\.results\..*",
    r"findings\.added findings\.\*\.(verdict|condition|reason|obligation\..*)",
)
"""Facts that no recomputation can check, `kind path`; docs/guide/verify.md tells them in words."""


def flipped(data: bytes, place: int) -> bytes:
    """Return the bytes with one other byte; the bit is chosen by the place, so all eight occur."""
    return data[:place] + bytes([data[place] ^ (1 << place % 8)]) + data[place + 1 :]


@cache
def ledger_of(run: Path) -> Ledger:
    return read_ledger(run)


@cache
def whole(run: Path) -> Outputs:
    return expected_outputs(fold_ledger(ledger_of(run)))


def chain_holds(run: Path, data: bytes) -> bool:
    """Return whether a changed ledger passes for the run: whole, not torn, and at the event of its record."""
    chain = parse_chain(data, known=ledger_of(run))
    return chain.broken is None and not chain.ledger.torn and chain.ledger.head == ledger_of(run).head


def outputs_hold(run: Path, stored: Outputs) -> bool:
    walk = Walk(MeteredEvaluator(), state=replay(ledger_of(run).events))
    outputs_match(walk, ledger_of(run), stored, whole(run))
    return not walk.differences


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=SLOW)])
@pytest.mark.parametrize("run", [EXAMPLE, REAL], ids=lambda run: run.name)
def test_every_flipped_byte_of_a_ledger_breaks_its_chain(run: Path, stride: int) -> None:
    data = (run / LEDGER_NAME).read_bytes()
    assert chain_holds(run, data)
    assert [place for place in range(0, len(data), stride) if chain_holds(run, flipped(data, place))] == []


@pytest.mark.parametrize("stride", [37, pytest.param(1, marks=SLOW)])
@pytest.mark.parametrize("run", [EXAMPLE, REAL], ids=lambda run: run.name)
def test_every_flipped_byte_of_record_and_program_is_found(run: Path, stride: int) -> None:
    stored = read_outputs(run)
    assert outputs_hold(run, stored)
    assert stored.record is not None
    assert stored.program is not None
    record, program = stored.record, stored.program
    unseen = [place for place in range(0, len(record), stride)
              if outputs_hold(run, stored._replace(record=flipped(record, place)))]  # fmt: skip
    unseen += [place for place in range(len(program))
               if outputs_hold(run, stored._replace(program=flipped(program, place)))]  # fmt: skip
    assert unseen == []


@pytest.mark.parametrize("stride", [2503, pytest.param(97, marks=SLOW)])
def test_verify_fails_on_flipped_bytes_of_the_files_themselves(tmp_path: Path, stride: int) -> None:
    for name in (LEDGER_NAME, RECORD_NAME, PROGRAM_NAME):
        (tmp_path / name).write_bytes((EXAMPLE / name).read_bytes())
    assert verify_run(tmp_path).verified
    for name in (LEDGER_NAME, RECORD_NAME, PROGRAM_NAME):
        data = (EXAMPLE / name).read_bytes()
        for place in (*range(0, len(data), stride), len(data) - 1):
            (tmp_path / name).write_bytes(flipped(data, place))
            found = verify_run(tmp_path)
            assert not found.verified, (name, place)
            assert {check.value for check in found.failed} & {"V1", "V21"}, (name, place)
        (tmp_path / name).write_bytes(data)


def line_tampering(lines: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    for place in range(len(lines)):
        before, after = lines[:place], lines[place + 1 :]
        yield f"{place} dropped", [*before, *after]
        yield f"{place} repeated", [*before, lines[place], lines[place], *after]
        yield f"cut before {place}", before
        if after:
            yield f"{place} swapped with the next", [*before, after[0], lines[place], *after[1:]]


@pytest.mark.parametrize("run", [EXAMPLE, REAL], ids=lambda run: run.name)
def test_dropped_repeated_swapped_and_cut_lines_are_found(run: Path) -> None:
    lines = (run / LEDGER_NAME).read_bytes().splitlines(keepends=True)
    for name, changed in line_tampering(lines):
        found = verify_chain(parse_chain(b"".join(changed), known=ledger_of(run)), outputs=read_outputs(run))
        assert not found.verified, name
        assert found.differences or not found.finished, name


@pytest.mark.parametrize("run", [EXAMPLE, REAL], ids=lambda run: run.name)
def test_a_ledger_cut_anywhere_is_unfinished_or_torn(run: Path) -> None:
    data = (run / LEDGER_NAME).read_bytes()
    for length in range(0, len(data), 1997):
        chain = parse_chain(data[:length], known=ledger_of(run))
        found = verify_chain(chain, outputs=read_outputs(run))
        assert not found.verified
        assert found.events == data[:length].count(b"\n")


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return 7 if value is None else f"{value}x"


@cache
def leaf_places(run: Path) -> tuple[tuple[int, tuple[str | int, ...]], ...]:
    facts = [json.loads(entry.raw)["event"] for entry in ledger_of(run).entries]
    return tuple((index, path) for index, fact in enumerate(facts) for path in leaves(fact) if path != ("kind",))


@given(run=st.sampled_from([EXAMPLE, REAL, PLANNED]), data=st.data())
@settings(max_examples=50, deadline=None)
def test_any_value_that_is_changed_is_found_or_one_of_the_free_facts(run: Path, data: st.DataObject) -> None:
    index, path = data.draw(st.sampled_from(leaf_places(run)))
    facts = [json.loads(entry.raw)["event"] for entry in ledger_of(run).entries]
    target = facts[index] = copy.deepcopy(facts[index])
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = another(target[path[-1]])
    try:
        forged = MemoryJournal([EVENT.validate_python(fact) for fact in facts]).ledger
    except ValueError:
        return  # no such record can be written at all
    name = f"{facts[index]['kind']} {'.'.join('*' if isinstance(part, int) else part for part in path)}"
    if not any(re.fullmatch(free, name) for free in FREE):
        assert verify_chain(Chain(forged, None)).differences, name
