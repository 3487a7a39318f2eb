"""Frozen, versioned records: what the ledger, the record and every layer exchange."""
