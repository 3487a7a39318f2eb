"""DSPy modules of the roles and the pipeline that composes them around the deterministic core."""

if __name__ != "auditcoder.programs":
    raise ImportError("import auditcoder.programs: programs is the same package under a second name")
