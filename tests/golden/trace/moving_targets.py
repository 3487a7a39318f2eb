# f() == [5, 5]
k = 0
slots = [0, 0]


def move(value):
    global k
    k += 1
    return value


def f():
    global k
    slots[k] += move(5)
    k = 1
    slots[k] += 2
    slots[k] += (step := 3)
    j = 0
    slots[j] += (j := 0)
    slots[j] -= (j := 1) - 1
    return slots
