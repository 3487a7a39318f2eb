# f([3, 1, 2]) == [2, 4, 6]
import functools


def logged(times):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            for _ in range(times):
                result = function(*args, **kwargs)
            return result
        return inner
    return wrap


@logged(2)
@functools.lru_cache(
    maxsize=None,
)
def double(n, /, *, by=2):
    return n * by


def f(numbers):
    key = lambda n: -n
    ordered = sorted(numbers, key=key)
    ordered.reverse()
    total = functools.reduce(lambda a, b: a + b, numbers)
    return [double(n) for n in ordered]
