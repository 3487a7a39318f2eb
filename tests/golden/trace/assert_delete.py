# f([1, 2]) == 'caught'
def f(numbers):
    assert numbers
    value = numbers[0]
    del value
    try:
        assert len(numbers) > 5, "too short"
    except AssertionError as error:
        message = str(error)
    else:
        message = ""
    try:
        value
    except UnboundLocalError:
        message = "caught"
    return message
