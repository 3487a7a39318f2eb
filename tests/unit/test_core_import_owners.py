"""A failing line of the merged import block is traced to the one node whose code asked for it, or to nobody."""

from __future__ import annotations

import pytest

from auditcoder.core.anchor import Anchor
from auditcoder.core.assembly import assemble
from auditcoder.core.case import LocateInputs
from auditcoder.core.plan import PlannedStep, build_graph
from auditcoder.core.rules import RuleResult, trace
from auditcoder.core.versions import Active
from auditcoder.records.base import sha256_text
from auditcoder.records.code import NodeCode
from auditcoder.records.execution import CheckResult, ExecutionReport, Frame
from auditcoder.records.task import Check, EntryPoint, Expected, ProgramInput, Task

TASK = Task(id="t", statement="Add the numbers.", entry=EntryPoint(kind="program"))
GRAPH = build_graph(
    TASK,
    (
        PlannedStep("parse", "read the numbers", "string", ("stdin",), "numbers", "list"),
        PlannedStep("total", "add them up", "simulation", ("numbers",), "answer", "int"),
    ),
    lambda expression, names: "",
)
SOURCES = {
    "S0": "def main():\n    print(total(parse(input())))\n",
    "S1": "def parse(stdin):\n    return [int(t) for t in stdin.split()]\n",
    "S2": "def total(numbers):\n    return sum(numbers)\n",
}
CHECK = Check(id="E1", input=ProgramInput(stdin="1 2"), expected=Expected(stdout="3"))


def traced(line: str, imports: dict[str, str], prelude: str = "") -> RuleResult:
    """Return what Trace says when a line of the linked program fails; the codes begin with the imports."""
    sources = {name: f"{imports.get(name, '')}\n{source}" for name, source in SOURCES.items()}
    codes = {name: NodeCode(node=name, source=text, digest=sha256_text(text)) for name, text in sources.items()}
    assembly = assemble(GRAPH, codes, TASK.model_copy(update={"prelude": prelude}))
    number = assembly.program.split("\n").index(line) + 1
    result = CheckResult(check="E1", outcome="runtime-error", frames=(Frame(line=number, function="<module>"),))
    report = ExecutionReport(program=assembly.digest, results=(result,))
    found = trace(
        Anchor(CHECK, result), LocateInputs(active=Active(GRAPH, codes, assembly), report=report, checks=(CHECK,))
    )
    assert f"line {number}" in found.note
    return found


IMPORTED: dict[str, tuple[dict[str, str], str, str]] = {
    # name: (imports of each node, failing line of the block, owner)
    "of-a-leaf": ({"S1": "from math import nosuch"}, "from math import nosuch", "S1"),
    "of-the-root": ({"S0": "import nosuch"}, "import nosuch", "S0"),
    "under-another-name": ({"S2": "import nosuch as other"}, "import nosuch as other", "S2"),
    "one-line-of-several": ({"S1": "import nosuch", "S2": "import os"}, "import nosuch", "S1"),
    "of-two": ({"S1": "import nosuch", "S2": "import nosuch"}, "import nosuch", ""),
    "merged-from-two": (
        {"S1": "from math import nosuch", "S2": "from math import pi"},
        "from math import nosuch, pi",
        "",
    ),
    "renamed-apart": (
        {"S1": "from math import nosuch as n", "S2": "from cmath import pi as n"},
        "from cmath import pi as n__S2",
        "S2",
    ),
}


@pytest.mark.parametrize(("imports", "line", "owner"), IMPORTED.values(), ids=IMPORTED.keys())
def test_a_failing_import_is_traced_to_the_code_that_asked_for_it(
    imports: dict[str, str], line: str, owner: str
) -> None:
    assert traced(line, imports).owner == owner


def test_an_import_that_the_prelude_shares_is_nobodys() -> None:
    given = {"S1": "from math import pi"}
    assert traced("from math import nosuch, pi", given, "from math import nosuch").owner == ""
