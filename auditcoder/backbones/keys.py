"""API keys kept out of everything that is recorded or shown: a server may quote the key that it was sent."""

from __future__ import annotations

import json
import os
import re
import traceback
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

from dspy.lm15 import Response

from auditcoder.backbones.profiles import Profile
from auditcoder.backbones.wire import response_from_json, response_json

Hide = Callable[[str], str]
"""Returns a text with `[key]` where a key stood."""

MARK = "[key]"
_LEAST = 8
"""A shorter value is the dummy key of a local server: no secret, and blotting it out would tear answers apart."""
_PREFIX = 12
"""So many characters of a key are blotted out too, where a message was cut in the middle of one."""
_KEY_NAME = re.compile(r"\w*(?:KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE)


def key_hider(profile: Profile) -> Hide:
    """Return what blots out the key of a profile.

    Without an `api_base` DSPy and LiteLLM look up the variables of the provider themselves, so every variable that
    is named like a key counts.
    """
    names = {profile.api_key_env}
    if profile.engine == "lm" and not profile.api_base:
        names |= {name for name in os.environ if _KEY_NAME.fullmatch(name)}
    return hider(*(os.environ.get(name, "").strip() for name in sorted(names)))


def hider(*keys: str) -> Hide:
    """Return what blots out these keys: as they are, escaped as in JSON, `repr` or a URL, and cut short."""
    secret = [key for key in keys if len(key) >= _LEAST]
    forms = {form for key in secret for form in (key, json.dumps(key)[1:-1], repr(key)[1:-1], quote(key, safe=""))}
    longest_first = sorted(forms, key=lambda form: (-len(form), form))

    def hide(text: str) -> str:
        for form in longest_first:  # whole keys first: the escaped one may begin like the plain one
            text = text.replace(form, MARK)
        for form in longest_first:
            text = _without_beginning(text, form)
        return text

    return hide


def hides(error: BaseException, hide: Hide) -> bool:
    """Return whether a traceback of this error would show a key."""
    shown = "".join(traceback.format_exception(error))
    return hide(shown) != shown


def without_keys(response: Response, hide: Hide) -> Response:
    """Return an answer without keys in any of its texts; one that holds a key loses the server's raw body too."""
    text = response_json(response)
    if hide(text) == text and hide(str(response.provider_data)) == str(response.provider_data):
        return response
    return replace(response_from_json(json.dumps(_hidden(json.loads(text), hide))), provider_data=None)


def _hidden(value: object, hide: Hide) -> object:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_hidden(item, hide) for item in value]
    if isinstance(value, dict):
        return {hide(str(name)): _hidden(item, hide) for name, item in value.items()}
    return value


def _without_beginning(text: str, form: str) -> str:
    head, kept, at = form[:_PREFIX], [], 0
    while (found := text.find(head, at)) >= 0:
        kept += [text[at:found], MARK]
        at = found + _common(text[found : found + len(form)], form)
    return "".join([*kept, text[at:]])


def _common(text: str, form: str) -> int:
    pairs = enumerate(zip(text, form, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(text), len(form)))
