"""Profiles: how a backbone is reached and what it can do, by name. No DSPy here, so listing them is fast."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from auditcoder.errors import ConfigError
from auditcoder.paths import is_file, short
from auditcoder.records.base import Record

CONFIG_VARIABLE = "AUDITCODER_CONFIG"
DEFAULT_CONFIG = Path("configs/models.toml")

_URL = re.compile(r"(?P<base>https?://[^#\s]+)#(?P<model>\S+)")
_PROVIDER_MODEL = re.compile(r"(?P<provider>[A-Za-z][\w.-]*)/(?P<model>\S+)")
_KEY_HINT = "Name the variable that holds the key: api_key_env."
# OpenAI's reasoning families refuse a temperature and need room to think (dspy.LM enforces both).
_REASONING = re.compile(r"(?:o[1345]|gpt-5)(?!.*-chat)(?:[-.].*)?")


class Sampling(Record):
    """What is asked of every call unless the call says otherwise; None leaves the server's own default."""

    temperature: float | None = Field(default=0.0, ge=0, le=2)
    max_tokens: int | None = Field(default=1024, ge=1)
    top_p: float | None = Field(default=None, ge=0, le=1)
    seed: int | None = None


class Profile(Record):
    """One backbone."""

    name: str
    engine: Literal["embedded", "lm"]
    """`embedded` runs a GGUF file in this process; `lm` is a server or a hosted model."""
    model: str = ""
    """Model id as the server knows it; with no `api_base` it is `provider/model`."""
    api_base: str = ""
    """Base URL of an OpenAI-compatible server, for example `http://127.0.0.1:8000/v1`."""
    api_key_env: str = ""
    """Name of the environment variable that holds the key; the key itself never reaches a record."""
    context_tokens: int = Field(default=8192, ge=256)
    price_in: float = Field(default=0.0, ge=0)
    """USD per million prompt tokens."""
    price_out: float = Field(default=0.0, ge=0)
    supports_schema: bool = False
    """Whether answers can be constrained to a JSON schema."""
    supports_prefill: bool = False
    """Whether a last message of the assistant is continued, not answered."""
    strength: Literal["weak", "strong"] = "weak"
    """Used by granularity `auto`: a weak model is asked for little at a time."""
    sampling: Sampling = Sampling()
    timeout_seconds: float = Field(default=300.0, gt=0)
    """Wall-clock limit of one request."""
    retries: int = Field(default=2, ge=0, le=10)
    """How often a request is repeated after a transient fault of the server."""
    weights: str = ""
    """Entry of the weights manifest (embedded only)."""
    path: str = ""
    """GGUF file that is used instead of `weights` (embedded only)."""
    threads: int = Field(default=0, ge=0)
    """Threads of the embedded engine; 0 takes all CPUs that this process may use."""
    speculation: bool = True
    """Prompt lookup: copies of prompt text are drafted and verified at once (embedded only)."""
    prompt_cache: bool = False
    """Reuse of the common prefix of successive prompts (embedded only). It saves time, but lets an answer depend in
    its last float bits on the call before, and a resumed run has another call before."""


class Catalog(NamedTuple):
    """What the configuration files say, merged."""

    profiles: dict[str, dict[str, Any]]
    templates: dict[str, dict[str, Any]]
    file: str
    """The user's file, or empty."""


def list_profiles(config: Path | None = None) -> tuple[Profile, ...]:
    """Return the named profiles, sorted by name."""
    catalog = load_catalog(config)
    return tuple(_build(name, table, catalog.file) for name, table in sorted(catalog.profiles.items()))


def get_profile(name: str, config: Path | None = None) -> Profile:
    """Return the profile for a name, `gguf:FILE`, `http://host/v1#model` or `provider/model`.

    Raises:
        ConfigError: nothing is meant by that name, or its table is malformed.
    """
    catalog = load_catalog(config)
    if name in catalog.profiles:
        return _build(name, catalog.profiles[name], catalog.file)
    if name.startswith("gguf:"):
        return _from_file(name, catalog)
    if match := _URL.fullmatch(name):
        base, model = match["base"].rstrip("/"), match["model"]
        return _build(name, {**catalog.templates["url"], "api_base": base, "model": model}, catalog.file)
    if match := _PROVIDER_MODEL.fullmatch(name):
        return _from_provider(name, match["provider"], match["model"], catalog)
    raise _unknown(name, catalog)


def load_catalog(config: Path | None = None) -> Catalog:
    """Return the shipped configuration with the user's file merged over it.

    Raises:
        ConfigError: the user's file is missing, is no TOML, or has a table that is none of ours.
    """
    shipped = tomllib.loads(resources.files("auditcoder.backbones").joinpath("models.toml").read_text("utf-8"))
    path = _config_path(config)
    own = _read(path) if path is not None else {}
    return Catalog(
        profiles=_merge(shipped["profiles"], own.get("profiles", {})),
        templates=_merge(shipped["templates"], own.get("templates", {})),
        file=str(path or ""),
    )


