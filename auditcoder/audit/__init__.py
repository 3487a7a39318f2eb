"""The audit of recorded runs, without a model: verify, restore, compare, and the audit metrics."""
