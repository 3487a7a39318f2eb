"""Options, file and overrides, merged in order into one run configuration."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from auditcoder.cli.request import Settings
from auditcoder.errors import ConfigError
from auditcoder.paths import exists, is_file, short
from auditcoder.programs.variants import VARIANTS, preset
from auditcoder.records.config import ROLES, Method, Role, RunConfig

SECTION = "run"
"""The table of the configuration file that holds settings of the run (its others are model profiles)."""
OURS = RunConfig.model_fields["method"].default
ONLY_OURS = (
    "granularity", "locate", "verify", "plan_review", "boundary", "boundary_count", "local_checks", "evidence",
    "agents", "repair", "feedback",
)  # fmt: skip
"""Settings that no rival method reads."""


def run_config(settings: Settings) -> RunConfig:
    """Return the configuration: defaults, then the file, then `-c` in order, then the named options.

    Raises:
        ConfigError: a file, key or value that cannot be used.
    """
    told = explicit(settings)
    values = merged(of_file(settings), told)
    refuse_unread(values.get("method", OURS), told)
    roles, options = values.pop("roles", {}), values.pop("options", {})
    return validated({**values, "roles": role_pairs(roles), "options": option_pairs(options)}, settings)


class Difference(NamedTuple):
    """A setting that was given now, and what a recorded run has in its place."""

    name: str
    given: object
    recorded: object


def check_settings(folder: Path, config: RunConfig, settings: Settings) -> str:
    """Return what to tell of settings that a run does not take over: it keeps its own to the end. Empty: nothing.

    An option that says something else is refused. A file is only told of: it is also read for its profiles.

    Raises:
        ConfigError: an option or `-c` differs from what the run was started with.
    """
    asked = run_config(settings)
    for name, given, recorded in differences(explicit(settings), asked, config):
        raise ConfigError(
            f"{folder} was started with {name} = {recorded}, not {given}: a run keeps its settings to the end",
            hint="Leave the option out, or start a new run without --resume.",
            field=name,
        )
    other = differences(of_file(settings), asked, config)
    told = ", ".join(f"{name} = {recorded}" for name, _, recorded in other)
    return f"{folder} keeps the settings it was started with, not those of {settings.file}: {told}" if told else ""


def differences(keys: Mapping[str, Any], asked: RunConfig, recorded: RunConfig) -> list[Difference]:
    """Return the settings under these keys that differ between two configurations; each role counts for itself."""
    plain = [key for key in keys if key != "roles"]
    found = [Difference(key, getattr(asked, key), getattr(recorded, key)) for key in plain]
    roles: list[Role] = [role for role in ROLES if role in keys.get("roles", ())]
    found += [Difference(f"roles.{role}", asked.profile_of(role), recorded.profile_of(role)) for role in roles]
    return [one for one in found if one.given != one.recorded]


def explicit(settings: Settings) -> dict[str, Any]:
    """Return what the command line says: `-c` in order, then the named options, a variant as its settings.

    Raises:
        ConfigError: a value that cannot be used, or that contradicts the variant.
    """
    values: dict[str, Any] = {}
    for text in settings.overrides:
        values = merged(values, override(text))
    return expanded(merged(values, named(settings)))


def of_file(settings: Settings) -> dict[str, Any]:
    """Return what the file says, a variant as its settings; its method is not read where the command line names one.

    Raises:
        ConfigError: it cannot be used, or contradicts its own variant.
    """
    values = from_file(settings.file) if settings.file else {}
    return expanded(
        {key: value for key, value in values.items() if key != "method" or "method" not in explicit(settings)}
    )


def expanded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with a variant of AuditCoder, named as the method, in the settings that it stands for.

    Raises:
        ConfigError: one of these settings is given with another value.
    """
    name = values.get("method")
    if not isinstance(name, str) or name not in VARIANTS:
        return dict(values)
    own = preset(name)
    for key, value in own.items():
        if key in values and values[key] != value:
            raise ConfigError(
                f"{key} = {values[key]} contradicts --method {name}, which is {key} = {value}",
                hint=f"Leave {key} out, or put the run together yourself with --method {OURS}.",
                field=key,
            )
    return {**values, **own, "method": OURS}


def refuse_unread(method: object, told: Mapping[str, Any]) -> None:
    """Refuse settings of AuditCoder on the command line of a rival's run: nothing would read them.

    Raises:
        ConfigError: there is one.
    """
    unread = [key for key in ONLY_OURS if key in told]
    if method != OURS and unread:
        raise ConfigError(
            f"{unread[0]}: the method {method} does not read it, it is a setting of AuditCoder",
            hint=f"Leave {', '.join(unread)} out; auditcoder methods lists what a method reads.",
            field=unread[0],
        )


