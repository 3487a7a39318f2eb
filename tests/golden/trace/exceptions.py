# f(['1', 'x', '', '4']) == [1, -1, -2, 4]
class EmptyError(Exception):
    pass


log = []


def parse(text):
    try:
        if not text:
            raise EmptyError("nothing", 0)
        number = int(text)
    except ValueError as error:
        number = -1
        raise
    else:
        log.append(number)
    finally:
        log.append(text)
    return number


def wrap(text):
    try:
        return parse(text)
    except EmptyError as error:
        raise KeyError(text) from error


def f(texts):
    out = []
    for text in texts:
        try:
            out.append(wrap(text))
        except (ValueError, TypeError):
            out.append(-1)
        except KeyError as error:
            out.append(-2)
    try:
        try:
            1 / 0
        finally:
            done = True
    except ZeroDivisionError:
        pass
    return out
