from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from dspy.lm15 import AuthError, Config, ContextLengthError, Message, Request, ServerError
from dspy.lm15 import TimeoutError as EngineTimeoutError

from auditcoder.backbones.caching import AnswerCache, default_cache
from auditcoder.backbones.context import call_context, current_call
from auditcoder.backbones.errors import from_recorded
from auditcoder.backbones.journals import DirectJournal
from auditcoder.backbones.lm import lm_over
from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.backbones.scripted import ScriptedEngine, ScriptExhaustedError, answer_response, cut, scripted_facts
from auditcoder.backbones.tape import Tape, TapeMissError
from auditcoder.backbones.wire import response_text
from auditcoder.core.protocols import E
from auditcoder.errors import (
    BackboneAuthError,
    BackboneError,
    BackboneUnavailableError,
    ContextOverflowError,
)
from auditcoder.records.config import Role
from auditcoder.records.events import EVENT, Event, ModelCalled


class ReplayJournal:
    """Gives the effects of a list, and performs nothing."""

    def __init__(self, events: list[ModelCalled]) -> None:
        self.events = events

    def emit(self, event: Event) -> None:
        raise AssertionError("no decision is made here")

    def effect(self, kind: type[E], key: str, perform: Callable[[], E]) -> E:
        event = self.events.pop(0)
        assert isinstance(event, kind)
        assert event.key == key
        return event


def request(text: str = "hello", *, temperature: float | None = 0.0, seed: int | None = None) -> Request:
    return Request("scripted", (Message.user(text),), config=Config(temperature=temperature, seed=seed, max_tokens=9))


def recorder(
    engine: ScriptedEngine, journal: DirectJournal | ReplayJournal, *, cache: AnswerCache | None = None,
    role: Role = "generator",
) -> RecordingEngine:  # fmt: skip
    ticks = iter(range(1000))
    return RecordingEngine(
        engine, journal=journal, role=role, facts=scripted_facts(), supports_schema=True, supports_prefill=False,
        cache=cache, clock=lambda: float(next(ticks)),
    )  # fmt: skip


def test_a_call_becomes_an_event_that_holds_all_of_it() -> None:
    journal = DirectJournal()
    with call_context(node="S1"):
        answer = recorder(ScriptedEngine(["an answer"]), journal).complete(request(seed=4))
    [event] = journal.calls
    assert response_text(answer) == "an answer"
    assert (event.role, event.node, event.model, event.finish, event.seconds) == (
        "generator", "S1", "scripted", "stop", 1.0,
    )  # fmt: skip
    assert event.sampling == (("max_tokens", "9"), ("seed", "4"), ("temperature", "0.0"))
    assert json.loads(event.request)["messages"][0]["parts"][0]["text"] == "hello"
    assert "an answer" in event.response
    assert event.completion_tokens == 3
    assert not event.cached


def test_a_replay_gives_the_same_answer_and_asks_nobody() -> None:
    journal, engine = DirectJournal(), ScriptedEngine(["one", "two"])
    first = recorder(engine, journal)
    answers = [first.complete(request("a")), first.complete(request("b"))]
    stored = [EVENT.validate_json(EVENT.dump_json(event)) for event in journal.calls]
    silent = ScriptedEngine([])
    again = recorder(silent, ReplayJournal([event for event in stored if isinstance(event, ModelCalled)]))
    assert [again.complete(request("a")), again.complete(request("b"))] == answers
    assert silent.requests == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (AuthError("bad key"), BackboneAuthError),
        (ContextLengthError("too long"), ContextOverflowError),
        (ServerError("boom"), BackboneUnavailableError),
        (EngineTimeoutError("late"), BackboneUnavailableError),
        (TimeoutError("late"), BackboneUnavailableError),
        (ConnectionRefusedError("refused"), BackboneUnavailableError),
        (KeyError("choices"), BackboneUnavailableError),
        (ScriptExhaustedError("none left"), BackboneError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else value.__name__,
)
def test_an_error_is_recorded_and_a_replay_raises_the_same(fault: Exception, kind: type[BackboneError]) -> None:
    journal = DirectJournal()
    with pytest.raises(kind) as live:
        recorder(ScriptedEngine([fault]), journal).complete(request())
    [event] = journal.calls
    assert event.response == ""
    with pytest.raises(kind) as replayed:
        recorder(ScriptedEngine([]), ReplayJournal([event])).complete(request())
    assert type(replayed.value) is type(live.value)
    assert replayed.value.message == live.value.message
    assert replayed.value.code == live.value.code == event.error.split(":")[0]


def test_our_errors_pass_through_dspy_unchanged() -> None:
    lm = lm_over(recorder(ScriptedEngine([ContextLengthError("too long")]), DirectJournal()), PROFILE)
    with pytest.raises(ContextOverflowError) as caught:
        lm("hello")
    assert caught.value.code == "context-overflow"
    assert str(caught.value).startswith("scripted: too long")
    assert caught.value.hint


def test_an_interrupt_is_no_effect() -> None:
    journal = DirectJournal()
    with pytest.raises(KeyboardInterrupt):
        recorder(ScriptedEngine([KeyboardInterrupt()]), journal).complete(request())
    assert journal.calls == []


def test_an_error_of_an_unknown_code_is_a_backbone_error() -> None:
    error = from_recorded("some-new-code: what happened")
    assert isinstance(error, BackboneError)
    assert error.message == "what happened"


PROFILE = Profile(name="scripted", engine="lm", model="scripted")


