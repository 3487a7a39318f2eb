# f([1, 2, 0, 3]) == 6
def inverse(n):
    share = 6 // n
    return share


def f(numbers):
    total = 0
    for number in numbers:
        total += inverse(number)
    return total
