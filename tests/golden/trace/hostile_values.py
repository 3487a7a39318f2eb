# f() == 6
class Loud:
    count = 0

    def __init__(self):
        self.n = 1

    def __repr__(self):
        Loud.count += 1
        print("repr was called")
        raise ValueError

    def __getattr__(self, name):
        Loud.count += 1
        raise AttributeError(name)

    def __len__(self):
        Loud.count += 1
        return 3

    def __call__(self):
        Loud.count += 1

    def __hash__(self):
        Loud.count += 1
        return 1

    def __eq__(self, other):
        Loud.count += 1
        return True


class Endless:
    def __repr__(self):
        while True:
            pass

    __str__ = __repr__


class Text(str):
    def __repr__(self):
        return 5

    __getitem__ = None


class Items(list):
    def __iter__(self):
        while True:
            yield 1

    def __len__(self):
        return 10**9


class Meta(type):
    def __getattribute__(cls, name):
        raise ValueError(name)


class Strange(metaclass=Meta):
    pass


class Number(int):
    def __int__(self):
        return 42

    __index__ = __int__


def f():
    loud = Loud()
    loud.n += 1
    pair = [loud, loud]
    endless = Endless()
    text = Text("abc")
    items = Items([1, 2])
    strange = Strange()
    number = Number(6)
    method = type(loud.__init__)(Loud(), 3)
    for i in pair:
        pass
    Loud.count += 6
    return Loud.count
