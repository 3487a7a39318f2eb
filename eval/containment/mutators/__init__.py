"""Mutators: one idea of a fault a file, on the syntax tree of one unit, deterministic."""
