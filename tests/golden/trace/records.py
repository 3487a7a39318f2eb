# f() == 'Ann'
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto


class Color(Enum):
    RED = 1
    BLUE = auto()


class Level(IntEnum):
    LOW = 3


@dataclass
class Person:
    name: str
    age: int = 7
    tags: list = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    x: int


Point = namedtuple("Point", "x y")


def f():
    color = Color.BLUE
    level = Level.LOW
    both = {Color.RED: level}
    person = Person("Ann")
    person.age += 1
    place = Place(x=4)
    point = Point(1, [2])
    x, (y,) = point
    return person.name
