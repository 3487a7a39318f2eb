"""The work of `auditcoder schema`."""

from __future__ import annotations

import json
from typing import Any, Literal

from auditcoder.audit.outcomes import outcomes_schema
from auditcoder.cli.exits import OK
from auditcoder.records.base import FORMAT_VERSION
from auditcoder.records.ledger import LedgerLine
from auditcoder.records.schema import record_schema, render_schema
from auditcoder.tasks.schema import task_schema

Which = Literal["task", "record", "ledger", "outcomes"]


def schema(which: Which) -> int:
    """Print one schema and return the exit code; that of records is byte for byte docs/record.schema.json."""
    if which == "record":
        print(render_schema(), end="")
    else:
        print(json.dumps(schema_of(which), indent=2, ensure_ascii=False))
    return OK


def schema_of(which: Which) -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12)."""
    match which:
        case "task":
            return task_schema()
        case "outcomes":
            return outcomes_schema()
        case "record":
            return record_schema()
        case "ledger":
            head = {"$schema": record_schema()["$schema"], "$id": f"urn:auditcoder:ledger:{FORMAT_VERSION}"}
            return {**head, **LedgerLine.model_json_schema()}
