"""The code in a model's answer: a fenced block of plain text, or the continuation of a given beginning.

Pure text functions, so that the audit can take the code out of a recorded answer again.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from typing import Any

from auditcoder.errors import UnusableAnswerError

FENCE = "```"
LEAD = "# The old code was wrong because"
"""How a regeneration begins inside the definition: the diagnosis, which is no part of the code."""
_BLOCK = re.compile(r"^[ \t]*```[ \t]*(?P<tag>[\w+-]*)[^\n]*\n(?P<body>.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = f"{FENCE}python\n"


def answered_code(request: str, response: str, wanted: str) -> str:
    """Return the code of a recorded answer, as it was taken when it came.

    Args:
        request: Canonical JSON of the request; a last message of the assistant is the beginning that was continued.
        response: Canonical JSON of the response.
        wanted: The name that the block has to define.

    Raises:
        UnusableAnswerError: there is no code in it, or it is no answer.
    """
    try:
        last = json.loads(request)["messages"][-1]
        text = _text(json.loads(response)["message"]["parts"])
        begun = _text(last["parts"]) if last["role"] == "assistant" else ""
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise UnusableAnswerError(f"the recorded call is no request and answer: {error}") from error
    if begun:
        code = (begun.removeprefix(_OPENING) + text).partition(FENCE)[0]
    else:
        code = extract_code(text, wanted)
    if not code.strip():
        raise UnusableAnswerError("there is no code in the recorded answer", text=text)
    return ended(code)


def _text(parts: list[dict[str, Any]]) -> str:
    """Return the text of a message; empty when it holds anything else besides text."""
    if any(part["type"] != "text" for part in parts):
        return ""
    return "\n".join(str(part["text"]) for part in parts)


def ended(code: str) -> str:
    """Return code that ends in one newline."""
    return code.rstrip() + "\n"


def extract_code(text: str, wanted: str = "") -> str:
    """Return the code in an answer; empty when there is none.

    It is the first fenced block that defines `wanted`, else the first block marked as Python or not at all, else the
    whole text if that parses as Python. A last block without an end is taken up to the end of the text.
    """
    blocks = [(m["tag"].lower(), textwrap.dedent(m["body"])) for m in _BLOCK.finditer(text)]
    python = [body for tag, body in blocks if tag in ("", "python", "py", "python3") and body.strip()]
    if wanted:
        defining = re.compile(rf"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+{re.escape(wanted)}\b", re.MULTILINE)
        for body in python:
            if defining.search(body):
                return body
    if python:
        return python[0]
    return "" if blocks or not _parses(text) else text


def _parses(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def without_lead(code: str) -> str:
    """Return code without the comment that names the fault of the code before it."""
    lines = code.split("\n")
    for first, line in enumerate(lines):
        if line.strip().startswith(LEAD):
            rest = lines[first:]
            comments = next((i for i, text in enumerate(rest) if not text.strip().startswith("#")), len(rest))
            return "\n".join((*lines[:first], *rest[comments:]))
    return code
