"""The tasks in `examples/`: reference programs pass every example, and wrong programs do not."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from auditcoder.records.task import Task
from auditcoder.sandbox.executor import SandboxExecutor
from auditcoder.tasks.loader import load_task, load_tasks
from auditcoder.tasks.schema import task_schema

FOLDER = Path(__file__).parents[2] / "examples"
TASKS = {task.id: task for task in load_tasks(FOLDER)}

REFERENCES = {
    "travel-passes": """
def min_cost(days, costs):
    best = [0] * (len(days) + 1)
    for i in range(len(days) - 1, -1, -1):
        options = []
        for length, cost in zip((1, 7, 30), costs):
            j = i
            while j < len(days) and days[j] < days[i] + length:
                j += 1
            options.append(cost + best[j])
        best[i] = min(options)
    return best[0]
""",
    "average-rating": """
def average_rating(ratings):
    return round(sum(ratings) / len(ratings), 1) if ratings else 0.0
""",
    "largest-jump": """
def largest_jump(readings):
    return max((abs(a - b) for a, b in zip(readings, readings[1:])), default=0)
""",
    "vowel-count": """
def count_vowels(text):
    return sum(c in "aeiou" for c in text.lower())
""",
    "water-tank": """
c, s, n = map(int, input().split())
lost = refused = 0
for _ in range(n):
    kind, x = input().split()
    x = int(x)
    if kind == "+":
        lost += max(0, s + x - c)
        s = min(c, s + x)
    elif x > s:
        refused += 1
    else:
        s -= x
print(s, lost, refused, sep="\\n")
""",
    "merge-shifts": """
def merge_shifts(shifts):
    merged = []
    for start, end in sorted(shifts):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged, sum(end - start for start, end in merged)
""",
    "library-desk": """
class LibraryDesk:
    def __init__(self, limit):
        self.limit, self.shelf, self.out = limit, {}, {}

    def add(self, title, copies):
        self.shelf[title] = self.shelf.get(title, 0) + copies

    def borrow(self, reader, title):
        books = self.out.setdefault(reader, [])
        if not self.shelf.get(title) or len(books) >= self.limit or title in books:
            return False
        self.shelf[title] -= 1
        books.append(title)
        return True

    def give_back(self, reader, title):
        if title not in self.out.get(reader, []):
            return False
        self.out[reader].remove(title)
        self.shelf[title] += 1
        return True

    def books_of(self, reader):
        return list(self.out.get(reader, []))
""",
    "sales-report": """
import csv, json
regions = {}
with open("sales.csv", newline="") as file:
    for row in csv.DictReader(file):
        if row["units"]:
            entry = regions.setdefault(row["region"], {"units": 0, "items": {}})
            entry["units"] += int(row["units"])
            value = int(row["units"]) * float(row["price"])
            entry["items"][row["item"]] = entry["items"].get(row["item"], 0.0) + value
report, total = {}, 0.0
for name, entry in regions.items():
    revenue = sum(entry["items"].values())
    total += revenue
    best = min(entry["items"], key=lambda item: (-entry["items"][item], item))
    report[name] = {"units": entry["units"], "revenue": round(revenue, 2), "best_item": best}
with open("report.json", "w") as file:
    json.dump({"regions": report, "total": round(total, 2)}, file)
""",
    "matrix-view": """
class Matrix:
    def __init__(self, rows):
        if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("malformed")
        self._rows = [list(row) for row in rows]

    @property
    def shape(self):
        return len(self._rows), len(self._rows[0])

    def rows(self):
        return [list(row) for row in self._rows]

    def transposed(self):
        return Matrix([list(column) for column in zip(*self._rows)])

    def __mul__(self, other):
        if self.shape[1] != other.shape[0]:
            raise ValueError("shapes")
        columns = other.transposed()._rows
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self._rows])

    def __eq__(self, other):
        return isinstance(other, Matrix) and self._rows == other._rows
""",
    "duty-roster": """
def roster(days, free):
    walks, names, last = dict.fromkeys(free, 0), [], None
    for day in range(days):
        able = [name for name in free if day in free[name] and name != last]
        last = min(able, key=lambda name: (walks[name], name), default=None)
        names.append(last)
        if last is not None:
            walks[last] += 1
    return names
""",
}
WRONG = {
    "travel-passes": "def min_cost(days, costs):\n    return len(days) * costs[0]\n",
    "average-rating": "def average_rating(ratings):\n    return round(sum(ratings) / len(ratings), 1)\n",
    "largest-jump": "def largest_jump(readings):\n    return max(abs(a - b) for a, b in zip(readings, readings[1:]))\n",
    "vowel-count": "def count_vowels(text):\n    return sum(c in 'aeiou' for c in text)\n",
    "water-tank": "print(input().split()[1], 0, 0, sep='\\n')\n",
    "merge-shifts": "def merge_shifts(shifts):\n    return sorted(shifts), sum(b - a for a, b in shifts)\n",
    "library-desk": REFERENCES["library-desk"].replace(" or title in books", ""),
    "sales-report": REFERENCES["sales-report"].replace("(-entry", "(entry"),
    "matrix-view": REFERENCES["matrix-view"].replace("[list(row) for row in self._rows]", "self._rows"),
    "duty-roster": REFERENCES["duty-roster"].replace(" and name != last", ""),
}


@pytest.fixture(scope="module")
def executor() -> Iterator[SandboxExecutor]:
    with SandboxExecutor(minimum_level=0, allow_weak=True) as made:
        yield made


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_the_reference_passes_every_example(task: Task, executor: SandboxExecutor) -> None:
    assert len(task.examples) >= 3
    report = executor.run(REFERENCES[task.id], task.entry, task.examples, task.limits)
    assert [(r.outcome, r.message) for r in report.results] == [("pass", "")] * len(task.examples)


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_a_wrong_program_fails_an_example(task: Task, executor: SandboxExecutor) -> None:
    report = executor.run(WRONG[task.id], task.entry, task.examples, task.limits)
    assert any(result.outcome != "pass" for result in report.results)


def test_every_kind_of_task_is_there() -> None:
    assert len(TASKS) >= 7
    assert {task.entry.kind for task in TASKS.values()} == {"program", "function", "class", "script"}
    inputs = {check.input.kind for task in TASKS.values() for check in task.examples}
    assert inputs == {"program", "function", "calls", "unittest", "files"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.*")), ids=lambda path: path.name)
def test_every_example_follows_the_schema(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    jsonschema.validate(tomllib.loads(text) if path.suffix == ".toml" else json.loads(text), task_schema())
    assert load_task(path).id == path.stem.replace("_", "-")
