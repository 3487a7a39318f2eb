"""Model profiles, the embedded engine, adapters and recorders."""
