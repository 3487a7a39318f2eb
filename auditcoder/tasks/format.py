"""The fields of a task file, once: the reader, the error messages and the JSON Schema all come from here."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

from auditcoder.records.task import Comparator, EntryKind, ExpectedFile


class Field(NamedTuple):
    """One field of a section: name, what people read about it, and its JSON Schema."""

    name: str
    doc: str
    schema: dict[str, Any]


def _kinds(model: type[Any], field: str) -> list[str]:
    return list(get_args(model.model_fields[field].annotation))


COMPARE_KINDS = _kinds(Comparator, "kind")
FILE_FORMATS = _kinds(ExpectedFile, "format")
ENTRY_KINDS: list[EntryKind] = list(get_args(EntryKind))

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_ANY: dict[str, Any] = {}
_LIST: dict[str, Any] = {"type": "array"}
_FILE: dict[str, Any] = {"anyOf": [_TEXT, {"$ref": "#/$defs/file"}]}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


TOP = (
    Field("id", "Identifier; the file's name without suffix when left out.", _TEXT),
    Field("statement", "What has to be programmed; the model reads exactly this.", _TEXT),
    Field("entry", "How the finished program is entered.", _ref("entry")),
    Field("examples", "Checks that everybody may see.", {"type": "array", "items": _ref("example")}),
    Field("compare", "How results are compared: a kind, or a table with options.", _ref("compare")),
    Field("limits", "Limits of one check.", _ref("limits")),
    Field("prelude", "Code that the task itself provides before the entry point.", _TEXT),
    Field("files", "script: input files of every example.", {"type": "object", "additionalProperties": _FILE}),
)
ENTRY = (
    Field("kind", "Inferred when left out.", {"enum": ENTRY_KINDS}),
    Field("name", "Function or class name.", _TEXT),
    Field("signature", "function: as in `f(a: int, b: list[int]) -> int`.", _TEXT),
    Field("methods", "class: signatures of the public methods.", _TEXTS),
    Field("outputs", "script: files that the program must write.", _TEXTS),
)
LIMITS = (
    Field("cpu_seconds", "CPU seconds of one check.", {"type": "number", "exclusiveMinimum": 0, "maximum": 3600}),
    Field("memory_mb", "Memory of one check.", {"type": "integer", "minimum": 16, "maximum": 65536}),
    Field("output_kb", "Standard output, and each result.", {"type": "integer", "minimum": 1, "maximum": 65536}),
)
COMPARE = (
    Field("kind", "What is compared.", {"enum": COMPARE_KINDS}),
    Field("rel_tol", "Relative tolerance of floats.", {"type": "number", "minimum": 0}),
    Field("abs_tol", "Absolute tolerance of floats.", {"type": "number", "minimum": 0}),
    Field("unordered", "lines: their order does not matter.", {"type": "boolean"}),
    Field("case_blind", "Upper and lower case are the same.", {"type": "boolean"}),
    Field("bool_is_int", "True passes for 1.", {"type": "boolean"}),
)
FILE = (
    Field("text", "Content.", _TEXT),
    Field("path", "File beside the task file that holds the content.", _TEXT),
    Field("format", "How an output is compared; from the file's suffix when left out.", {"enum": FILE_FORMATS}),
)
_COMMON = (
    Field("id", "Identifier; `example-1`, `example-2`, ... when left out.", _TEXT),
    Field("compare", "How this example is compared.", _ref("compare")),
)
_EXPECTED = (
    Field("expected", "Expected result.", _ANY),
    Field("expected_py", "Expected result as a Python literal, for tuples, sets, None, ...", _TEXT),
)
_ANY_OF = (
    Field("expected_any", "Accepted results.", _LIST),
    Field("expected_any_py", "Accepted results as a Python list.", _TEXT),
)
_ARGS = (
    Field("args", "Arguments.", _LIST),
    Field("args_py", "Arguments as a Python list or tuple.", _TEXT),
    Field("call", "The call as Python writes it, with literal arguments.", _TEXT),
)
CALL = (Field("method", "Name of the method.", _TEXT), *_ARGS, *_EXPECTED)
PROGRAM_EXAMPLE = (
    *_COMMON,
    Field("stdin", "Standard input.", _TEXT),
    Field("stdout", "Expected standard output.", _TEXT),
    Field("stdout_any", "Accepted standard outputs.", _TEXTS),
)
FUNCTION_EXAMPLE = (*_COMMON, *_ARGS, *_EXPECTED, *_ANY_OF)
CLASS_EXAMPLE = (
    *_COMMON,
    Field("init", "Arguments of the constructor.", _LIST),
    Field("init_py", "Arguments of the constructor as a Python list or tuple.", _TEXT),
    Field("calls", "Method calls in order, with their results.", {"type": "array", "items": _ref("call")}),
    Field("unittest", "Source of `unittest.TestCase` classes that use the class.", _TEXT),
)
SCRIPT_EXAMPLE = (
    *_COMMON,
    Field("files", "Input files of this example.", {"type": "object", "additionalProperties": _FILE}),
    Field("argv", "Command line arguments.", _TEXTS),
    Field("stdin", "Standard input.", _TEXT),
    Field("outputs", "Expected files.", {"type": "object", "additionalProperties": _FILE, "minProperties": 1}),
)
EXAMPLES: dict[str, tuple[Field, ...]] = {
    "program": PROGRAM_EXAMPLE,
    "function": FUNCTION_EXAMPLE,
    "class": CLASS_EXAMPLE,
    "script": SCRIPT_EXAMPLE,
}