def test_role_and_request_make_the_key() -> None:
    journal, engine = DirectJournal(), ScriptedEngine(lambda _request: "x")
    asked: list[tuple[Role, str]] = [("planner", "a"), ("verifier", "a"), ("planner", "b"), ("planner", "a")]
    for role, text in asked:
        recorder(engine, journal, role=role).complete(request(text))
    keys = [event.key for event in journal.calls]
    assert len(set(keys)) == 3
    assert keys[0] == keys[3]
    assert journal.calls[0].prompt_hash == journal.calls[1].prompt_hash


def test_a_kept_answer_is_marked_as_cached_and_costs_no_call(tmp_path: Path) -> None:
    journal, cache = DirectJournal(), AnswerCache(tmp_path)
    engine = ScriptedEngine(["first", "second"])
    one = recorder(engine, journal, cache=cache).complete(request())
    two = recorder(engine, journal, cache=cache).complete(request())
    assert one == two
    assert [event.cached for event in journal.calls] == [False, True]
    assert len(engine.requests) == 1


@pytest.mark.parametrize(
    ("temperature", "seed", "kept"),
    [(0.0, None, True), (0.8, 1, True), (0.8, None, False), (None, None, False)],
    ids=["greedy", "drawn-with-seed", "drawn", "server-default"],
)
def test_only_repeatable_requests_are_kept(tmp_path: Path, temperature: float, seed: int | None, *, kept: bool) -> None:
    engine = ScriptedEngine(["first", "second"])
    lm = recorder(engine, DirectJournal(), cache=AnswerCache(tmp_path))
    lm.complete(request(temperature=temperature, seed=seed))
    lm.complete(request(temperature=temperature, seed=seed))
    assert len(engine.requests) == (1 if kept else 2)


def test_errors_and_cut_answers_are_never_kept(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    recorder(ScriptedEngine(cut("half")), DirectJournal(), cache=cache).complete(request())
    with pytest.raises(BackboneUnavailableError):
        recorder(ScriptedEngine([ServerError("boom")]), DirectJournal(), cache=cache).complete(request())
    assert list(tmp_path.rglob("*.json")) == []


def test_another_model_file_or_sampling_is_another_answer(tmp_path: Path) -> None:
    cache, facts = AnswerCache(tmp_path), scripted_facts()
    cache.put(facts, request(), answer_response(request(), "kept"))
    assert cache.get(facts, request()) is not None
    assert cache.get(facts.model_copy(update={"sha256": "f" * 64}), request()) is None
    assert cache.get(facts.model_copy(update={"runtime": "other"}), request()) is None
    assert cache.get(facts, request(seed=1)) is None


def test_a_damaged_entry_is_a_miss(tmp_path: Path) -> None:
    cache, facts = AnswerCache(tmp_path), scripted_facts()
    cache.put(facts, request(), answer_response(request(), "kept"))
    [file] = tmp_path.rglob("*.json")
    for damage in (b"", b"{", b"[]", b"{}", b'{"message": 3}', b"\xff"):
        file.write_bytes(damage)
        assert cache.get(facts, request()) is None


def test_the_cache_is_switched_off_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITCODER_CACHE", str(tmp_path))
    monkeypatch.delenv("AUDITCODER_NO_CACHE", raising=False)
    cache = default_cache()
    assert cache is not None
    assert cache.folder == tmp_path / "answers"
    monkeypatch.setenv("AUDITCODER_NO_CACHE", "1")
    assert default_cache() is None


def test_a_context_is_inherited_and_ends_with_its_block() -> None:
    seen: list[tuple[int, float]] = []

    def watch(tokens: int, seconds: float) -> None:
        seen.append((tokens, seconds))

    with call_context(on_progress=watch), call_context(node="S2"):
        assert current_call().node == "S2"
        assert current_call().on_progress is watch
    assert current_call() == ("", None, "", None)


def test_a_script_that_ends_says_what_was_asked() -> None:
    engine = ScriptedEngine(["only"])
    engine.complete(request("first"))
    with pytest.raises(ScriptExhaustedError, match="has 1 answers, and one more was asked for: 'second'"):
        engine.complete(request("second"))


def test_engines_are_shared_by_deep_copies(tmp_path: Path) -> None:
    scripted = ScriptedEngine([])
    for engine in (scripted, recorder(scripted, DirectJournal()), Tape(tmp_path / "t", model_hash="h")):
        assert copy.deepcopy(engine) is engine


def test_a_tape_is_recorded_once_and_replayed_without_the_model(tmp_path: Path) -> None:
    path, engine = tmp_path / "tape.jsonl", ScriptedEngine(["one"])
    recording = Tape(path, model_hash="h1", inner=engine)
    first = recording.complete(request())
    assert recording.complete(request()) == first
    assert Tape(path, model_hash="h1").complete(request()) == first
    assert len(engine.requests) == len(path.read_text().splitlines()) == 1


def test_a_tape_without_the_answer_raises(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    Tape(path, model_hash="h1", inner=ScriptedEngine(["one"])).complete(request())
    with pytest.raises(TapeMissError, match=r"no answer for .* 'other'"):
        Tape(path, model_hash="h1").complete(request("other"))
    with pytest.raises(TapeMissError):
        Tape(path, model_hash="another-model").complete(request())


@pytest.mark.parametrize("line", ["{", "[]", '{"key": "k"}', "3"])
def test_a_malformed_tape_names_the_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "tape.jsonl"
    path.write_text('{"key": "k", "response": {}}\n' + line + "\n")
    with pytest.raises(BackboneError, match="line 2 is no tape entry"):
        Tape(path, model_hash="h")
