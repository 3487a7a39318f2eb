"""The options of the commands, as annotated types: name, panel and help in one place.

Nothing heavy is imported here, so that `--help` is quick; a test compares the choices with the records'.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

GranularityChoice = Literal["auto", "single", "coarse", "fine"]
GateChoice = Literal["off", "warn", "strict"]
LocateChoice = Literal["paper", "executed-first"]
LocalChecksChoice = Literal["auto", "none", "confirmed"]
EvidenceChoice = Literal["anchor", "all-checks"]
AgentsChoice = Literal["specialized", "generic"]
RepairChoice = Literal["bounded", "whole"]

MODELS = "Models"
STRATEGY = "How it is solved"
RUN = "The run"
OUTPUT = "Output"

Tasks = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TASK...",
        help="Task file (TOML or JSON), folder of task files, suite reference such as apps:1613 or humaneval:56, "
        "or with --resume a run folder.",
        show_default=False,
    ),
]
Model = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="PROFILE", help="Model profile of every role. [default: embedded]",
                 rich_help_panel=MODELS, show_default=False),
]  # fmt: skip
Roles = Annotated[
    list[str] | None,
    typer.Option("--role", "-r", metavar="ROLE=PROFILE", help="Another profile for one role; repeatable.",
                 rich_help_panel=MODELS, show_default=False),
]  # fmt: skip
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Ask the model again, also where the answer is known.", rich_help_panel=MODELS),
]
K = Annotated[
    int | None,
    typer.Option("--k", metavar="N", min=0, max=30, help="Repairs at most. [default: 1]",
                 rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Adaptive = Annotated[
    bool,
    typer.Option("--adaptive", help="Repair until four rounds in a row bring no further passed check.",
                 rich_help_panel=STRATEGY),
]  # fmt: skip
Granularity = Annotated[
    GranularityChoice | None,
    typer.Option("--granularity", "-g", help="How finely the task is divided. [default: auto]",
                 rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Seed of the sampling. [default: 0]", rich_help_panel=STRATEGY,
                 show_default=False),
]  # fmt: skip
Gate = Annotated[
    GateChoice | None,
    typer.Option("--policy", help="Static policy gate: strict refuses what it forbids, warn reports it. "
                 "[default: warn]", rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Locate = Annotated[
    LocateChoice | None,
    typer.Option("--locate", help="Which finding wins when several explain a failure. [default: executed-first]",
                 rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
MethodName = Annotated[
    str | None,
    typer.Option("--method", help="What makes the program: AuditCoder or a variant of it, or a rival on the same "
                 "model, sandbox and checks; auditcoder methods lists them. [default: auditcoder]", metavar="NAME",
                 rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Agents = Annotated[
    AgentsChoice | None,
    typer.Option("--agents", help="Whether a step is written with the prompt of its kind of algorithm, or every step "
                 "with the same. [default: specialized]", rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Repair = Annotated[
    RepairChoice | None,
    typer.Option("--repair", help="Whether a repair changes one scope and freezes the rest, or writes the whole "
                 "program anew. [default: bounded]", rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Feedback = Annotated[
    str | None,  # the policies are the configuration's words, and no help may load the records
    typer.Option("--feedback", metavar="POLICY", help="What a repair shows to the model; auditcoder methods lists the "
                 "policies. [default: error]", rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
MaxCalls = Annotated[
    int | None,
    typer.Option("--max-calls", help="Model requests at most; then the run ends with its current program.",
                 metavar="N", min=1, rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", help="Prompt and completion tokens at most; a request in flight completes.",
                 metavar="N", min=1, rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
LocalChecks = Annotated[
    LocalChecksChoice | None,
    typer.Option("--local-checks", help="Checks of single steps that the planner adds: none, or those whose result a "
                 "second call confirms. [default: auto]", rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Evidence = Annotated[
    EvidenceChoice | None,
    typer.Option("--evidence", help="Checks whose calls are recorded when one fails: the first failing one, or all. "
                 "[default: anchor]", rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="TOML file with settings of the run; options win over it.",
                 rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
ProfilesFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="TOML file with profiles of your own. [default: configs/models.toml, "
                 "if it is there]", show_default=False),
]  # fmt: skip
Overrides = Annotated[
    list[str] | None,
    typer.Option("-c", metavar="KEY=VALUE", help="One setting, after the file; repeatable.",
                 rich_help_panel=STRATEGY, show_default=False),
]  # fmt: skip
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with a stopped run: the run folder that is named, or the newest unfinished "
                 "run of the task. No model call that has its answer is made again.", rich_help_panel=RUN),
]  # fmt: skip
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the planned model calls and stop.", rich_help_panel=RUN)]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where run folders are made.", rich_help_panel=RUN)]
Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", envvar="AUDITCODER_DATA", help="Folder of the benchmark suites.",
                 rich_help_panel=RUN, show_default=False),
]  # fmt: skip
Weak = Annotated[
    bool,
    typer.Option("--allow-weak-isolation", help="Run generated code also where this machine gives only weak "
                 "isolation (see auditcoder doctor).", rich_help_panel=RUN),
]  # fmt: skip
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object to standard output; progress goes to standard error.",
                 rich_help_panel=OUTPUT),
]  # fmt: skip
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only the result.", rich_help_panel=OUTPUT)]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=OUTPUT)]
RunFolder = Annotated[
    Path | None,
    typer.Argument(
        metavar="[RUN]", help="Run folder, or its ledger.jsonl. [default: the newest run in runs/]", show_default=False
    ),
]
