"""The base of all modules here: a DSPy module whose call has the type of its `forward`."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, cast

import dspy

R = TypeVar("R")


class TypedModule(dspy.Module, Generic[R]):
    """A DSPy module that returns a record of ours; DSPy types every call as a prediction, which none leaves here."""

    def __call__(self, *args: Any, **kwargs: Any) -> R:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return what `forward` returns, by way of DSPy's callbacks."""
        return cast("R", super().__call__(*args, **kwargs))
