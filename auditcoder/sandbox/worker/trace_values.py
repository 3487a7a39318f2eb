"""Texts of values: short, the same in every run, and made without a call into the program's own code.

No `repr` of a program is called: it may be slow, raise, print, or change what it shows. No address appears.
"""

from __future__ import annotations

import builtins
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from itertools import chain, islice
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from auditcoder.sandbox.worker.trace_peek import own_fields

globals()["__builtins__"] = dict(vars(builtins))

LIMIT = 40
"""Characters of one value (Breakpoint Debugging, section 2)."""
MOST, FIRST, LAST = 6, 4, 2
"""Of more than 6 elements the first 4 and the last 2 are shown (section 2)."""
_DEPTH = 3
_MORE = "…"
_BITS = 256
_SORTED, _TEXTS = 1000, 100
_ORDERED = {int, str, float}
_HASHED = (int, str, float, bool, bytes, complex)
_mro = type.__dict__["__mro__"].__get__
_class_dict = type.__dict__["__dict__"].__get__
_name = type.__dict__["__name__"].__get__
_module_dict: Any = vars(ModuleType)["__dict__"].__get__
_OWN = ("solution", "__main__")
"""Modules that a program is run as."""
_args = BaseException.__dict__["args"].__get__
_FUNCTIONS = (FunctionType, BuiltinFunctionType)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, type(Ellipsis), type(NotImplemented))
_BASES = (
    bool, int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset, deque, range,
    BaseException, type, FunctionType, BuiltinFunctionType, MethodType, ModuleType,
    GeneratorType,
)  # fmt: skip


def render(value: Any, limit: int = LIMIT) -> str:
    """Return the text of a value, clipped at its end."""
    text = _text(value, _DEPTH, limit)
    return text if len(text) <= limit else text[: limit - 1] + _MORE


def render_around(value: Any, limit: int) -> str:
    """Return the text of a value; of a longer one its first and last half."""
    text = _text(value, _DEPTH, limit)
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]}{_MORE}{text[-half:]}"


def _text(value: Any, depth: int, limit: int) -> str:
    try:
        kind = type(value)
        if kind in _PLAIN:
            return _plain(value, kind, limit)
        if depth == 0:
            return _MORE
        for base in _mro(kind):
            if base in _BASES:
                return _of_base(value, kind, base, depth, limit)
        return _object(value, kind, depth, limit)
    except (RuntimeError, ValueError, TypeError, OverflowError, LookupError, AttributeError):
        # changed by another thread meanwhile, or a class that was taken apart; no text then
        return "?"


def _plain(value: Any, kind: type, limit: int) -> str:
    if kind is int and value.bit_length() > _BITS:
        return f"<int of {value.bit_length()} bits>"
    if kind is str or kind is bytes or kind is bytearray:
        return kind.__repr__(value[: limit + 1])
    return repr(value)


def _of_base(value: Any, kind: type, base: type, depth: int, limit: int) -> str:
    """Return the text of an instance of a built-in type or of a class made from it."""
    if base is list:
        return _with_name(kind, base, f"[{_row(list.__getitem__, list.__len__(value), value, depth, limit)}]")
    if base is tuple:
        return _tuple(value, kind, depth, limit)
    if base is deque:
        return f"deque([{_row(base.__getitem__, base.__len__(value), value, depth, limit)}])"
    if base is dict:
        pairs = value.items() if kind is OrderedDict else dict.items(value)
        return _with_name(kind, base, "{" + _pairs(pairs, dict.__len__(value), ": ", depth, limit) + "}")
    if base is set or base is frozenset:
        return _with_name(kind, set, _set(value, base, depth, limit))
    if base in (bool, int, float, str, bytes, bytearray):
        return _member(value, kind) or f"{_class(kind)}({_plain(_bare(value, base), base, limit)})"
    if base is range:
        return repr(value)
    if issubclass(base, BaseException):
        return f"{_class(kind)}({', '.join(_text(part, depth - 1, limit) for part in _args(value)[:MOST])})"
    if base is type:
        return f"<class {_class(value)}>"
    if base is MethodType:
        held = value.__func__
        return f"<method {_identifier(held.__name__ if type(held) in _FUNCTIONS else '')}>"
    return f"<{_identifier(base.__name__)} {_identifier(_own_name(value))}>"


