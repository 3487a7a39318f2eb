"""`auditcoder solve`: tasks in, programs and their records out."""

from __future__ import annotations

from pathlib import Path

from auditcoder.cli import options as o
from auditcoder.cli.exits import guarded
from auditcoder.cli.request import Settings, SolveRequest

EXAMPLES = """\
Examples:

- `auditcoder solve examples/vowel_count.toml`
- `auditcoder solve examples --model embedded-small --k 2`
- `auditcoder solve apps:1613 --role verifier=ollama/qwen3-coder`
- `auditcoder solve examples --method auditcoder-no-binding --k 3`
- `auditcoder solve --resume runs/vowel-count-20260101-120000-ab12cd`
"""


@guarded
def command(
    tasks: o.Tasks = None,
    *,
    model: o.Model = None,
    role: o.Roles = None,
    no_cache: o.NoCache = False,
    k: o.K = None,
    adaptive: o.Adaptive = False,
    granularity: o.Granularity = None,
    seed: o.Seed = None,
    policy: o.Gate = None,
    locate: o.Locate = None,
    agents: o.Agents = None,
    repair: o.Repair = None,
    feedback: o.Feedback = None,
    method: o.MethodName = None,
    max_calls: o.MaxCalls = None,
    max_tokens: o.MaxTokens = None,
    local_checks: o.LocalChecks = None,
    evidence: o.Evidence = None,
    config: o.ConfigFile = None,
    override: o.Overrides = None,
    resume: o.Resume = False,
    dry_run: o.DryRun = False,
    out: o.Out = Path("runs"),
    data: o.Data = None,
    allow_weak_isolation: o.Weak = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
    debug: o.Debug = False,
) -> int:
    """Solve tasks: plan, write, check and repair a program, and record how it came to be.

    Each task gets a run folder with `program.py`, `record.json` and `ledger.jsonl`. The exit code is 0 when every
    program passes all its visible checks, else 1.
    """
    from auditcoder.cli import solve_work

    settings = Settings(
        model=model, roles=tuple(role or ()), k=k, adaptive=adaptive or None, granularity=granularity, seed=seed,
        gate=policy, locate=locate, local_checks=local_checks, evidence=evidence, file=config, method=method,
        agents=agents, repair=repair, feedback=feedback, max_calls=max_calls, max_tokens=max_tokens,
        overrides=tuple(override or ()),
    )  # fmt: skip
    request = SolveRequest(
        tasks=tuple(tasks or ()), settings=settings, resume=resume, dry_run=dry_run, out=out, data=data,
        weak=allow_weak_isolation, cache=not no_cache, json=json, quiet=quiet,
    )  # fmt: skip
    return solve_work.solve(request)
