from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from auditcoder.backbones.manifest import load_manifest, weights_entry
from auditcoder.backbones.profiles import Profile, get_profile, list_profiles
from auditcoder.errors import ConfigError


@pytest.fixture(autouse=True)
def _no_own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUDITCODER_CONFIG", raising=False)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_the_shipped_profiles_load_and_their_weights_are_in_the_manifest() -> None:
    profiles = list_profiles()
    assert [profile.name for profile in profiles] == ["embedded", "embedded-small"]
    for profile in profiles:
        assert profile.sampling.temperature == 0
        assert weights_entry(profile.weights).sha256


def test_the_file_in_configs_is_the_shipped_one() -> None:
    root = Path(__file__).parents[2]
    assert (root / "configs/models.toml").read_bytes() == (root / "auditcoder/backbones/models.toml").read_bytes()


@pytest.mark.parametrize(
    ("name", "engine", "model", "api_base", "key_variable"),
    [
        ("ollama/qwen3-coder:30b", "lm", "qwen3-coder:30b", "http://127.0.0.1:11434/v1", ""),
        ("openai/gpt-4o", "lm", "openai/gpt-4o", "", "OPENAI_API_KEY"),
        ("deepseek/deepseek-chat", "lm", "deepseek-chat", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "lm", "anthropic/claude-sonnet-4-5", "", ""),
        ("together_ai/Qwen/Qwen3-Coder", "lm", "together_ai/Qwen/Qwen3-Coder", "", ""),
        ("http://localhost:8000/v1#Qwen/Qwen3", "lm", "Qwen/Qwen3", "http://localhost:8000/v1", ""),
        ("https://host.example/api/v1/#m", "lm", "m", "https://host.example/api/v1", ""),
    ],
)
def test_a_name_that_is_no_profile_says_how_the_model_is_reached(
    name: str, engine: str, model: str, api_base: str, key_variable: str
) -> None:
    profile = get_profile(name)
    found = (profile.name, profile.engine, profile.model, profile.api_base, profile.api_key_env)
    assert found == (name, engine, model, api_base, key_variable)


@pytest.mark.parametrize("model", ["o3", "o4-mini", "gpt-5", "gpt-5-mini-2025-08-07", "gpt-5.1"])
def test_reasoning_models_get_no_temperature_and_room_to_think(model: str) -> None:
    sampling = get_profile(f"openai/{model}").sampling
    assert sampling.temperature is None
    assert sampling.max_tokens == 16000


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5-chat-latest", "o", "omni"])
def test_other_models_keep_the_temperature(model: str) -> None:
    assert get_profile(f"openai/{model}").sampling.temperature == 0


def test_a_gguf_file_is_a_profile(tmp_path: Path) -> None:
    file = write(tmp_path / "some.gguf", "x")
    profile = get_profile(f"gguf:{file}")
    assert (profile.engine, profile.path) == ("embedded", str(file))


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("embeded", "Did you mean 'embedded'"),
        ("gpt4", "Profiles: embedded, embedded-small"),
        ("gguf:no.gguf", "no.gguf"),
    ],
)
def test_an_unknown_name_is_answered_with_the_near_ones(name: str, part: str) -> None:
    with pytest.raises(ConfigError) as caught:
        get_profile(name)
    assert part in str(caught.value)


def test_a_file_in_the_working_folder_is_merged_over_the_shipped_one_key_by_key(tmp_path: Path) -> None:
    write(
        tmp_path / "configs/models.toml",
        "[profiles.embedded]\nthreads = 1\nsampling = { max_tokens = 7 }\n"
        '[profiles.mine]\nengine = "lm"\nmodel = "m"\napi_base = "http://h/v1"\nprice_in = 0.5\n',
    )
    embedded, mine = get_profile("embedded"), get_profile("mine")
    assert (embedded.threads, embedded.sampling.max_tokens, embedded.sampling.seed) == (1, 7, 0)
    assert embedded.weights == "qwen2.5-coder-1.5b-instruct-q4_k_m"
    assert mine.price_in == 0.5


def test_the_named_file_wins_over_the_variable_and_that_over_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, threads in (("configs/models.toml", 1), ("by_variable.toml", 2), ("named.toml", 3)):
        write(tmp_path / place, f"[profiles.embedded]\nthreads = {threads}\n")
    assert get_profile("embedded").threads == 1
    monkeypatch.setenv("AUDITCODER_CONFIG", str(tmp_path / "by_variable.toml"))
    assert get_profile("embedded").threads == 2
    assert get_profile("embedded", tmp_path / "named.toml").threads == 3


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[profiles.embedded\n", "not valid TOML"),
        ("[models.x]\n", "unknown table [models]"),
        ("[profiles]\nembedded = 3\n", "must hold tables"),
        ("profiles = 3\n", "must hold tables"),
        ("[profiles.embedded]\ntread = 3\n", "Did you mean 'threads'"),
        ("[profiles.embedded]\nsampling = { temprature = 1 }\n", "Did you mean 'sampling.temperature'"),
        ("[profiles.embedded]\nsampling = { temperature = 3 }\n", "field 'sampling.temperature'"),
        ("[profiles.embedded]\ncontext_tokens = 'x'\n", "field 'context_tokens'"),
        ("[profiles.embedded]\nweights = ''\n", "needs 'weights (or path)'"),
        ("[profiles.embedded]\nengine = 'lm'\n", "needs 'model'"),
        ("[profiles.embedded]\napi_base = 'http://me:secret@h/v1'\n", "must not hold a user or password"),
    ],
)
def test_a_malformed_file_is_named_with_the_field(tmp_path: Path, text: str, part: str) -> None:
    path = write(tmp_path / "own.toml", text)
    with pytest.raises(ConfigError) as caught:
        get_profile("embedded", path)
    assert part in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_missing_named_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No configuration file"):
        list_profiles(tmp_path / "none.toml")


def test_a_profile_record_cannot_hold_a_key() -> None:
    assert not [field for field in Profile.model_fields if "key" in field and not field.endswith("_env")]


def test_unknown_weights_are_answered_with_the_near_ones() -> None:
    with pytest.raises(ConfigError, match=r"Did you mean 'qwen2\.5-coder-1\.5b"):
        weights_entry("qwen2.5-coder-1.5b")


@pytest.mark.parametrize("entry", load_manifest().models, ids=lambda entry: entry.name)
def test_the_pieces_of_the_manifest_make_up_the_file(entry: object) -> None:
    found = weights_entry(entry.name)  # type: ignore[attr-defined]
    assert sum(part.member_bytes for part in found.parts) == found.bytes
    assert len({part.wheel_sha256 for part in found.parts}) == len(found.parts)
    assert all(len(part.member_sha256) == 64 for part in found.parts)


def test_listing_profiles_does_not_import_dspy() -> None:
    code = "import sys; from auditcoder.backbones import profiles as p; p.list_profiles(); print('dspy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
