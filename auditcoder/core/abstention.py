"""The closed list of reasons for which localization or scope selection abstains."""

from __future__ import annotations

from enum import StrEnum


class Abstention(StrEnum):
    """Why no repair is made; the value goes into the record, `text` is for people."""

    NOTHING_FAILED = "nothing-failed"
    OTHER_PROGRAM = "report-of-another-program"
    HARNESS_ERROR = "harness-error"
    NO_COMPATIBLE_FINDING = "no-compatible-finding"
    COMPETING = "competing-explanations"
    NOT_LOCALIZED = "not-localized"
    NO_SCOPE_RULE = "no-scope-rule-for-class"
    OWNS_NO_CODE = "owner-has-no-code"
    TOO_MANY_NODES = "more-than-three-nodes"
    UNSUPPORTED_BRANCH = "unsupported-branch"

    @property
    def text(self) -> str:
        """Return the reason as a sentence."""
        return _TEXTS[self]


_TEXTS = {
    Abstention.NOTHING_FAILED: "Every development check passed.",
    Abstention.OTHER_PROGRAM: "The check results belong to another program than the active one.",
    Abstention.HARNESS_ERROR: "The sandbox failed on the first check that did not pass: nothing is known of the code.",
    Abstention.NO_COMPATIBLE_FINDING: "No frame, measurement or compatible finding names a responsibility.",
    Abstention.COMPETING: "The compatible findings explain the failure in ways that do not fit together.",
    Abstention.NOT_LOCALIZED: "The failure was not localized.",
    Abstention.NO_SCOPE_RULE: "The localization names no single owner, interface or decision to select a scope by.",
    Abstention.OWNS_NO_CODE: "A named responsibility owns no code, and no supported branch could be replanned.",
    Abstention.TOO_MANY_NODES: "The interfaces join more than three nodes, and no supported branch holds them.",
    Abstention.UNSUPPORTED_BRANCH: "The branch of the planning decision cannot be replanned on its own.",
}
