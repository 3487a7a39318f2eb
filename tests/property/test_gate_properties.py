from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auditcoder.sandbox.gate import GateFinding, gate

PIECES = st.sampled_from(
    "def f(self):|class A:|    |\n|x|._y|.__class__| = |(|)|[|]|import os|lambda: |match x:|case _:|async |*|'".split(
        "|"
    )
    + '"""|\\|#|:|1|\x00|\ud800|f"{|}"|\t'.split("|")
)


@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=60))
def test_any_text_gives_a_report(source: str) -> None:
    report = gate(source)
    assert all(isinstance(finding, GateFinding) and finding.rule and finding.message for finding in report.findings)
    assert report == gate(source)
