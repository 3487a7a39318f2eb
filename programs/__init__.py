"""DSPy modules of the roles and the pipeline that composes them around the deterministic core."""

if __name__ != "auditcoder.programs":
    raise ImportError("import auditcoder.programs, not programs: the root folder is the same package under a second name")
