"""The work of `auditcoder schema`."""

from __future__ import annotations

import json
from typing import Any, Literal

from auditcoder.cli.exits import OK
from auditcoder.records.ledger import LedgerLine
from auditcoder.records.run import RunRecord
from auditcoder.tasks.schema import task_schema


def schema(which: Literal["task", "record", "ledger"]) -> int:
    """Print one schema and return the exit code."""
    print(json.dumps(schema_of(which), indent=2, ensure_ascii=False))
    return OK


def schema_of(which: Literal["task", "record", "ledger"]) -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12)."""
    if which == "task":
        return task_schema()
    return (RunRecord if which == "record" else LedgerLine).model_json_schema()
