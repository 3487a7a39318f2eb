"""Real calls of the small embedded model. Run with `-m live`; the weights are fetched on first use."""

from __future__ import annotations

import ast
import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import dspy
import pytest
from dspy.lm15 import Config, ContextLengthError, InvalidRequestError, Message, Request
from dspy.signatures import make_signature

from auditcoder.backbones.adapters import CodeAdapter, SchemaAdapter, TruncatedOutput
from auditcoder.backbones.context import call_context
from auditcoder.backbones.embedded import EmbeddedEngine, EmbeddedSettings
from auditcoder.backbones.journals import DirectJournal
from auditcoder.backbones.lm import close_engines, make_lm
from auditcoder.backbones.probe import check_profile
from auditcoder.backbones.profiles import get_profile
from auditcoder.backbones.weights import fetch_weights
from auditcoder.backbones.wire import response_text
from auditcoder.errors import BackboneUnavailableError

pytestmark = pytest.mark.live
CONTEXT = 1024


@pytest.fixture(scope="module")
def weights() -> Path:
    return fetch_weights("embedded-small")


@pytest.fixture(scope="module")
def engine(weights: Path) -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(weights, EmbeddedSettings(context_tokens=CONTEXT))
    yield engine
    engine.close()


def ask(text: str, *, prefill: str = "", **config: Any) -> Request:
    messages = (Message.user(text), *((Message.assistant(prefill),) if prefill else ()))
    return Request("m", messages, config=Config(**{"temperature": 0.0, "max_tokens": 64, **config}))


def schema(**properties: Any) -> dict[str, Any]:
    body = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "json_schema", "name": "o", "schema": body}


def test_an_answer_keeps_to_the_schema(engine: EmbeddedEngine) -> None:
    form = schema(kind={"enum": ["fruit", "tool"]}, tags={"type": "array", "items": {"type": "integer"}, "maxItems": 2})
    answer = json.loads(response_text(engine.complete(ask("Describe a hammer.", response_format=form))))
    assert answer["kind"] in ("fruit", "tool")
    assert len(answer["tags"]) <= 2
    assert all(isinstance(tag, int) for tag in answer["tags"])


def test_a_schema_that_does_not_compile_is_an_error(engine: EmbeddedEngine) -> None:
    form = {"type": "json_schema", "name": "o", "schema": {"type": "whatever"}}
    with pytest.raises(InvalidRequestError):
        engine.complete(ask("Say something long.", response_format=form))


def test_a_prefill_is_continued_and_not_repeated(engine: EmbeddedEngine) -> None:
    head = "def add(a, b):\n"
    answer = engine.complete(ask("Write add(a, b).", prefill=f"```python\n{head}", stop=("```",)))
    assert answer.finish_reason == "stop"
    tree = ast.parse(head + response_text(answer))
    assert [type(node) for node in tree.body] == [ast.FunctionDef]


def test_a_prompt_that_is_too_long_is_an_overflow(engine: EmbeddedEngine) -> None:
    with pytest.raises(ContextLengthError, match=str(CONTEXT)):
        engine.complete(ask("word " * (2 * CONTEXT)))


def test_an_answer_that_is_cut_says_so(engine: EmbeddedEngine) -> None:
    answer = engine.complete(ask("Count from 1 to 100.", max_tokens=5))
    assert answer.finish_reason == "length"
    assert answer.usage.output_tokens == 5


def test_progress_is_told_while_it_runs(engine: EmbeddedEngine) -> None:
    seen: list[int] = []
    with call_context(on_progress=lambda tokens, _seconds: seen.append(tokens)):
        answer = engine.complete(ask("Name three colours."))
    assert seen == sorted(seen)
    assert seen[-1] == answer.usage.output_tokens
    assert len(seen) > 3


def test_a_watcher_that_fails_stops_the_call_with_its_error(engine: EmbeddedEngine) -> None:
    def watch(_tokens: int, _seconds: float) -> None:
        raise ZeroDivisionError("watcher")

    with call_context(on_progress=watch), pytest.raises(ZeroDivisionError):
        engine.complete(ask("Name three colours."))


def test_the_same_request_gets_the_same_answer_whatever_was_asked_before(engine: EmbeddedEngine) -> None:
    request = ask("Write a Python function lis(xs) for the longest increasing subsequence.", max_tokens=120)
    first = engine.complete(request)
    engine.complete(ask("Write a Python function lis(xs, strict) with a docstring.", max_tokens=40))
    assert engine.complete(request) == first


def test_a_request_over_its_time_limit_ends_and_the_engine_goes_on(weights: Path) -> None:
    engine = EmbeddedEngine(weights, EmbeddedSettings(context_tokens=4096, timeout_seconds=1.0))
    engine.load()
    with pytest.raises(TimeoutError):
        engine.complete(ask("Write a long story.", max_tokens=3000))
    patient = EmbeddedEngine(weights, EmbeddedSettings(context_tokens=4096))
    assert response_text(patient.complete(ask("Say hi.")))
    engine.close()
    patient.close()


def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(BackboneUnavailableError, match=r"some\.gguf does not load"):
        EmbeddedEngine(file, EmbeddedSettings()).load()


def test_plans_and_code_through_dspy_are_recorded() -> None:
    journal = DirectJournal()
    lm = make_lm("embedded-small", "planner", effects=journal, cache=None)
    kinds: Any = Literal["sort", "search"]
    pick: Any = make_signature(
        {"task": (str, dspy.InputField()), "kind": (kinds, dspy.OutputField())}, "Name the kind."
    )
    write: Any = make_signature({"task": (str, dspy.InputField()), "code": (str, dspy.OutputField())}, "Write it.")
    with dspy.context(lm=lm, adapter=SchemaAdapter()):
        assert dspy.Predict(pick)(task="Order numbers by size.").kind in ("sort", "search")
    with dspy.context(lm=lm, adapter=CodeAdapter()), call_context(node="S1"):
        config = {"prefill": "def double(x):\n", "max_tokens": 60}
        text = dspy.Predict(write)(task="double(x) returns 2 * x", config=config).code
        assert text.startswith("def double(x):\n")
        with pytest.raises(TruncatedOutput):
            dspy.Predict(write)(task="A long program.", config={"max_tokens": 3})
    assert [call.finish for call in journal.calls] == ["stop", "stop", "length"]
    assert [call.node for call in journal.calls] == ["", "S1", "S1"]
    assert len({call.model_hash for call in journal.calls}) == 1
    close_engines()


def test_the_profile_keeps_its_promises() -> None:
    check = check_profile("embedded-small")
    assert (check.reachable, check.structured, check.prefill, check.deterministic) == (True, True, True, True)
    assert check.tokens_per_second > 0
    close_engines()


def test_ctrl_c_ends_a_generation(weights: Path) -> None:
    program = textwrap.dedent(
        f"""
        from pathlib import Path
        from dspy.lm15 import Config, Message, Request
        from auditcoder.backbones.context import call_context
        from auditcoder.backbones.embedded import EmbeddedEngine, EmbeddedSettings
        engine = EmbeddedEngine(Path({str(weights)!r}), EmbeddedSettings())
        engine.load()
        def watch(tokens, seconds):
            if tokens == 3:
                print("running", flush=True)
        request = Request("m", (Message.user("Write a long story."),), config=Config(max_tokens=4000))
        try:
            with call_context(on_progress=watch):
                engine.complete(request)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
    assert process.returncode == 0


def test_the_profile_is_what_the_issue_names() -> None:
    assert get_profile("embedded-small").weights == "qwen2.5-coder-0.5b-instruct-q4_k_m"
