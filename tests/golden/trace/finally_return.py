# f(3) == ('tried', 'override', None, 2, 'with')
class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return True


def tried():
    try:
        return "tried"
    finally:
        for _ in range(2):
            pass


def override():
    try:
        return "lost"
    finally:
        return "override"


def swallowed():
    with Quiet():
        return 1 / 0


def given_up(n):
    while True:
        try:
            return n
        finally:
            n -= 1
            if n > 1:
                continue
            break
    return n + 1


def inside():
    with Quiet() as quiet:
        return "with"


def f(n):
    return tried(), override(), swallowed(), given_up(n), inside()
