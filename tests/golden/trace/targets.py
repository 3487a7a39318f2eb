# f([1, 2, 3, 4]) == [24, 2]
class Box:
    pass


def f(numbers):
    first, *middle, last = numbers
    [a, (b, c)] = 1, (2, 3)
    a, b = b, a
    x = y = z = 0
    table = {}
    table["k"] = 5
    table["k"] += 1
    row = [0] * 3
    i = 1
    row[i] = 7
    row[-1] -= 2
    i, row[i] = 2, 8
    row[i], i = 9, 0
    row[0:2] = [6, 6]
    box = Box()
    box.at, box.held = 1, {"in": [1]}
    box.held["in"][0] += 10
    grid = [[0] * 2 for _ in range(2)]
    grid[1][0] = 4
    for row[0], table["n"] in [(5, 6)]:
        pass
    note: str = "n"
    bare: int
    flags = 6
    flags |= 1
    flags <<= 2
    flags //= 5
    power = 2
    power **= 10
    del table["k"]
    return [box.held["in"][0] * 2 + a, len(middle)]
