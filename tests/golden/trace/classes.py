# f(2) == 22
class Base:
    kind = "base"
    made = 0

    def __init__(self, size):
        self.size = size
        self.__secret = size * 10
        Base.made += 1

    @property
    def area(self):
        return self.size ** 2

    @area.setter
    def area(self, value):
        self.size = int(value ** 0.5)

    @staticmethod
    def twice(n):
        return 2 * n

    @classmethod
    def unit(cls):
        return cls(1)

    def secret(self):
        return self.__secret


class Child(Base):
    __slots__ = ("extra",)

    def __init__(self, size):
        super().__init__(size)
        self.extra = [size]
        self.extra[0] += 1


def f(n):
    child = Child(n)
    child.area = 9
    child.size += 1
    unit = Base.unit()
    unit.__dict__["late"] = None
    return child.secret() + Base.made + unit.size - 1 + Base.twice(0)
