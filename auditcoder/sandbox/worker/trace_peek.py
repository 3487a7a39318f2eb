"""Looking at a variable, an element or an attribute without running any code of the program.

An expression is kept as nested tuples that only built-in types are asked for: no `__getitem__`, `__getattr__`,
`__hash__` or property of the program is called, since that could change what the program does.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter, OrderedDict, defaultdict, deque
from types import FrameType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))

Peek = tuple[Any, ...]
"""("name", id), ("const", value), ("attr", peek, const), ("item", peek, peek), ("op", peek, peek, const),
("tuple", *peeks), ("len", peek); of what loops go over also ("range", *peeks), and ("as", const, peek): a call with
that many elements."""
Spaces = tuple[Any, dict[str, Any]]
"""The local and the global variables of a frame."""

_LISTS = (list, tuple, str, bytes, bytearray, deque)
_DICTS = (dict, defaultdict, Counter, OrderedDict)
_SIZED = (*_LISTS, *_DICTS, set, frozenset, range)
_PLAIN = (int, str, bool, float, bytes, type(None))
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
_BIG = 1 << 60
_mro = type.__dict__["__mro__"].__get__
_class_dict = type.__dict__["__dict__"].__get__
_MISSING = object()
_AS_LONG = frozenset({"enumerate", "reversed", "sorted", "list", "tuple"})


class UnseenError(Exception):
    """What was looked for cannot be seen this way."""


def peek_of(node: ast.expr, owner: str) -> Peek | None:
    """Return how to look at an expression; None when it cannot be done without running code of the program.

    Args:
        node: An expression of the program.
        owner: Name of the class around, for private attributes; empty outside of classes.
    """
    match node:
        case ast.Name():
            return ("name", mangled(node.id, owner))
        case ast.Constant(value=value) if type(value) in _PLAIN:
            return ("const", value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if type(value) is int:
            return ("const", -value)
        case ast.Attribute():
            return _of("attr", peek_of(node.value, owner), ("const", mangled(node.attr, owner)))
        case ast.Subscript(slice=ast.Slice()):
            return None
        case ast.Subscript():
            return _of("item", peek_of(node.value, owner), peek_of(node.slice, owner))
        case ast.BinOp() if type(node.op) in _SIGNS:
            return _of("op", peek_of(node.left, owner), peek_of(node.right, owner), ("const", _SIGNS[type(node.op)]))
        case ast.Tuple():
            return _of("tuple", *(peek_of(element, owner) for element in node.elts))
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            return _of("len", peek_of(argument, owner))
    return None


def extent_of(node: ast.expr, owner: str) -> Peek | None:
    """Return how to look at something with as many elements as a loop has that goes over an expression, or None."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[_, *_], keywords=[]) if len(node.args) <= 3:
            return _of("range", *(peek_of(argument, owner) for argument in node.args))
        case ast.Call(func=ast.Name(id=name), args=[argument, *_]) if name in _AS_LONG:
            return _of("as", ("const", name), extent_of(argument, owner))
    return peek_of(node, owner)


def _of(what: str, *parts: Peek | None) -> Peek | None:
    return None if any(part is None for part in parts) else (what, *parts)


def mangled(name: str, owner: str) -> str:
    """Return a name as the compiler writes it inside of a class."""
    private = name.startswith("__") and not name.endswith("__") and owner.strip("_")
    return f"_{owner.lstrip('_')}{name}" if private else name


def spaces_of(frame: FrameType) -> Spaces:
    """Return the variables of a frame, to be looked at before the program goes on."""
    return frame.f_locals, frame.f_globals


def look(peek: Peek, spaces: Spaces) -> Any:
    """Return the object that an expression stands for now.

    Raises:
        UnseenError: there is none, or only code of the program could tell.
    """
    what = peek[0]
    if what == "name":
        return _variable(peek[1], spaces)
    if what == "const":
        return peek[1]
    parts = [look(part, spaces) for part in peek[1:]]
    if what == "attr":
        return _attribute(*parts)
    if what == "item":
        return _element(*parts)
    if what == "op":
        return _number(*parts)
    if what == "tuple":
        return tuple(parts)
    name = parts[0] if what == "as" else what
    if any(name in space for space in spaces):  # not the built-in one
        raise UnseenError
    return _range(parts) if what == "range" else _length(parts[0]) if what == "len" else parts[1]


