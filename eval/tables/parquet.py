"""A table as a Parquet file (extra `lab`)."""

from __future__ import annotations

from pathlib import Path

from auditcoder.errors import ConfigError
from auditcoder.eval.tables.table import Plain, Table


def write_parquet(table: Table, path: Path) -> None:
    """Write a table to a file; title and notes go into its metadata.

    Raises:
        ConfigError: pyarrow is not installed.
    """
    try:
        import pyarrow  # pyright: ignore[reportMissingImports]
        from pyarrow import parquet  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        hint = "Install it: pip install 'auditcoder[lab]'; CSV needs nothing."
        raise ConfigError("a Parquet file needs pyarrow", hint=hint) from error
    names = table.plain_columns()
    columns = list(zip(*table.plain_rows(), strict=True)) or [()] * len(names)
    arrays = [pyarrow.array(_same_type(column)) for column in columns]
    told = {"title": table.title, "notes": "\n".join(table.notes)}
    parquet.write_table(pyarrow.table(arrays, names=list(names)).replace_schema_metadata(told), path)


def _same_type(values: tuple[Plain, ...]) -> list[Plain]:
    """Return values of one type, as a Parquet column has one: whole numbers beside floats are floats."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return list(values) if len(kinds) < 2 else [None if value is None else str(value) for value in values]
