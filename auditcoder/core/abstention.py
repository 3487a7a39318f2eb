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
    Abstention.NO_SCOPE_RULE: "No rule selects a bounded scope for this class of defect.",
    Abstention.OWNS_NO_CODE: "The implicated responsibility owns no code that could be regenerated.",
}