def _bare(value: Any, base: Any) -> Any:
    """Return the built-in value inside an instance of a class made from a built-in type."""
    if base is int or base is bool:
        return int.__int__(value)
    if base is float:
        return float.__float__(value)
    return base.__getitem__(value, slice(None))


def _own_name(value: Any) -> Any:
    name = _module_dict(value).get("__name__") if ModuleType in _mro(type(value)) else value.__name__
    return name.strip("<>") if type(name) is str else ""  # `<lambda>`, `<genexpr>`


def _row(item: Callable[[Any, int], Any], count: int, value: Any, depth: int, limit: int) -> str:
    """Return the elements of a sequence, of many the first and last ones, no more of them than can be seen."""
    if count <= MOST:
        picked: list[int | None] = list(range(count))
    else:
        picked = [*range(FIRST), None, *range(count - LAST, count)]
    return _joined((_MORE if at is None else _text(item(value, at), depth - 1, limit) for at in picked), limit)


def _pairs(pairs: Iterable[tuple[Any, Any]], count: int, between: str, depth: int, limit: int) -> str:
    parts = (
        f"{name if between == '=' else _text(name, depth - 1, limit)}{between}{_text(value, depth - 1, limit)}"
        for name, value in islice(pairs, MOST)
    )
    return _joined(chain(parts, [_MORE] if count > MOST else []), limit)


def _joined(parts: Iterable[str], limit: int) -> str:
    text = ""
    for part in parts:
        text = f"{text}, {part}" if text else part
        if len(text) > 4 * limit:
            return text
    return text


def _tuple(value: Any, kind: type, depth: int, limit: int) -> str:
    fields = _class_dict(kind).get("_fields")
    count = tuple.__len__(value)
    if kind is not tuple and type(fields) is tuple and len(fields) == count:
        named = ((_identifier(name), tuple.__getitem__(value, at)) for at, name in enumerate(fields))
        return f"{_class(kind)}({_pairs(named, count, '=', depth, limit)})"
    row = _row(tuple.__getitem__, count, value, depth, limit)
    return _with_name(kind, tuple, f"({row},)" if count == 1 else f"({row})")


def _set(value: Any, base: Any, depth: int, limit: int) -> str:
    count = base.__len__(value)
    if not count:
        return "set()"
    elements = list(islice(base.__iter__(value), _SORTED + 1))
    kinds = {type(element) for element in elements}
    if len(kinds) == 1 and kinds < _ORDERED and count <= _SORTED:
        elements.sort()
    parts: Iterable[str] = (_text(element, depth - 1, limit) for element in islice(elements, MOST))
    if not all(_is_settled(element) for element in elements):
        parts = sorted(_text(element, depth - 1, limit) for element in elements)[:MOST] if count <= _TEXTS else ()
    return "{" + _joined(chain(parts, [_MORE] if count > MOST else []), limit) + "}"


def _is_settled(element: Any) -> bool:
    """Return whether a set has this element in the same place in every run; `None` and objects hash by address."""
    return type(element) in _HASHED or (type(element) is tuple and all(_is_settled(part) for part in element))


def _with_name(kind: type, base: type, text: str) -> str:
    return text if kind is base or kind is frozenset else f"{_class(kind)}({text})"


def _member(value: Any, kind: type) -> str:
    """Return the text of a member of an enumeration, empty for another value."""
    name = own_fields(value).get("_name_")
    return f"{_class(kind)}.{_identifier(name)}" if type(name) is str else ""


def _object(value: Any, kind: type, depth: int, limit: int) -> str:
    member = _member(value, kind)
    if member:
        return member
    home = _class_dict(kind).get("__module__")
    if type(home) is not str or home not in _OWN:
        return f"<{_class(kind)}>"
    fields = [(_identifier(name), held) for name, held in own_fields(value).items() if type(name) is str]
    return f"{_class(kind)}({_pairs(fields, len(fields), '=', depth, limit)})"


def _class(kind: type) -> str:
    return _identifier(_name(kind))


def _identifier(name: Any) -> str:
    """Return a name as it is, or a stand-in for a text that is none: programs can name their classes anything."""
    return str(name) if type(name) is str and name.isidentifier() and len(name) <= LIMIT else "object"
