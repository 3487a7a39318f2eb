"""A seeded choice of benchmark tasks, made before anybody looks at them: `python -m auditcoder.eval.selection`."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from auditcoder.eval.suites import apps, humaneval

LEVELS = ("introductory", "interview", "competition")


def choose(suite: str, count: int, seed: int, data: Path | str | None = None, level: str = "introductory") -> list[int]:
    """Return `count` task numbers of a suite, sorted; the same for the same arguments.

    APPS tasks of one difficulty level that are not known to be defective, or all of HumanEval.

    Raises:
        TaskError: the data is absent.
        ValueError: there are fewer tasks than asked for.
    """
    pool = apps.numbers(data, level=level) if suite == "apps" else humaneval.numbers(data)
    return sorted(random.Random(seed).sample(sorted(pool), count))


def main(arguments: list[str] | None = None) -> None:
    """Print a reference that `auditcoder solve` takes, such as `apps:3,17`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("suite", choices=("apps", "humaneval"))
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="APPS difficulty")
    parser.add_argument("--data", type=Path, default=None)
    given = parser.parse_args(arguments)
    numbers = choose(given.suite, given.count, given.seed, given.data, given.level)
    sys.stdout.write(f"{given.suite}:{','.join(map(str, numbers))}\n")


if __name__ == "__main__":
    main()
