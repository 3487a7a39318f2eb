"""Random programs for the tracer; all of them end."""

from __future__ import annotations

import random

_NUMBERS = ("a", "b", "c", "g")
SHOWN_ONCE_MORE = "u"
"""The name that expressions may or may not assign: not every time that it gets its value can be seen."""


class Writer:
    """Writes programs that always end: loops are short, and functions call those before them only."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self._functions = 0
        self._calls = 0

    def program(self) -> str:
        """Return a program whose entry is `main(a, b)`."""
        self._lines = ["g = 1", "class Box:", "    n = 0", ""]
        for number in range(self._random.randint(1, 3)):
            generator = self._random.random() < 0.3
            self._function(f"f{number}", generator=generator)
            self._functions += 1
        self._function("main", generator=False)
        return "\n".join(self._lines) + "\n"

    def _function(self, name: str, *, generator: bool) -> None:
        self._calls = 0
        self._lines += [
            f"def {name}({'a, b' if name == 'main' else self._some('a', 'a, b=2', 'a, *b, k=1')}):",
            "    global g",
            "    b, c, xs, box = 3, 1, [1, 2, 3], Box()",
        ]
        if generator:
            self._lines.append("    yield a")
        self._generator = generator
        if self._random.random() < 0.3:
            self._lines += ["    def inner(p, q=2):", "        nonlocal c", "        c += p", "        return c + q"]
            self._lines.append("    a = inner(b)")
        self._body(4, 2, loop=False, final=True)
        if not generator:
            self._lines.append(f"    return {self._number()}")
        self._lines.append("")

    def _some(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _body(self, indent: int, depth: int, *, loop: bool, final: bool = False) -> None:
        for _ in range(self._random.randint(1, 4 if final else 3)):
            self._statement(" " * indent, depth, loop=loop)
        if loop and self._random.random() < 0.3:
            self._lines.append(" " * indent + self._some("break", "continue"))

    def _statement(self, pad: str, depth: int, *, loop: bool) -> None:
        simple = (self._assign, self._augmented, self._tuple, self._leave, self._several)
        compound = (self._if, self._for, self._while, self._try, self._with)
        make = self._random.choice(simple + (compound if depth else ()))
        make(pad, depth, loop=loop)

    def _number(self, *, calls: bool = True) -> str:
        atom = self._some(*_NUMBERS, "0", "1", "2", "xs[0]", "xs[-1]", "len(xs)", "box.n", "sum(xs)")
        roll = self._random.random()
        if roll < 0.35:
            return f"{atom} {self._some('+', '-', '//', '%', '+')} {self._some(*_NUMBERS, '2', '3')}"
        if roll < 0.45:
            return f"sum(v + {atom} for v in xs)"
        if roll < 0.55:
            return f"({atom} if {self._condition(walrus=False)} else {self._some(*_NUMBERS)})"
        if roll < 0.7 and calls and self._functions and self._calls < 3:
            self._calls += 1
            called = f"f{self._random.randrange(self._functions)}(fuel({atom}))"
            many = self._some(f"sum(each for each in [number({called})])", f"sum([number({called}) for _ in range(2)])")
            return self._some(f"number({called})", many)
        return atom

    def _condition(self, *, walrus: bool = True) -> str:
        test = f"{self._some(*_NUMBERS)} {self._some('<', '>=', '==', '!=')} {self._some(*_NUMBERS, '0', '2')}"
        roll = self._random.random()
        if roll < 0.2:
            return f"not {test}"
        if roll < 0.4:
            return f"{test} {self._some('and', 'or')} {self._some(*_NUMBERS)}"
        if roll < 0.5 and walrus:
            return f"(w := {self._some(*_NUMBERS)}) > 1"
        if roll < 0.65 and walrus:
            return f"{test} {self._some('and', 'or')} (u := {self._some(*_NUMBERS)}) > 1"
        return test

    def _assign(self, pad: str, depth: int, *, loop: bool) -> None:
        target = self._some("a", "b", "c", "g", "box.n", "xs[1]", "xs[g % 3]", "xs", "s", "a = b", "w")
        value = self._number()
        if target == "xs":
            self._lines.append(f"{pad}xs = {self._some('[v for v in xs if v != 2] + [g]', 'xs[::-1]', '[g] * 9')}")
            value, target = "xs + [1, 2]", "xs"
        if target == "s":
            value = self._some("'text ' * 9", "str(a)", "None", "a > b", "(a, b)", "{a}", "{a: xs}")
        if self._random.random() < 0.15:
            self._lines += [f"{pad}{target} = (", f"{pad}    {value}", f"{pad})"]
        else:
            self._lines.append(f"{pad}{target} = {value}")

    def _augmented(self, pad: str, depth: int, *, loop: bool) -> None:
        target = self._some("a", "b", "c", "g", "box.n", "xs[0]", "xs[g % 3]", "xs[-1]")
        self._lines.append(f"{pad}{target} {self._some('+=', '-=', '//=')} {self._number()}")

    def _tuple(self, pad: str, depth: int, *, loop: bool) -> None:
        self._lines.append(
            f"{pad}{self._some('a, b = b, a', 'a, *s = xs + [b]', 'c, xs[0] = g, a', '[a, (b, c)] = 1, (2, g)')}"
        )

    def _several(self, pad: str, depth: int, *, loop: bool) -> None:
        self._lines.append(f"{pad}a = {self._number()}; b += 1; a += {self._some('b', '1')}")

    def _leave(self, pad: str, depth: int, *, loop: bool) -> None:
        leaving = [f"if {self._condition(walrus=False)}: raise ValueError(a)", "pass", "g += 1"]
        if loop:
            leaving += [f"if {self._condition()}: break", f"if {self._condition()}: continue"]
        if self._generator:
            leaving += [f"yield {self._number()}", f"c = yield {self._number(calls=False)}", "yield from xs"]
        else:
            leaving.append(f"if {self._condition()}: return {self._number()}")
        self._lines.append(pad + self._some(*leaving))

    def _if(self, pad: str, depth: int, *, loop: bool) -> None:
        self._lines.append(f"{pad}if {self._condition()}:")
        self._body(len(pad) + 4, depth - 1, loop=loop)
        if self._random.random() < 0.4:
            self._lines.append(f"{pad}elif {self._condition()}:")
            self._body(len(pad) + 4, depth - 1, loop=loop)
        if self._random.random() < 0.4:
            self._lines.append(f"{pad}else:")
            self._body(len(pad) + 4, depth - 1, loop=loop)

    def _for(self, pad: str, depth: int, *, loop: bool) -> None:
        heads = ["v in range(3)", "v in range(a, a + 2)", "v in [1, g]", "v in 'xyz'", "v, b in enumerate('pq')",
                 "v in reversed('pq')", "v in (a, b)", "v in range(8)"]  # fmt: skip
        if self._functions and self._calls < 3:
            self._calls += 1
            heads += [f"v in many(f{self._random.randrange(self._functions)}(fuel(1)))"] * 2
        self._lines.append(f"{pad}for {self._some(*heads)}:")
        self._body(len(pad) + 4, depth - 1, loop=True)
        self._otherwise(pad, depth, loop=loop)

    def _while(self, pad: str, depth: int, *, loop: bool) -> None:
        self._lines += [f"{pad}t{depth} = {self._some('0', '2', '3')}"]
        self._lines.append(f"{pad}while t{depth} > 0{self._some('', f' and ({self._condition()})')}:")
        self._lines.append(f"{pad}    t{depth} -= 1")
        self._body(len(pad) + 4, depth - 1, loop=True)
        self._otherwise(pad, depth, loop=loop)

    def _otherwise(self, pad: str, depth: int, *, loop: bool) -> None:
        if self._random.random() < 0.2:
            self._lines.append(f"{pad}else:")
            self._body(len(pad) + 4, depth - 1, loop=loop)

    def _try(self, pad: str, depth: int, *, loop: bool) -> None:
        self._lines.append(f"{pad}try:")
        self._body(len(pad) + 4, depth - 1, loop=loop)
        if self._random.random() < 0.8:
            self._lines.append(f"{pad}except {self._some('ValueError as e', 'ZeroDivisionError', 'Exception as e')}:")
            self._body(len(pad) + 4, depth - 1, loop=loop)
            if self._random.random() < 0.3:
                self._lines.append(f"{pad}else:")
                self._body(len(pad) + 4, depth - 1, loop=loop)
            if self._random.random() < 0.6:
                return
        self._lines += [f"{pad}finally:", f"{pad}    {self._some('c = 1', 'g += 1', 'a, b = b, a')}"]

    def _with(self, pad: str, depth: int, *, loop: bool) -> None:
        self._lines.append(f"{pad}with quiet({self._some('ValueError', 'KeyError')}) as s:")
        self._body(len(pad) + 4, depth - 1, loop=loop)


HEAD = """class quiet:
    def __init__(self, kind): self.kind = kind
    def __enter__(self): return 7
    def __exit__(self, kind, *rest): return kind is not None and issubclass(kind, self.kind)
def number(value): return value if type(value) is int else sum(int(v) for v in value if type(v) is int)
left = 40
def fuel(value):
    global left
    left -= 1
    if left < 0: raise RuntimeError("fuel")
    return value
def many(value): return [value] if type(value) is int else value
"""
"""Helpers that are no part of the watched program."""
