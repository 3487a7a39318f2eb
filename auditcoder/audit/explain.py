"""What one numbered check of `verify` compares, in the words of its own rules."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import NamedTuple

from auditcoder.audit import execute
from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.outputs import outputs_match
from auditcoder.audit.rules import transactions
from auditcoder.audit.rules.order import order
from auditcoder.audit.verify import RULES, chained


class Told(NamedTuple):
    """One rule of a check."""

    kinds: tuple[str, ...]
    """Kinds of event at which it is applied; none for a rule that is not bound to a kind."""
    text: str


_REPLAY = """V23, `verify --replay`: the pipeline runs over the record and makes every event again.

Model calls and executions are answered from the ledger, nothing is asked. So an event that had to happen and is missing
is found as well as one that is wrong. It needs the prompts that the run was made with: a run of another version of
auditcoder is not replayed, and says so.
"""
_UNBOUND = {
    AuditCheck.CHAIN: chained.__doc__,
    AuditCheck.ORDER: order.__doc__,
    AuditCheck.ROLLBACK: transactions.restored.__doc__,
    AuditCheck.OUTPUTS: outputs_match.__doc__,
    AuditCheck.EXECUTED: execute.__doc__,
    AuditCheck.REPLAYED: _REPLAY,
}


def explained(check: AuditCheck) -> tuple[Told, ...]:
    """Return what the rules of a check say of themselves: those of single events first, in the order of events."""
    kinds: dict[str, list[str]] = {}
    for kind, rules in RULES.items():
        for rule in rules:
            doc = cleandoc(rule.apply.__doc__ or "")
            if rule.check is check or check in _numbers(doc):
                kinds.setdefault(doc, []).append(kind)
    told = [Told(tuple(sorted(found)), doc) for doc, found in kinds.items() if doc]
    told.sort(key=lambda rule: rule.kinds)
    unbound = _UNBOUND.get(check)
    return (*told, Told((), cleandoc(unbound).partition("\n\nArgs:")[0])) if unbound else tuple(told)


def _numbers(doc: str) -> tuple[AuditCheck, ...]:
    """Return the checks that a rule names at its head: `V19, V20. ...` or `V14 to V17. ...`."""
    head = re.match(r"V\d+(?:(?:, | to )V\d+)*(?=\.)", doc)
    named = [AuditCheck(number) for number in re.findall(r"V\d+", head[0])] if head else []
    if head and " to " in head[0]:
        every = list(AuditCheck)
        return tuple(every[every.index(named[0]) : every.index(named[-1]) + 1])
    return tuple(named)
