"""Replies in parts: what is asked for, and what is taken from replies that keep the form only roughly."""

from __future__ import annotations

from typing import Any, Literal

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError

from auditcoder.backbones.adapters import ReplyAdapter

CODE = "```python\ndef f(x):\n    return x\n```"


class Debug(dspy.Signature):  # type: ignore[misc]
    """Find the fault."""

    task: str = dspy.InputField()
    trace_notes: str = dspy.OutputField(desc="what happens")
    verdict: Literal["keep", "revise"] = dspy.OutputField()
    code: str = dspy.OutputField(desc="the program")


def parts(text: str) -> dict[str, Any]:
    return ReplyAdapter().parse(Debug, text)


def test_the_form_is_asked_for_with_its_choices() -> None:
    shown = ReplyAdapter().format_system_message(Debug)
    assert shown.startswith("Find the fault.")
    assert "### trace_notes\n(what happens)\n### verdict\n(keep or revise)\n### code\n```python" in shown


def test_a_reply_in_the_form_is_taken_apart() -> None:
    reply = f"### trace_notes\nx is lost.\nTwice.\n### verdict\nrevise\n### code\n{CODE}"
    assert parts(reply) == {
        "trace_notes": "x is lost.\nTwice.", "verdict": "revise", "code": "def f(x):\n    return x\n",
    }  # fmt: skip


@pytest.mark.parametrize("mark", ["## Trace notes:", "**trace_notes**:", "**Trace notes:**", "# TRACE_NOTES"])
def test_headings_may_be_marked_in_other_ways(mark: str) -> None:
    assert parts(f"{mark} x is lost\n{CODE}")["trace_notes"].startswith("x is lost")


@pytest.mark.parametrize("text", ["", "### verdict\nkeep or revise?", "### verdict\nrevised", "### verdict\nyes"])
def test_a_choice_that_is_not_made_is_empty(text: str) -> None:
    assert parts(f"{text}\n### code\n{CODE}")["verdict"] == ""


def test_a_heading_inside_the_code_is_a_comment() -> None:
    reply = "### verdict\nkeep\n### code\n```python\n### verdict\n# revise\ndef f(x):\n    return x\n```"
    assert parts(reply)["verdict"] == "keep"


def test_a_reply_of_code_alone_has_empty_texts() -> None:
    assert parts(CODE) == {"trace_notes": "", "verdict": "", "code": "def f(x):\n    return x\n"}


def test_a_reply_without_code_is_refused() -> None:
    with pytest.raises(AdapterParseError, match="no code"):
        parts("### trace_notes\nnothing to do\n### verdict\nkeep")


def test_a_demonstration_has_the_form_of_a_reply() -> None:
    adapter = ReplyAdapter()
    shown = {"trace_notes": "x is lost", "verdict": "revise", "code": "def f(x):\n    return x\n"}
    assert adapter.parse(Debug, adapter.format_assistant_message_content(Debug, shown)) == shown
