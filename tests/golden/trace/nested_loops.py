# f([[1, 2], [], [3, 4, 5]]) == 9
def f(rows):
    total = 0
    for i, row in enumerate(rows):
        for value in row:
            if value % 2 == 0:
                continue
            total += value
            if value == 3:
                break
        while total > 100:
            total = 0
    count = 0
    for _ in range(10):
        for _ in range(10):
            count += 1
    for step in range(9, 0, -1):
        if step == 6:
            break
    return total + step - 1
