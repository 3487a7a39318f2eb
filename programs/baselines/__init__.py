"""The rival methods, one file each, on the same model, sandbox, checks and ledger."""
