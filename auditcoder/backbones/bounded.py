"""Work that may not end: run in a thread, waited for with a limit, and stopped when the caller gives up."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_GRACE_SECONDS = 5.0


class _Task(Generic[T]):
    """The outcome of one piece of work, or nothing yet."""

    def __init__(self, work: Callable[[threading.Event], T]) -> None:
        self._work = work
        self.cancelled = threading.Event()
        self.done = threading.Event()
        self.error: BaseException | None = None
        self.value: T | None = None

    def run(self) -> None:
        try:
            self.value = self._work(self.cancelled)
        except BaseException as exc:  # kept for the waiting thread, which raises it
            self.error = exc
        finally:
            self.done.set()


def run_bounded(work: Callable[[threading.Event], T], seconds: float) -> T:
    """Return what `work(cancelled)` returns.

    The caller waits in Python, so Ctrl-C takes effect at once although the work sits in native code. `work` should
    look at `cancelled` where it can; a thread that cannot be stopped is left behind as a daemon.

    Raises:
        TimeoutError: nothing came in time.
    """
    task = _Task(work)
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(task.run,), daemon=True, name="auditcoder-call")
    try:
        thread.start()
        finished = task.done.wait(seconds)
    except BaseException:
        task.cancelled.set()
        task.done.wait(_GRACE_SECONDS)
        raise
    if not finished:
        task.cancelled.set()
        raise TimeoutError(f"no answer within {seconds:g} s")
    if task.error is not None:
        raise task.error
    return task.value  # type: ignore[return-value]  # set whenever there is no error
