"""The two forms in which a model is asked: a JSON object under a schema, or one block of code."""

from auditcoder.backbones.code_adapter import CodeAdapter, supports_prefill
from auditcoder.backbones.requests import TruncatedOutput
from auditcoder.backbones.schema_adapter import SchemaAdapter, outline
from auditcoder.core.fenced import extract_code

__all__ = ["CodeAdapter", "SchemaAdapter", "TruncatedOutput", "extract_code", "outline", "supports_prefill"]
