# f([5, 5, -2, 0, 7, 7, 7, -1, 0]) == 'ppnzpppnz'
def sign(n):
    if n > 0:
        return "p"
    elif n < 0:
        return "n"
    else:
        return "z"


def f(numbers):
    text = ""
    for n in numbers:
        text += sign(n)
    if not text: text = "none"
    odd = "yes" if len(numbers) % 2 else "no"
    if True:
        pass
    while False:
        pass
    if odd == "yes" and text: return text
    return odd
