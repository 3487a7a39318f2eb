# f([0, [1, 2, 3], {'k': 5, 'z': 6}, 'text', (7, 8)]) == ['zero', [2, 3], 11, 'str text', None]
def look(thing):
    match thing:
        case 0:
            return "zero"
        case [first, *others] if first == 1:
            return others
        case {"k": value, **rest}:
            return value + rest["z"]
        case str() as text:
            return "str " + text
        case _:
            return None


def f(things):
    out = []
    for thing in things:
        out.append(look(thing))
    return out
