"""AeroComm-Small8: eight engineering primitives from public formulas and standards, written for this project."""
