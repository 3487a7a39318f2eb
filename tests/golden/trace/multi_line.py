# f(1, 2) == 'one\ntwo 10'
def add(
    a,
    b=0,
    *rest,
    scale=1,
):
    return (
        a
        + b
    ) * scale


def f(
    a: int,
    b: int,
) -> str:
    total = add(
        a,
        b,
        scale=3,
    )
    joined = a + \
        b + \
        total
    table = [
        a,  # the first
        b,
    ]
    text = """one
two {}"""
    if (
        a < b
        and total
    ):
        total += 1
    for item in (
        1,
        2,
    ):
        joined -= 1
    while (
        joined > total
    ):
        joined -= 1
    return text.format(
        joined
    )
