"""The append-only, hash-chained ledger of a run, its replay, and the record that is folded from it."""
