"""The ways in which modules ask a model: a bounded form under a schema, code as fenced text, or texts and code.

Code never travels inside a JSON string (docs/adr/0004); plans and verdicts do, in small bounded schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError, LMUnexpectedError

from auditcoder.backbones.adapters import CodeAdapter, ReplyAdapter, SchemaAdapter, TruncatedOutput
from auditcoder.backbones.context import call_context, current_call
from auditcoder.errors import AuditCoderError, ContextOverflowError, UnusableAnswerError

Sampling = Mapping[str, float | int]
"""Overrides of a backbone's sampling, such as `temperature` and `rollout_id`."""
NO_ROOM = "the prompt does not fit the context window"
"""Why there is no answer when a prompt is too long."""
_SCHEMA, _CODE, _REPLY = SchemaAdapter(), CodeAdapter(), ReplyAdapter()


def ask_fields(
    predictor: dspy.Predict,
    max_tokens: int,
    *,
    node: str = "",
    agent: str = "",
    sampling: Sampling | None = None,
    **inputs: str,
) -> dspy.Prediction:
    """Return the answer to a signature with schema-constrained output fields.

    Raises:
        UnusableAnswerError: cut, of another form, or the prompt does not fit.
        BackboneError: the backbone cannot be used at all.
        BudgetSpentError: the run may make no further request.
    """
    admit()
    config = {"max_tokens": max_tokens, **(sampling or {})}
    try:
        with dspy.context(adapter=_SCHEMA), call_context(node=node, agent=agent), _own_errors():
            return predictor(config=config, **inputs)
    except (AdapterParseError, ContextOverflowError) as error:
        raise unusable(error) from error


def ask_code(
    predictor: dspy.Predict,
    max_tokens: int,
    *,
    node: str,
    agent: str = "",
    wanted: str = "",
    prefill: str = "",
    sampling: Sampling | None = None,
    **inputs: str,
) -> str:
    """Return the code of an answer, as text that nobody has run.

    Args:
        predictor: Its signature has one output field.
        max_tokens: Limit of the answer.
        node: The node that the call serves.
        agent: The agent of a rival method that asks.
        wanted: A definition that the code block holds, which tells it from an example in the answer.
        prefill: First line of the answer, given to backbones that continue it.
        sampling: Overrides of the backbone's sampling.
        inputs: Input fields.

    Raises:
        UnusableAnswerError: no code, cut, or the prompt does not fit.
        BackboneError: the backbone cannot be used at all.
        BudgetSpentError: the run may make no further request.
    """
    admit()
    signature: Any = predictor.signature
    field = next(iter(signature.output_fields))
    config = {"max_tokens": max_tokens, "wanted": wanted, "prefill": prefill, **(sampling or {})}
    try:
        with dspy.context(adapter=_CODE), call_context(node=node, agent=agent), _own_errors():
            return str(predictor(config=config, **inputs)[field])
    except (AdapterParseError, ContextOverflowError) as error:
        raise unusable(error) from error


def ask_reply(
    predictor: dspy.Predict,
    max_tokens: int,
    *,
    node: str,
    agent: str = "",
    wanted: str = "",
    sampling: Sampling | None = None,
    **inputs: str,
) -> dspy.Prediction:
    """Return a reply in parts: texts under headings and, as the last output field, code as in `ask_code`.

    A text that is missing is empty: half a reply with a program in it is worth more than none.

    Raises:
        UnusableAnswerError: no code, cut, or the prompt does not fit.
        BackboneError: the backbone cannot be used at all.
        BudgetSpentError: the run may make no further request.
    """
    admit()
    config = {"max_tokens": max_tokens, "wanted": wanted, **(sampling or {})}
    try:
        with dspy.context(adapter=_REPLY), call_context(node=node, agent=agent), _own_errors():
            return predictor(config=config, **inputs)
    except (AdapterParseError, ContextOverflowError) as error:
        raise unusable(error) from error


@contextmanager
def _own_errors() -> Iterator[None]:
    """Let an error of ours pass as what it is: the framework wraps what it does not know, such as a full disk.

    Raises:
        AuditCoderError: what the framework wrapped.
    """
    try:
        yield
    except LMUnexpectedError as error:
        if isinstance(error.__cause__, AuditCoderError):
            raise error.__cause__ from None
        raise


def admit() -> None:
    """Let a request go.

    Raises:
        BudgetSpentError: the run may make no further request.
    """
    if (spending := current_call().spending) is not None:
        spending.admit()


def unusable(error: Exception) -> UnusableAnswerError:
    """Return our error for an answer that cannot be used, with the text as far as it is known."""
    text = str(getattr(error, "lm_response", "") or "")
    if isinstance(error, TruncatedOutput):
        return UnusableAnswerError("the answer was cut at its token limit", text=text)
    if isinstance(error, ContextOverflowError):
        return UnusableAnswerError(NO_ROOM, text=text)
    return UnusableAnswerError("the answer is not of the required form", text=text)
