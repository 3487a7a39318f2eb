"""The exported JSON Schema of what a run leaves behind: `record.json`, and each line of `ledger.jsonl`."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import models_json_schema

from auditcoder.records.base import FORMAT_VERSION
from auditcoder.records.ledger import LedgerLine
from auditcoder.records.run import RunRecord


def record_schema() -> dict[str, Any]:
    """Return one JSON Schema (draft 2020-12) for both documents, of this format version.

    `#/$defs/RunRecord` is `record.json`, `#/$defs/LedgerLine` a line of the ledger. Fields with a default may be
    missing in documents of an earlier minor version; unknown fields are refused.
    """
    _, definitions = models_json_schema([(RunRecord, "validation"), (LedgerLine, "validation")])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:auditcoder:record:{FORMAT_VERSION}",
        "title": "Construction record and ledger of an auditcoder run",
        "version": FORMAT_VERSION,
        "anyOf": [{"$ref": "#/$defs/RunRecord"}, {"$ref": "#/$defs/LedgerLine"}],
        "$defs": definitions["$defs"],
    }


def render_schema() -> str:
    """Return the text of `docs/record.schema.json`."""
    return json.dumps(record_schema(), indent=2, sort_keys=True, ensure_ascii=True) + "\n"
