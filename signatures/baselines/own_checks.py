"""The form of checks that a model writes itself, shared by the methods that ask for them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class OwnCheck(BaseModel):
    """One proposed check, as text that nobody has read yet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = Field(max_length=60, description="what it checks, in a few words")
    input: str = Field(min_length=1, max_length=400, description="in the form that is asked for")
    expected: str = Field(max_length=300, description="the result that the task demands for it")