def length(peek: Peek, spaces: Spaces) -> int:
    """Return how many elements an expression has.

    Raises:
        UnseenError: it cannot be seen.
    """
    return _length(look(peek, spaces))


def address(peek: Peek, spaces: Spaces) -> tuple[Any, ...]:
    """Return what tells an element or attribute from any other one, or the object of a name from any other one.

    It holds for as long as the object lives; to hold the object itself would keep it alive for longer than the program.

    Raises:
        UnseenError: it cannot be seen.
    """
    if peek[0] == "name":
        return (id(look(peek, spaces)),)
    if peek[0] not in ("attr", "item"):
        raise UnseenError
    index = look(peek[2], spaces)
    if not _is_plain(index):
        raise UnseenError
    return id(look(peek[1], spaces)), type(index), index


def _length(value: Any) -> int:
    if type(value) not in _SIZED:
        raise UnseenError
    return len(value)


def _variable(name: str, spaces: Spaces) -> Any:
    for space in spaces:
        if type(space) is dict or _is_proxy(space):
            value = space.get(name, _MISSING)
        elif dict in _mro(type(space)):  # the body of a class whose metaclass prepared it: names may be kept anyhow
            value = dict.get(space, name, _MISSING)
        else:
            break
        if value is not _MISSING:
            return value
        if type(space) is not dict and not _is_proxy(space):
            break
    raise UnseenError


def _is_proxy(space: object) -> bool:
    """Return whether local variables are those of a function's frame, as Python 3.13 gives them."""
    return type(space).__name__ == "FrameLocalsProxy" and type(space).__module__ == "builtins"


def _range(bounds: list[Any]) -> range:
    if not all(type(bound) is int and -_BIG < bound < _BIG for bound in bounds) or bounds[2:] == [0]:
        raise UnseenError
    return range(*bounds)


def _number(left: Any, right: Any, sign: str) -> int:
    if type(left) is not int or type(right) is not int or not (-_BIG < left < _BIG and -_BIG < right < _BIG):
        raise UnseenError
    if sign in ("//", "%"):
        if right == 0:
            raise UnseenError
        return left // right if sign == "//" else left % right
    return left + right if sign == "+" else left - right if sign == "-" else left * right


def _element(base: Any, index: Any) -> Any:
    try:
        if type(base) in _LISTS and type(index) in (int, bool):
            return base[index]
        if type(base) in _DICTS and _is_plain(index):
            return dict.__getitem__(base, index)
    except (IndexError, KeyError):
        pass
    raise UnseenError


def _is_plain(key: Any) -> bool:
    return type(key) in _PLAIN or (type(key) is tuple and all(_is_plain(part) for part in key))


def _attribute(base: Any, name: str) -> Any:
    """Return an attribute that lies in the object itself or in a slot; a class may not stand in between."""
    kinds = _mro(type(base))
    for kind in kinds:
        space = _class_dict(kind)
        if name in space:
            found = space[name]
            if type(found) is MemberDescriptorType:
                try:
                    return found.__get__(base)
                except AttributeError:
                    raise UnseenError from None
            if any("__set__" in _class_dict(each) for each in _mro(type(found))):
                raise UnseenError
            break
    if type in kinds:  # a class: what is written to it lies in its own dictionary
        value = _class_dict(base).get(name, _MISSING)
    else:
        value = own_fields(base).get(name, _MISSING)
    if value is _MISSING:
        raise UnseenError
    return value


def own_fields(value: Any) -> dict[str, Any]:
    """Return the attributes that an object holds itself, slots included; empty when they cannot be seen."""
    fields: dict[str, Any] = {}
    found = False
    for kind in _mro(type(value)):
        for name, member in _class_dict(kind).items():
            if type(name) is not str:
                continue  # a text that compares by code of its own
            if name == "__dict__" and type(member) is GetSetDescriptorType and not found:
                found = True
                held = member.__get__(value)
                fields |= held if type(held) is dict else {}
            elif type(member) is MemberDescriptorType and name not in fields:
                try:
                    fields[name] = member.__get__(value)
                except AttributeError:
                    continue  # a slot that is empty
    return fields
