"""A chat server on the loopback interface that plays every role a server can: well, wrong, slow, mute and mad."""

from __future__ import annotations

import gzip
import http.server
import json
import threading
import time
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, cast

import dspy
import pytest
from dspy.lm15 import Config, Message, Request, ServerError
from dspy.signatures import make_signature

from auditcoder.backbones.adapters import SchemaAdapter
from auditcoder.backbones.capped import MOST_BYTES
from auditcoder.backbones.journals import DirectJournal
from auditcoder.backbones.lm import make_lm, model_facts
from auditcoder.backbones.probe import check_profile
from auditcoder.backbones.profiles import Profile, Sampling
from auditcoder.backbones.remote import RemoteEngine, remote_engine
from auditcoder.backbones.wire import response_text
from auditcoder.errors import BackboneAuthError, BackboneError, BackboneUnavailableError, ContextOverflowError


def chat(text: str, finish: str = "stop") -> bytes:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = {"id": "chat-1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage}
    return json.dumps(body).encode()


def refusal(message: str, code: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": code}}).encode()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    status: int = 200
    body: bytes = b""
    encoding: str = ""
    failures: int = 0
    hang: float = 0.0
    requests: ClassVar[list[Any]] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about a client that went away."""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = cast(Server, self.server)
        data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.requests.append((self.path, self.headers.get("Authorization"), data))
        if server.hang:
            self.send_response(200)
            self.end_headers()
            self._drip(server.hang)
            return
        failing = len(server.requests) <= server.failures
        body = b'{"error": {"message": "busy"}}' if failing else server.body
        self.send_response(503 if failing else server.status)
        self.send_header("Content-Type", "application/json")
        if server.encoding:
            self.send_header("Content-Encoding", server.encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drip(self, seconds: float) -> None:
        # A blank now and then: no read ever times out, and no answer ever comes.
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    kind = type("OneServer", (Server,), {"requests": []})
    running = kind(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=lambda: running.serve_forever(poll_interval=0.02))
    thread.start()
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITCODER_NO_CACHE", "1")


def profile_of(server: Server, **changes: Any) -> Profile:
    values: dict[str, Any] = {
        "name": "mine",
        "engine": "lm",
        "model": "m",
        "api_base": f"http://127.0.0.1:{server.server_port}/v1",
        "timeout_seconds": 20.0,
        "retries": 0,
        "supports_schema": True,
    }
    return Profile(**{**values, **changes})


def ask(profile: Profile, journal: DirectJournal | None = None) -> str:
    return str(make_lm(profile, "generator", effects=journal or DirectJournal())("hello")[0])


def test_a_server_answers_and_the_call_is_recorded(server: Server) -> None:
    server.body = chat("hi there")
    journal = DirectJournal()
    profile = profile_of(server, sampling=Sampling(temperature=0.0, max_tokens=9, seed=3))
    assert ask(profile, journal) == "hi there"
    [(path, _, body)] = server.requests
    assert path == "/v1/chat/completions"
    assert {key: body[key] for key in ("model", "max_tokens", "seed", "temperature")} == {
        "model": "m", "max_tokens": 9, "seed": 3, "temperature": 0.0,
    }  # fmt: skip
    [call] = journal.calls
    assert (call.prompt_tokens, call.completion_tokens, call.finish, call.error) == (7, 5, "stop", "")
    assert call.model == f"m@127.0.0.1:{server.server_port}/v1"


def test_a_schema_reaches_a_server_whose_model_no_table_knows(server: Server) -> None:
    fields = {
        "question": (str, dspy.InputField()),
        "colour": (Literal["red", "blue"], dspy.OutputField()),
        "reason": (str, dspy.OutputField(max_length=9)),
    }
    server.body = chat('{"colour": "red", "reason": "warm"}')
    lm = make_lm(profile_of(server), "planner", effects=DirectJournal())
    with dspy.context(lm=lm, adapter=SchemaAdapter()):
        picked = dspy.Predict(make_signature(fields, "Pick."))(question="?")
    assert (picked.colour, picked.reason) == ("red", "warm")
    sent = server.requests[0][2]["response_format"]
    assert sent["json_schema"]["schema"]["properties"]["reason"]["maxLength"] == 9


def test_the_key_is_sent_and_stands_in_no_record(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "s3cr3t-value")
    server.body = chat("ok")
    journal = DirectJournal()
    profile = profile_of(server, api_key_env="SOME_KEY")
    ask(profile, journal)
    assert server.requests[0][1] == "Bearer s3cr3t-value"
    assert "s3cr3t" not in journal.calls[0].model_dump_json() + model_facts(profile).model_dump_json()


def test_a_key_that_is_not_set_is_named(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(BackboneAuthError, match="SOME_KEY is not set"):
        make_lm(profile_of(server, api_key_env="SOME_KEY"), "planner", effects=DirectJournal())


OVERFLOW = refusal("maximum context length is 100 tokens", "context_length_exceeded")


@pytest.mark.parametrize(
    ("status", "body", "kind", "part"),
    [
        (401, refusal("bad key", "invalid_api_key"), BackboneAuthError, "bad key"),
        (403, refusal("no", "forbidden"), BackboneAuthError, "no"),
        (400, OVERFLOW, ContextOverflowError, "context length"),
        (404, refusal("no such model", "model_not_found"), BackboneError, "no such model"),
        (429, refusal("slow down", "rate_limit"), BackboneUnavailableError, "slow down"),
        (500, refusal("boom", "server_error"), BackboneUnavailableError, "boom"),
        (200, b"<html>hello</html>", BackboneUnavailableError, ""),
        (200, b"", BackboneUnavailableError, ""),
        (200, b"[]", BackboneUnavailableError, ""),
        (200, b"null", BackboneUnavailableError, ""),
        (200, b'{"choices": []}', BackboneUnavailableError, ""),
        (200, b'{"choices": [{"message": 3}]}', BackboneUnavailableError, ""),
        (200, b'{"choices": "x", "usage": []}', BackboneUnavailableError, ""),
        (200, b"\xff\xfe\x00", BackboneUnavailableError, ""),
    ],
    ids=[
        "401", "403", "overflow", "404", "429", "500", "html", "empty", "list", "null", "no-choice", "bad-message",
        "bad-choices", "bytes",
    ],
)  # fmt: skip
def test_each_fault_is_an_error_of_its_own_kind_that_names_the_server(
    server: Server, status: int, body: bytes, kind: type[BackboneError], part: str
) -> None:
    server.status, server.body = status, body
    journal = DirectJournal()
    with pytest.raises(BackboneError) as caught:
        ask(profile_of(server), journal)
    assert isinstance(caught.value, kind)
    assert f"127.0.0.1:{server.server_port}" in caught.value.message
    assert part in caught.value.message
    assert caught.value.hint
    assert journal.calls[0].error.startswith(f"{kind.code}: ")
    assert len(server.requests) == 1


def test_a_closed_port_is_unavailable_and_named(server: Server) -> None:
    with pytest.raises(BackboneUnavailableError, match=r"http://127\.0\.0\.1:1/v1.*refused"):
        ask(profile_of(server, api_base="http://127.0.0.1:1/v1"))


def test_a_server_that_drips_for_ever_is_cut_off(server: Server) -> None:
    server.hang = 3.0
    with pytest.raises(BackboneUnavailableError, match=r"no answer within 0\.3 s"):
        ask(profile_of(server, timeout_seconds=0.3))


def test_a_truncated_answer_is_recorded_as_such(server: Server) -> None:
    server.body = chat("def f(", finish="length")
    journal = DirectJournal()
    lm = make_lm(profile_of(server), "generator", effects=journal)
    assert lm(Request(lm.model, (Message.user("x"),))).finish_reason == "length"
    assert journal.calls[0].finish == "length"


@pytest.mark.parametrize(("failures", "retries"), [(1, 1), (2, 2)])
def test_a_transient_fault_is_tried_again(server: Server, failures: int, retries: int) -> None:
    server.body, server.failures = chat("ok"), failures
    pauses: list[float] = []
    engine = remote_engine(profile_of(server, retries=retries))
    patient = RemoteEngine(engine.profile, engine.inner, engine.wire_model, pause=pauses.append)
    assert response_text(patient.complete(Request("x", (Message.user("x"),)))) == "ok"
    assert pauses == [1.0, 2.0][:failures]


def test_a_fault_that_lasts_is_raised_after_the_last_try(server: Server) -> None:
    server.failures = 9
    engine = remote_engine(profile_of(server, retries=2))
    patient = RemoteEngine(engine.profile, engine.inner, engine.wire_model, pause=lambda _seconds: None)
    with pytest.raises(ServerError):
        patient.complete(Request("x", (Message.user("x"),)))
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "kept"),
    [("def f():\n    return 1", "    return 1"), ("    return 1", "    return 1")],
    ids=["echoes", "continues"],
)
def test_an_echo_of_the_prefill_is_cut_off(server: Server, answer: str, kept: str) -> None:
    server.body = chat(answer)
    request = Request("x", (Message.user("x"), Message.assistant("def f():\n")), config=Config(max_tokens=9))
    assert response_text(remote_engine(profile_of(server)).complete(request)) == kept


def test_a_check_tells_what_a_profile_keeps_of_its_promises(server: Server) -> None:
    server.body = chat('{"colour": "red", "count": 3}')
    check = check_profile(f"http://127.0.0.1:{server.server_port}/v1#m")
    assert (check.reachable, check.structured, check.prefill, check.deterministic) == (True, True, None, True)
    server.body = chat("I like red")
    assert check_profile(f"http://127.0.0.1:{server.server_port}/v1#m").structured is False


def test_a_check_of_a_dead_server_is_a_result() -> None:
    check = check_profile("http://127.0.0.1:1/v1#m")
    assert not check.reachable
    assert "http://127.0.0.1:1/v1" in check.error
    assert check.hint


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


OVERSIZED = {
    "deep body": (nested(100_000), "nested too deeply"),
    "deep in a choice": (b'{"choices": ' + nested(100_000) + b"}", "nested too deeply"),
    "long answer": (chat("x" * (MOST_BYTES + 1)), "longer than 8 MiB"),
    "long blank": (b" " * (MOST_BYTES + 1) + chat("ok"), "longer than 8 MiB"),
}


@pytest.mark.parametrize(("body", "part"), OVERSIZED.values(), ids=OVERSIZED)
def test_an_answer_of_no_bounds_is_unavailable_and_recorded(server: Server, body: bytes, part: str) -> None:
    server.body = body
    journal = DirectJournal()
    with pytest.raises(BackboneUnavailableError) as caught:
        ask(profile_of(server, retries=2), journal)
    assert part in caught.value.message
    assert f"127.0.0.1:{server.server_port}" in caught.value.message
    assert part in journal.calls[0].error
    assert len(server.requests) == 1


def test_a_packed_answer_is_measured_unpacked(server: Server) -> None:
    server.encoding, server.body = "gzip", gzip.compress(b" " * (64 << 20), 1)
    with pytest.raises(BackboneUnavailableError, match="longer than 8 MiB"):
        ask(profile_of(server))


@pytest.mark.parametrize("text", ["x" * 100_000, "[" * 20_000], ids=["long", "brackets"])
def test_a_large_answer_within_bounds_is_an_answer(server: Server, text: str) -> None:
    server.body = chat(text)
    assert ask(profile_of(server)) == text
