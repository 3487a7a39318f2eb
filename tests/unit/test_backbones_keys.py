"""A server that quotes the key it was sent: the key stands in no event, no message, no answer and no traceback."""

from __future__ import annotations

import json
import traceback
from typing import Any

import pytest
from dspy.lm15 import AuthError, Config, InvalidRequestError, Message, Request, Response, ServerError, Usage
from hypothesis import given
from hypothesis import strategies as st

from auditcoder.backbones.caching import AnswerCache
from auditcoder.backbones.journals import DirectJournal
from auditcoder.backbones.keys import hider, key_hider, without_keys
from auditcoder.backbones.profiles import Profile, get_profile
from auditcoder.backbones.recording import RecordingEngine
from auditcoder.backbones.remote import RemoteEngine
from auditcoder.backbones.scripted import scripted_facts
from auditcoder.backbones.wire import response_text
from auditcoder.errors import BackboneError, ConfigError

KEY = "sk-verysecret-0123456789abcdef"
HEAD = KEY[:12]


class Quoting:
    """An engine below the seam that answers, or fails, with a text of the test's."""

    def __init__(self, outcome: Exception | str) -> None:
        self.outcome = outcome

    def complete(self, request: Request) -> Response:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return Response(
            id=f"id {self.outcome}", model="m", message=Message.assistant(self.outcome), finish_reason="stop",
            usage=Usage(), provider_data={"echo": self.outcome},
        )  # fmt: skip


@pytest.fixture
def profile(monkeypatch: pytest.MonkeyPatch) -> Profile:
    monkeypatch.setenv("THE_KEY", KEY)
    return Profile(name="p", engine="lm", model="m", api_base="http://h/v1", api_key_env="THE_KEY", retries=0)


def recorder(profile: Profile, outcome: Exception | str, cache: AnswerCache | None = None) -> tuple[Any, DirectJournal]:
    journal = DirectJournal()
    engine = RecordingEngine(
        RemoteEngine(profile, Quoting(outcome), "m"), journal=journal, role="generator", facts=scripted_facts(),
        supports_schema=True, supports_prefill=False, cache=cache, hide=key_hider(profile),
    )  # fmt: skip
    return engine, journal


REQUEST = Request("m", (Message.user("x"),), config=Config(temperature=0.0))
FAULTS = {
    "401": AuthError(f"Incorrect API key provided: {KEY}"),
    "400": InvalidRequestError(f"bad request with Bearer {KEY}, twice {KEY}"),
    "503": ServerError(f'{{"authorization": "{KEY}"}}'),
    "odd": ValueError(KEY),
    "cut by us": ServerError("x" * 280 + KEY),
    "cut by the client": ServerError(f"the reply is not JSON. Body starts: '{KEY[:20]}…'"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_an_error_that_quotes_the_key_is_told_without_it(profile: Profile, fault: Exception) -> None:
    engine, journal = recorder(profile, fault)
    with pytest.raises(BackboneError) as caught:
        engine.complete(REQUEST)
    told = "".join(traceback.format_exception(caught.value)) + str(caught.value)
    assert HEAD not in told
    assert "[key]" in caught.value.message
    assert HEAD not in journal.calls[0].model_dump_json()
    assert "[key]" in journal.calls[0].error


def test_an_error_without_the_key_keeps_its_cause(profile: Profile) -> None:
    fault = ServerError("boom")
    engine, _ = recorder(profile, fault)
    with pytest.raises(BackboneError) as caught:
        engine.complete(REQUEST)
    assert caught.value.__cause__ is fault


def test_an_answer_that_echoes_the_key_is_recorded_and_kept_without_it(profile: Profile, tmp_path: Any) -> None:
    engine, journal = recorder(profile, f"print(1)  # {KEY}", AnswerCache(tmp_path))
    assert response_text(engine.complete(REQUEST)) == "print(1)  # [key]"
    [event] = journal.calls
    assert HEAD not in event.model_dump_json()
    kept = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert len(kept) == 1
    assert HEAD not in kept[0]


def test_the_raw_body_of_an_echo_is_not_handed_on(profile: Profile) -> None:
    answer = RemoteEngine(profile, Quoting(KEY), "m").complete(REQUEST)
    assert KEY not in repr(answer)


def test_without_an_api_base_every_variable_named_like_a_key_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMEPROVIDER_API_KEY", KEY)
    monkeypatch.setenv("SOMEPROVIDER_KEYBOARD", "a-long-layout-name")
    hide = key_hider(Profile(name="p", engine="lm", model="someprovider/m"))
    assert hide(f"{KEY} a-long-layout-name") == "[key] a-long-layout-name"


def test_a_dummy_key_is_no_secret() -> None:
    assert hider("none", "")("none of it") == "none of it"


@given(
    st.text(min_size=8, max_size=60).filter(lambda key: key.strip() == key), st.text(max_size=20), st.text(max_size=20)
)
def test_a_key_of_any_letters_is_blotted_out_of_text_and_json(key: str, before: str, after: str) -> None:
    hide = hider(key)
    assert key not in hide(before + key + after).replace("[key]", "\0")
    assert json.dumps(key)[1:-1] not in hide(json.dumps(before + key + after)).replace("[key]", "\0")


@given(st.text(alphabet='ab"\\{}é', min_size=8, max_size=30))
def test_an_answer_stays_an_answer(key: str) -> None:
    response = Response(id="x", model="m", message=Message.assistant(f"<{key}>"), finish_reason="stop", usage=Usage())
    assert response_text(without_keys(response, hider(key))) == "<[key]>"


URLS = {
    "query": f"http://h/v1?key={KEY}#m",
    "query without a model": f"http://h/v1?key={KEY}",
    "user": f"http://{KEY}@h/v1#m",
    "password": f"http://u:{KEY}@h/v1",
    "port": f"http://h:{KEY}/v1#m",
    "open bracket": f"http://[{KEY}#m",
}


@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
def test_a_url_that_may_hold_a_key_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        get_profile(url)
    assert HEAD not in "".join(traceback.format_exception(caught.value)) + caught.value.hint


@pytest.mark.parametrize("base", [f"http://h/v1?key={KEY}", f"http://h/v1#{KEY}", f"http://[{KEY}"])
def test_an_api_base_of_a_file_is_held_to_the_same(tmp_path: Any, base: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(f'[profiles.p]\nengine = "lm"\nmodel = "m"\napi_base = "{base}"\n')
    with pytest.raises(ConfigError) as caught:
        get_profile("p", file)
    assert HEAD not in "".join(traceback.format_exception(caught.value))
    assert caught.value.fields["field"] == "api_base"
