"""Reference programs of AeroComm-Small8, one function each. Evaluation only."""
