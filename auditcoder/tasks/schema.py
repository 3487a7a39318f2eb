"""The JSON Schema of the task file format, generated from the tables that the loader reads by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditcoder.tasks import format as form


def task_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a task file, TOML or JSON; `docs/task.schema.json` is its copy."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "auditcoder task file",
        **_object(form.TOP, ("statement",)),
        "$defs": {
            "entry": _object(form.ENTRY),
            "limits": _object(form.LIMITS),
            "compare": {"anyOf": [{"enum": form.COMPARE_KINDS}, _object(form.COMPARE)]},
            "file": _object(form.FILE),
            "call": _object(form.CALL),
            "example": {"anyOf": [_ref(f"{kind}_example") for kind in form.EXAMPLES]},
            "program_example": _object(form.PROGRAM_EXAMPLE) | {"anyOf": _one_of("stdout", "stdout_any")},
            "function_example": _object(form.FUNCTION_EXAMPLE)
            | {"anyOf": _one_of("expected", "expected_py", "expected_any", "expected_any_py")},
            "class_example": _object(form.CLASS_EXAMPLE) | {"anyOf": _one_of("calls", "unittest")},
            "script_example": _object(form.SCRIPT_EXAMPLE, ("outputs",)),
        },
    }


def _object(fields: Sequence[form.Field], required: tuple[str, ...] = ()) -> dict[str, Any]:
    properties = {field.name: {**field.schema, "description": field.doc} for field in fields}
    closed: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return closed | ({"required": list(required)} if required else {})


def _one_of(*names: str) -> list[dict[str, Any]]:
    return [{"required": [name]} for name in names]


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}
