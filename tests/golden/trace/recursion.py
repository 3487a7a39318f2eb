# f(5) == 5
calls = 0


def f(n):
    global calls
    calls += 1
    if n < 2:
        return n
    left = f(n - 1)
    right = f(n - 2)
    return left + right


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


four = is_even(4)
