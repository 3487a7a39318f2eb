"""Append-only, hash-chained event log; resume and folds."""
