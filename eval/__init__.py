"""Loaders and judging for benchmark tasks; the only layer that may read hidden tests."""

if __name__ != "auditcoder.eval":
    raise ImportError("import auditcoder.eval: eval is the same package under a second name")
