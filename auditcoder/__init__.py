"""AuditCoder: code generation whose construction record can be audited."""

__version__ = "0.1.0"