def _config_path(config: Path | None) -> Path | None:
    named = config or (Path(os.environ[CONFIG_VARIABLE]) if os.environ.get(CONFIG_VARIABLE) else None)
    if named is not None and not is_file(named):
        raise ConfigError(f"No configuration file at {short(named)}", hint=f"Check --config or {CONFIG_VARIABLE}.")
    return named or (DEFAULT_CONFIG if is_file(DEFAULT_CONFIG) else None)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path} is not valid TOML: {exc}", file=str(path)) from exc
    data.pop("run", None)  # settings of the run may stand in the same file; the command line reads them
    if unknown := sorted(set(data) - {"profiles", "templates"}):
        hint = "Use [profiles.NAME] and [templates.NAME], and [run] for settings of the run."
        raise ConfigError(f"{path}: unknown table [{unknown[0]}]", hint=hint)
    for group, tables in data.items():
        if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
            raise ConfigError(f"{path}: [{group}] must hold tables, as in [{group}.NAME]", file=str(path), field=group)
    return data


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged


def _build(name: str, table: dict[str, Any], file: str) -> Profile:
    try:
        profile = Profile.model_validate({"name": name, **table})
    except ValidationError as exc:
        error = exc.errors()[0]
        field = ".".join(str(part) for part in error["loc"])
        raise ConfigError(
            f"Profile '{name}', field '{field}': {error['msg']}",
            hint=_hint(field) if error["type"] == "extra_forbidden" else "",
            file=file,
            field=field,
        ) from exc
    _check(profile, file)
    return profile


def _hint(field: str) -> str:
    known = [*Profile.model_fields, *(f"sampling.{name}" for name in Sampling.model_fields)]
    near = difflib.get_close_matches(field, known, n=1)
    return f"Did you mean '{near[0]}'?" if near else f"Fields: {', '.join(known)}"


def _check(profile: Profile, file: str) -> None:
    needed = (profile.weights or profile.path) if profile.engine == "embedded" else profile.model
    if not needed:
        field = "weights (or path)" if profile.engine == "embedded" else "model"
        raise ConfigError(f"Profile '{profile.name}' needs '{field}'", file=file, field=field)
    _check_url(profile.api_base, file)


def _check_url(url: str, file: str) -> None:
    # No message repeats the URL: what is wrong with it may be a key.
    place = {"file": file, "field": "api_base"}
    try:
        parts = urlsplit(url)
        user = parts.username is not None or parts.password is not None or "@" in parts.netloc
        _ = parts.port  # a port that is no number is only found when it is asked for
    except ValueError:
        raise ConfigError("A server's URL cannot be read", hint="Write http://HOST:PORT/v1#MODEL.", **place) from None
    if user:
        raise ConfigError(
            "A server's URL must not hold a user or password: it becomes part of the record", hint=_KEY_HINT, **place
        )
    if "?" in url or "#" in url:
        raise ConfigError(
            "A server's URL must not hold a query or fragment (but #MODEL): it becomes part of the record",
            hint=_KEY_HINT,
            **place,
        )


def _from_file(name: str, catalog: Catalog) -> Profile:
    path = Path(name.removeprefix("gguf:")).expanduser()
    if not is_file(path):
        raise ConfigError(f"No GGUF file at {short(path)}", hint="Write gguf:/path/to/model.gguf", field="model")
    return _build(name, {**catalog.templates["gguf"], "path": str(path.absolute())}, catalog.file)


def _from_provider(name: str, provider: str, model: str, catalog: Catalog) -> Profile:
    template = catalog.templates.get(provider)
    if provider in ("gguf", "url", "other") or template is None:
        template = catalog.templates["other"]
    table = {**template, "model": model if template.get("api_base") else name}
    if provider == "openai" and _REASONING.fullmatch(model):
        table["sampling"] = {"temperature": None, "max_tokens": 16000}
    return _build(name, table, catalog.file)


def _unknown(name: str, catalog: Catalog) -> ConfigError:
    near = difflib.get_close_matches(name, catalog.profiles, n=3, cutoff=0.5)
    if whole := _completed(name, catalog):
        return ConfigError(f"'{_shown(name)}' names no model", hint=f"Add it: {whole}", field="model")
    meant = f"Did you mean {' or '.join(repr(one) for one in near)}? " if near else ""
    forms = "ollama/MODEL, openai/MODEL, PROVIDER/MODEL, http://HOST:PORT/v1#MODEL or gguf:FILE"
    return ConfigError(
        f"There is no backbone profile '{short(_shown(name))}'",
        hint=f"{meant}Profiles: {', '.join(sorted(catalog.profiles))}. Also: {forms}.",
        field="model",
        near=tuple(near),
    )


def _completed(name: str, catalog: Catalog) -> str:
    """Return the whole form of a name to which only the model was not added, else an empty text."""
    if name.startswith(("http://", "https://")) and "#" not in name:
        return f"{_shown(name)}#MODEL, the id under which the server knows its model"
    return f"{name}/MODEL" if name in catalog.templates and name not in ("gguf", "url", "other") else ""


def _shown(name: str) -> str:
    """Return a name as a message may repeat it: of a URL neither user nor query, which may be a key."""
    safe = re.sub(r"(?<=://)[^/?#]*@", "...@", name)
    return re.sub(r"(?<=\?).*", "...", safe, flags=re.DOTALL) if "://" in safe else safe
