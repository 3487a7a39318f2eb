"""The deterministic core: no model, no clock, no randomness; same inputs, same bytes."""