def from_file(path: Path) -> dict[str, Any]:
    """Return the `[run]` table of a TOML file.

    Raises:
        ConfigError: it cannot be read, is no TOML, or `run` is no table.
    """
    if exists(path) and not is_file(path):
        raise ConfigError(f"{short(path)} is no regular file", hint="Check --config.", file=str(path))
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{short(path)} cannot be read: {error.strerror}", hint="Check --config.", file=str(path)
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", file=str(path)) from error
    table = data.get(SECTION, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: [{SECTION}] must be a table", file=str(path), field=SECTION)
    return table


def override(text: str) -> dict[str, Any]:
    """Return the nested table of one `key=value`; a value that is no TOML value is a string.

    Raises:
        ConfigError: there is no key, or no `=`.
    """
    key, equals, value = text.partition("=")
    parts = [part.strip() for part in key.split(".")]
    if not equals or not all(parts):
        raise ConfigError(f"-c {text}: expected KEY=VALUE", hint="For example: -c k=2 -c roles.verifier=openai/NAME")
    table: Any = scalar(value.strip())
    for part in reversed(parts):
        table = {part: table}
    return dict(table)


def scalar(text: str) -> Any:
    """Return the TOML value in a text, or the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def named(settings: Settings) -> dict[str, Any]:
    """Return the values of the options that were given."""
    given = {
        "model": settings.model, "k": settings.k, "adaptive": settings.adaptive, "granularity": settings.granularity,
        "seed": settings.seed, "gate": settings.gate, "locate": settings.locate,
        "local_checks": settings.local_checks, "evidence": settings.evidence,
        "agents": settings.agents, "repair": settings.repair, "feedback": settings.feedback,
        "method": settings.method, "max_calls": settings.max_calls, "max_tokens": settings.max_tokens,
    }  # fmt: skip
    values: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    pairs = [split_role(text) for text in settings.roles]
    return {**values, "roles": dict(pairs)} if pairs else values


def split_role(text: str) -> tuple[str, str]:
    """Return (role, profile) of `role=profile`.

    Raises:
        ConfigError: it has another form.
    """
    role, equals, profile = text.partition("=")
    if not equals or not profile:
        raise ConfigError(f"--role {text}: expected ROLE=PROFILE", hint="For example: --role verifier=ollama/NAME")
    return role.strip(), profile.strip()


def role_pairs(roles: object) -> tuple[tuple[str, str], ...]:
    """Return the role overrides in the order of the roles, so that equal settings have equal hashes.

    Raises:
        ConfigError: `roles` is no table of texts, or names something that is no role.
    """
    if not isinstance(roles, Mapping) or not all(isinstance(profile, str) for profile in roles.values()):
        raise ConfigError('roles: expected a table of ROLE = "PROFILE"', field="roles")
    if unknown := sorted(set(roles) - set(ROLES)):
        raise ConfigError(f"there is no role {unknown[0]!r}", hint=f"Roles: {', '.join(ROLES)}.", field="roles")
    return tuple((role, roles[role]) for role in ROLES if role in roles)


def option_pairs(options: object) -> tuple[tuple[str, object], ...]:
    """Return the options of a method in name order, so that equal settings have equal hashes.

    Raises:
        ConfigError: `options` is no table.
    """
    if not isinstance(options, Mapping):
        raise ConfigError("options: expected a table of NAME = VALUE", hint="For example: -c options.fixes=3",
                          field="options")  # fmt: skip
    return tuple((str(name), options[name]) for name in sorted(options))


def validated(values: Mapping[str, Any], settings: Settings) -> RunConfig:
    """Return the record of these values.

    Raises:
        ConfigError: a key is unknown, or a value is not allowed; the message names where it was given.
    """
    try:
        return RunConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        unknown = first["type"] == "extra_forbidden"
        message = "there is no such setting" if unknown else first["msg"]
        hint = meant(field) if unknown else known_methods(values.get(field)) if field == "method" else ""
        raise ConfigError(f"{source_of(field, settings)}: {field}: {message}", hint=hint, field=field) from error


def source_of(field: str, settings: Settings) -> str:
    """Return where the value of a field was given: the last place that wins."""
    key = field.partition(".")[0]
    if key in named(settings):
        return "the command line"
    for text in reversed(settings.overrides):
        if key in override(text):
            return f"-c {text}"
    return str(settings.file)


def meant(field: str) -> str:
    """Return what may have been meant by a key that does not exist."""
    if field == "policy":
        return "gate is the static gate (--policy), locate the localization policy (--locate)."
    near = difflib.get_close_matches(field, RunConfig.model_fields, n=2, cutoff=0.5)
    guess = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{guess}Keys: {', '.join(RunConfig.model_fields)}."


def known_methods(given: object) -> str:
    """Return what may have been meant by a method that does not exist."""
    names = list(dict.fromkeys((*get_args(Method), *VARIANTS)))
    near = difflib.get_close_matches(str(given), names, n=2, cutoff=0.5)
    guess = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{guess}auditcoder methods lists the methods and the variants of AuditCoder."


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables merged key by key; the second wins."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]
    return result
