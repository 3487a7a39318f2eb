"""The audit metrics of core.md section 8 (paper, Table 3 and appendix D): one small file a family, pure functions."""
