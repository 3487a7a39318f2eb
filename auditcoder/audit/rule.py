"""A rule of the audit: what is compared at one kind of event, under which number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from auditcoder.audit.numbers import AuditCheck
from auditcoder.audit.walk import Walk
from auditcoder.records.base import Record

E = TypeVar("E", bound=Record)


@dataclass(frozen=True)
class Rule:
    """A rule, to be applied to the events of one kind with the state before them."""

    check: AuditCheck
    kind: str
    apply: Callable[[Walk, Any], None]


def rule(check: AuditCheck, kind: type[E], apply: Callable[[Walk, E], None]) -> Rule:
    """Return a rule for a kind of event."""
    return Rule(check, str(kind.model_fields["kind"].default), apply)
