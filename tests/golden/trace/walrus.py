# f([4, 0, 6]) == 10
def f(numbers):
    at = 0
    total = 0
    while at < len(numbers) and (number := numbers[at]) > 0:
        total += number
        at += 1
    if total > 100 or (rest := numbers[at:]):
        total += (skip := 1) + (more := skip * 2)
    if (big := total > 100) and (never := 1):
        total = 0
    if not (small := total < 100):
        total = 0
    print(shown := total)
    seen = [kept := n for n in numbers]
    assert (kept := kept + 1) < 10, (unused := 1)
    low = high if (high := 9) < 5 else (other := 3)
    return total + low
