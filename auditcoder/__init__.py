"""AuditCoder: code generation whose construction record can be audited."""

from auditcoder.exports import public as __getattr__  # noqa: F401  # the module's own hook: names are found when asked

__version__ = "0.1.0"
__all__ = ["Task", "Verification", "__version__", "load_run", "verify_ledger", "verify_run"]
