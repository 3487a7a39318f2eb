"""Our backbone errors in a form that passes through DSPy unchanged, and the way from its errors to ours.

DSPy turns every error of an engine into one of its own, except its own: so each class here is both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from dspy import lm15
from dspy.utils.exceptions import (
    ContextWindowExceededError,
    DSPyError,
    LMAuthError,
    LMProviderError,
    LMTransportError,
)

from auditcoder.backbones.profiles import Profile
from auditcoder.errors import (
    AuditCoderError,
    BackboneAuthError,
    BackboneError,
    BackboneUnavailableError,
    ContextOverflowError,
)


class CallError(BackboneError):
    """Base of the errors that one request can end in. `code` and `hint` are ours; DSPy sees its own class."""

    advice = "Check the profile: `auditcoder models check`."
    """The hint where none is given, as for an error out of a ledger."""

    def __init__(self, message: str, *, hint: str = "", **fields: object) -> None:
        DSPyError.__init__(cast(DSPyError, self), message)  # every concrete class below is one
        self.code = type(self).code
        self.message, self.hint, self.fields = message, hint or self.advice, fields


class UnavailableError(CallError, BackboneUnavailableError, LMTransportError):
    """The server is down, refuses, times out or answers garbage."""

    code = BackboneUnavailableError.code
    advice = "Is the server up, and does it speak the OpenAI chat API?"


class AuthRefusedError(CallError, BackboneAuthError, LMAuthError):
    """The key is missing or refused."""

    code = BackboneAuthError.code
    advice = "Set the API key variable of the profile (api_key_env)."


class ContextFullError(CallError, ContextOverflowError, ContextWindowExceededError):
    """The prompt does not fit the context window."""

    code = ContextOverflowError.code
    advice = "Shorten the task, or use a model with a larger context."


class RefusedError(CallError, LMProviderError):
    """The request is refused for another reason: an unknown model, a schema that does not compile, no credit."""

    code = BackboneError.code
    advice = "Check the model id and the profile's supports_schema."


_BY_CODE: dict[str, type[CallError]] = {
    kind.code: kind for kind in (UnavailableError, AuthRefusedError, ContextFullError, RefusedError)
}


def unset_key(profile: Profile) -> AuthRefusedError:
    """Return the error for a profile whose key variable is not set."""
    return AuthRefusedError(
        f"Profile '{profile.name}' needs a key: the environment variable {profile.api_key_env} is not set",
        hint=f"export {profile.api_key_env}=...   (or choose another --model; 'embedded' needs no key)",
        profile=profile.name,
    )


def refused_key(profile: Profile, said: str) -> AuthRefusedError:
    """Return the error for a server that refuses the key of a profile; `said` is its own message, without the key."""
    where = profile.api_base or profile.model
    told = (said.strip().splitlines() or [""])[0][:300]
    if profile.api_key_env:
        message = f"{where}: the server refused the key in {profile.api_key_env}: {told}"
        return AuthRefusedError(message, hint=f"Check {profile.api_key_env}: export {profile.api_key_env}=...")
    if not profile.api_base:
        return AuthRefusedError(f"{where}: {told}", hint="Set the key variable of the provider, as its manual says.")
    table = f'engine = "lm", model = "{profile.model}", api_base = "{profile.api_base}", api_key_env = "VARIABLE"'
    hint = (
        f"Write a profile that names its variable, in configs/models.toml or --config FILE:\n[profiles.NAME]: {table}"
    )
    return AuthRefusedError(f"{where}: the server wants a key, and none was given: {told}", hint=hint)


def recorded_form(error: CallError) -> str:
    """Return the `code: message` under which an error stands in the ledger."""
    return f"{error.code}: {error.message}"


def from_recorded(text: str) -> CallError:
    """Return the error that `recorded_form` wrote, of the same class."""
    code, _, message = text.partition(": ")
    return _BY_CODE.get(code, RefusedError)(message)


def from_engine(error: Exception, *, where: str, hide: Callable[[str], str] = str) -> CallError:
    """Return our error for an error of a request to `where`, a URL or model name; `hide` blots out keys."""
    text = f"{where}: {_first_line(error, hide)}"
    match error:
        case CallError():
            return error if error.message.startswith(where) else type(error)(hide(text), hint=error.hint)
        case lm15.ContextLengthError():
            return ContextFullError(text)
        case lm15.AuthError() | lm15.NotConfiguredError():
            return AuthRefusedError(text)
        case lm15.BillingError():
            return RefusedError(text, hint="The account has no credit or quota left.")
        case lm15.TimeoutError() | TimeoutError():
            return UnavailableError(text, hint="Raise timeout_seconds of the profile, or lower max_tokens.")
        case lm15.RateLimitError() | lm15.ServerError() | lm15.TransportError():
            return UnavailableError(text)
        case lm15.InvalidRequestError() | lm15.ConfigurationError() | lm15.CapabilityError():
            return RefusedError(text)
        case AuditCoderError():
            return UnavailableError(hide(error.message), hint=error.hint)
        case RecursionError():
            return UnavailableError(f"{where}: the answer is nested too deeply")
        case MemoryError():
            return UnavailableError(f"{where}: the answer does not fit into memory")
        case _:
            return UnavailableError(f"{text} (no usable chat completion)")


def _first_line(error: Exception, hide: Callable[[str], str]) -> str:
    line = (hide(str(error)).strip().splitlines() or [""])[0]  # hidden before it is cut: half a key is too much
    return line[:300] or type(error).__name__
