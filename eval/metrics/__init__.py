"""Metrics of finished runs: one row a run from its ledger and its hidden verdicts, and what sets of rows say."""
