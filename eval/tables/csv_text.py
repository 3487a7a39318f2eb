"""A table as CSV."""

from __future__ import annotations

import csv
import io

from auditcoder.eval.tables.table import Table


def csv_text(table: Table) -> str:
    """Return a table with a header line; floats whole, an empty field for what is not known."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.plain_columns())
    writer.writerows(table.plain_rows())
    return buffer.getvalue()
