"""Whose call it is: passed beside the request, so that the prompt does not change with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from auditcoder.core.spending import Spending

OnProgress = Callable[[int, float], None]
"""Told (answer tokens so far, seconds since the request was sent), from another thread; must be quick."""


class CallContext(NamedTuple):
    """What is known about a call besides its request."""

    node: str = ""
    on_progress: OnProgress | None = None
    agent: str = ""
    spending: Spending | None = None


_NOBODY = CallContext()
_current: ContextVar[CallContext] = ContextVar("auditcoder_call", default=_NOBODY)


def current_call() -> CallContext:
    """Return the context of the call that is being made."""
    return _current.get()


@contextmanager
def call_context(
    *, node: str = "", on_progress: OnProgress | None = None, agent: str = "", spending: Spending | None = None
) -> Iterator[None]:
    """Name node and agent of the calls inside this block, who watches and what pays; what is not given is inherited."""
    outer = _current.get()
    own = CallContext(
        node or outer.node, on_progress or outer.on_progress, agent or outer.agent, spending or outer.spending
    )
    token = _current.set(own)
    try:
        yield
    finally:
        _current.reset(token)
