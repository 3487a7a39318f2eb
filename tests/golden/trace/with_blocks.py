# f('in') == ['enter a', 'enter b', 'in', 'exit b', 'exit a', 'quiet']
from contextlib import contextmanager, suppress

log = []


class Scope:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        log.append("enter " + self.name)
        return self.name, 1

    def __exit__(self, *error):
        log.append("exit " + self.name)


@contextmanager
def quiet():
    yield "q"
    log.append("quiet")


def f(text):
    with Scope("a") as a, Scope("b") as (name, number):
        log.append(text)
    with quiet() as word:
        size = len(word)
    with suppress(KeyError):
        {}[size]
    with suppress(KeyError):
        return {}[name]
    return log
