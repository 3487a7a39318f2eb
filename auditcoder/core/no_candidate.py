"""Why a repair ended without a candidate, in the words of the record (core.md section 6)."""

from __future__ import annotations

from auditcoder.records.localization import Scope

NO_SETTLEMENT = "no usable settlement of the interface"
SAME_CODE = "the same code came back"


def no_plan(scope: Scope) -> str:
    """Return that a branch was not planned anew."""
    return f"no usable plan of {scope.branch} came back"


def no_code(scope: Scope, node: str) -> str:
    """Return that a node was not written; the node is named where the repair writes more than one."""
    return "no usable code came back" + ("" if is_lone(scope) else f" for {node}")


def not_linked(message: str) -> str:
    """Return that the new units do not link."""
    return f"does not link: {message}"[:300]


def is_lone(scope: Scope) -> bool:
    """Return whether one node is regenerated and nothing else: then an answer that changes nothing is of no use."""
    return scope.action == "regenerate" and len(scope.nodes) == 1 and not scope.expansions
