# f([3, -1, 4, 0, 5], 2) == 7
def f(numbers, limit):
    total = 0
    for number in numbers:
        if number == 0:
            break
        if number < 0:
            continue
        total += number
    else:
        total = -1
    for low in range(1, 3):
        pass
    else:
        last = low
    while total > limit:
        total -= 2
        if total == 3:
            break
    while last:
        last -= 1
    else:
        total += 4
    for _ in ():
        total = 99
    return total
