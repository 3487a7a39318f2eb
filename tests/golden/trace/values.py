# f(8) == 8
import collections
import math


class Odd:
    pass


Odd.__name__ = "Odd; x = 1\n#"
Named = type("Nämé", (), {})


def f(n):
    for i in range(n):
        pass
    for c in "abcdefg"[:6]:
        pass
    text = "x" * 60
    quote = "it's\n\t\u2028\x00"
    big = 10 ** 100
    small = 2 ** 70
    below = -big
    floats = [0.1, float("inf"), float("nan"), -0.0]
    loop = []
    loop.append(loop)
    knot = {}
    knot["self"] = knot
    long = list(range(100))
    deep = [[[[[1]]]]]
    mixed = {None, 1, "a"}
    empty = set(), {}, (), [], frozenset(), ""
    odd = Odd()
    named = Named()
    count = collections.Counter("aab")
    queue = collections.deque([1, 2])
    nothing = None
    letter = b"a\xff"
    module = math
    function = math.sqrt
    kind = int
    step = range(0, 10, 3)
    many = {i: i for i in range(20)}
    return n
