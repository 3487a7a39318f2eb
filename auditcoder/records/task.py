"""A task and its development checks. Hidden tests are another type, in another place (`auditcoder.eval`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auditcoder.records.base import Record, sha256_json
from auditcoder.records.values import Value

EntryKind = Literal["program", "function", "class", "script"]


class Parameter(Record):
    """One positional parameter of a signature."""

    name: str = Field(pattern=r"^[A-Za-z_]\w*$")
    type: str = "Any"
    """A Python annotation, as text."""


class FunctionSignature(Record):
    """Name, positional parameters with types, and return type of a function or method."""

    name: str = Field(pattern=r"^[A-Za-z_]\w*$")
    parameters: tuple[Parameter, ...] = ()
    returns: str = "Any"

    def render(self) -> str:
        """Return `name(a: int, b: str) -> bool`."""
        inside = ", ".join(p.name if p.type == "Any" else f"{p.name}: {p.type}" for p in self.parameters)
        return f"{self.name}({inside})" + ("" if self.returns == "Any" else f" -> {self.returns}")


class EntryPoint(Record):
    """How the finished program is entered.

    program: reads standard input, writes standard output. function: `name` is called. class: `name` is
    instantiated and its `methods` are called. script: files in, files out.
    """

    kind: EntryKind
    name: str = ""
    signature: FunctionSignature | None = None
    """function: the function's own signature."""
    methods: tuple[FunctionSignature, ...] = ()
    """class: the public methods, `__init__` first when it takes arguments; without `self`."""
    outputs: tuple[str, ...] = ()
    """script: names of the files that the program must write."""


class Comparator(Record):
    """How an observed value is compared with an expected one (`../docs/guide/tasks.md`)."""

    kind: Literal["value", "lines", "tokens", "exact", "floats", "apps", "file"] = "value"
    rel_tol: float = 1e-9
    abs_tol: float = 1e-9
    unordered: bool = False
    """lines: the order of lines does not matter."""
    case_blind: bool = False
    bool_is_int: bool = False
    """value: True passes for 1."""
    any_of: bool = False
    """The expected value is a list of accepted ones."""


class ProgramInput(Record):
    """Standard input of a program."""

    kind: Literal["program"] = "program"
    stdin: str


class FunctionInput(Record):
    """Arguments of one call."""

    kind: Literal["function"] = "function"
    args: tuple[Value, ...] = ()


class MethodCall(Record):
    """One call of a method in a class check."""

    method: str
    args: tuple[Value, ...] = ()


class CallsInput(Record):
    """Construct the class, then call its methods in order; the observed value is the list of results."""

    kind: Literal["calls"] = "calls"
    init: tuple[Value, ...] = ()
    calls: tuple[MethodCall, ...] = ()


class UnittestInput(Record):
    """Source of `unittest.TestCase` classes that use the entry class; the verdict is the runner's result."""

    kind: Literal["unittest"] = "unittest"
    source: str


class TextFile(Record):
    """A named text file, relative, without `..`."""

    name: str
    text: str


class FilesInput(Record):
    """Read-only input files of a script, in its working directory."""

    kind: Literal["files"] = "files"
    files: tuple[TextFile, ...] = ()
    argv: tuple[str, ...] = ()
    stdin: str = ""


CheckInput = Annotated[
    ProgramInput | FunctionInput | CallsInput | UnittestInput | FilesInput, Field(discriminator="kind")
]


class ExpectedFile(Record):
    """One output file of a script check."""

    name: str
    text: str
    format: Literal["text", "csv", "json", "bytes"] = "text"


class Expected(Record):
    """What a check expects; exactly one field is set, or none for an input-only check (clean exit only)."""

    stdout: str | None = None
    value: Value = None
    has_value: bool = False
    files: tuple[ExpectedFile, ...] = ()
    passes: bool = False
    """unittest: the test cases must all pass."""

    @property
    def input_only(self) -> bool:
        """Return whether the check counts for clean exits only."""
        return self.stdout is None and not self.has_value and not self.files and not self.passes


class Check(Record):
    """One development check (core.md section 1)."""

    id: str
    origin: Literal["example", "boundary", "internal"] = "example"
    input: CheckInput
    expected: Expected
    comparator: Comparator = Comparator()
    note: str = ""
    """How the expected value was derived, for boundary checks."""


class Limits(Record):
    """Resource limits of one check."""

    cpu_seconds: float = Field(default=2.0, gt=0, le=3600)
    memory_mb: int = Field(default=512, ge=16, le=65536)
    output_kb: int = Field(default=1024, ge=1, le=65536)
    """Standard output, and each result record."""

    @property
    def wall_seconds(self) -> float:
        """Return the adjusted wall limit: 3 x CPU + 2 s."""
        return 3 * self.cpu_seconds + 2


class Task(Record):
    """A programming task with its examples. `statement` is what the model reads."""

    id: str
    statement: str = Field(min_length=1)
    entry: EntryPoint
    examples: tuple[Check, ...] = ()
    limits: Limits = Limits()
    prelude: str = ""
    """Code that the task itself provides before the entry point (imports, helpers); owned by the root."""
    files: tuple[TextFile, ...] = ()
    """script: public input files, shown in part to the model."""


def checks_hash(checks: tuple[Check, ...]) -> str:
    """Return the hash that freezes the ordered checks `Q` before code exists."""
    return sha256_json([check.model_dump(mode="json") for check in checks])
