# f(4) == [0, 4]
def double(n):
    return n * 2


def f(n):
    squares = [i * i for i in range(n)]
    even = {i for i in squares if i % 2 == 0}
    table = {i: double(i) for i in sorted(even)}
    pairs = [(a, b) for a in range(2) for b in range(2)]
    grid = [[row * col for col in range(2)] for row in range(3)]
    lazy = (i + 1 for i in squares)
    total = sum(lazy)
    last = max(
        value
        for value in table.values()
    )
    i = last // 2
    return [i for i in squares if i != 1 and i in (0, last // 2)]
