"""Typed DSPy signatures, one role per file; prompt text lives here only."""

if __name__ != "auditcoder.signatures":
    raise ImportError("import auditcoder.signatures: signatures is the same package under a second name")
