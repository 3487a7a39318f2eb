# f() == [0, 'got 7', 0, 1, 'end', 10, 20]
def echo():
    number = 0
    while True:
        sent = yield number
        if sent is None:
            break
        number = f"got {sent}"
    return "done"


def count(n):
    for i in range(n):
        yield i
    return "end"


def chain():
    result = yield from count(2)
    yield result
    yield from (10, 20)


def guarded():
    try:
        yield 1
        yield 2
    finally:
        closed.append(True)


closed = []


def f():
    first = echo()
    seen = [next(first), first.send(7)]
    try:
        next(first)
    except StopIteration as stop:
        end = stop.value
    for item in chain():
        seen.append(item)
    held = guarded()
    one = next(held)
    held.close()
    bare = guarded()
    return seen
