# f() == 4
from enum import Enum

RED = 5
size = 9


class Keep(dict):
    def __setitem__(self, name, value):
        dict.__setitem__(self, name, value if name.startswith("__") else [value])


class Meta(type):
    @classmethod
    def __prepare__(mcls, name, bases):
        return Keep()

    def __new__(mcls, name, bases, space):
        return super().__new__(mcls, name, bases, dict(space))


class Color(Enum):
    RED = 1


class Kept(metaclass=Meta):
    size = 4
    for i in range(2):
        j = i


def f():
    class Inner:
        size = Kept.size[0]
        size += 0

    return Inner.size
