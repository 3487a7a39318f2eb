"""The summary of what was found about a suite: figures, and every disagreement with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditcoder.eval.suites.registry import suite
from auditcoder.eval.truth.finding import Finding
from auditcoder.eval.truth.reasons import reason


def summary(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return figures by kind of program, all disagreements, and those without a known reason."""
    groups = {"reference": [], "faulty": [], "recorded": []}  # type: dict[str, list[Finding]]
    for finding in findings:
        kind = finding.id.partition(":")[0]
        groups[kind if kind in groups else "recorded"].append(finding)
    differing = [one for one in findings if one.judged and not one.agrees]
    return {
        "suite": name,
        **{kind: _figures(group) for kind, group in groups.items() if group},
        "disagreements": [_line(one) for one in differing],
        "unexplained": [one.id for one in differing if not _why(one)],
        "skipped": {one.id: one.found for one in findings if not one.judged},
    }


def _figures(group: Sequence[Finding]) -> dict[str, Any]:
    judged = [one for one in group if one.judged]
    sound = [one for one in judged if one.task not in suite(one.suite).defective]
    return {
        "programs": len(group),
        "judged": len(judged),
        "agree": sum(one.agrees for one in judged),
        "agree_in_kind": sum(one.agrees_in_kind for one in judged),
        "on_sound_tasks": len(sound),
        "agree_on_sound_tasks": sum(one.agrees for one in sound),
        "seconds": round(sum(one.seconds for one in group), 1),
    }


def _line(one: Finding) -> dict[str, str]:
    shown = {"id": one.id, "task": one.task, "known": one.expected, "found": one.found, "test": one.test}
    return {**shown, "why": _why(one)}


def _why(one: Finding) -> str:
    return reason(one) or suite(one.suite).defective.get(one.task, "")


def table(told: dict[str, Any]) -> str:
    """Return the summary as lines for people."""
    lines = [f"{told['suite']}:"]
    for kind in ("reference", "faulty", "recorded"):
        if kind in told:
            one = told[kind]
            share = 100 * one["agree"] / max(1, one["judged"])
            lines.append(
                f"  {kind}: {one['agree']} of {one['judged']} agree ({share:.2f} %), in kind {one['agree_in_kind']}; "
                f"sound tasks {one['agree_on_sound_tasks']} of {one['on_sound_tasks']}; "
                f"{one['programs'] - one['judged']} skipped; {one['seconds']} s"
            )
    for one in told["disagreements"]:
        seen = f"known {one['known']}, found {one['found']} {one['test']}".rstrip()
        lines.append(f"  {one['id']} (task {one['task']}): {seen}; {one['why'] or 'UNEXPLAINED'}")
    lines += [f"  {name}: {why}" for name, why in told["skipped"].items()]
    return "\n".join(lines) + "\n"
