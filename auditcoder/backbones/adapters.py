"""The forms in which a model is asked: a JSON object under a schema, one block of code, or texts and code."""

from auditcoder.backbones.code_adapter import CodeAdapter, supports_prefill
from auditcoder.backbones.reply_adapter import ReplyAdapter
from auditcoder.backbones.requests import TruncatedOutput
from auditcoder.backbones.schema_adapter import SchemaAdapter, outline
from auditcoder.core.fenced import extract_code

__all__ = [
    "CodeAdapter",
    "ReplyAdapter",
    "SchemaAdapter",
    "TruncatedOutput",
    "extract_code",
    "outline",
    "supports_prefill",
]
