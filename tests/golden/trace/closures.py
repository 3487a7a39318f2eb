# f(2) == [3, 4, 6]
step = 1


def counter(start):
    value = start

    def bump(by=1):
        nonlocal value
        value += by
        return value

    return bump


def raise_step():
    global step
    step = step + 1
    local = step


def f(start):
    bump = counter(start)
    out = [bump()]
    out.append(bump(step))
    raise_step()
    out.append(bump(by=step))
    return out
