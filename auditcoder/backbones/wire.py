"""The canonical request and response of DSPy's engine seam as plain JSON values.

The only module that touches the serializer of DSPy's vendored library, which has no public name in 3.4.
"""

from __future__ import annotations

import json

from dspy._vendor.lm15.serde import request_to_dict, response_from_dict, response_to_dict
from dspy.lm15 import DataPart, Request, Response

from auditcoder.errors import RecordError
from auditcoder.records.base import canonical_json


def request_json(request: Request) -> str:
    """Return the canonical JSON of a request: what is hashed, recorded and compared on replay."""
    return canonical_json(request_to_dict(request)).decode("ascii")


def response_json(response: Response) -> str:
    """Return the canonical JSON of a response, without the server's raw body."""
    return canonical_json(response_to_dict(response)).decode("ascii")


def response_from_json(text: str | bytes) -> Response:
    """Return the response that `response_json` wrote.

    Raises:
        RecordError: this is no such text.
    """
    try:
        return response_from_dict(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise RecordError(f"A kept answer is malformed: {exc}", hint="Its file was damaged or changed.") from exc


def response_text(response: Response) -> str:
    """Return the text of a response; empty when it has none.

    An answer under a schema with enumerations arrives as parsed data, for the sake of token scores that nobody here
    asked for: it is written as JSON again.
    """
    data = [part.value for part in response.message.parts if isinstance(part, DataPart)]
    return json.dumps(data[0], ensure_ascii=False) if data else response.message.text or ""


def prefill_of(request: Request) -> str:
    """Return the text that the answer continues: a last message of the assistant, else nothing."""
    last = request.messages[-1]
    return (last.text or "") if last.role == "assistant" else ""
