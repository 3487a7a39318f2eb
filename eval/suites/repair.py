"""The statement of a repair task: what the function should do, and the program that does something else."""

from __future__ import annotations


def repair_statement(name: str, description: str, faulty: str) -> str:
    """Return the statement of a task whose faulty program is given; the program is part of the task, not of a run."""
    return (
        f"The function `{name}` below is faulty: it does not do what its description says. Write the whole corrected "
        f"program, with everything that it needs.\n\nDescription:\n\n{description.strip()}\n\n"
        f"Faulty program:\n\n```python\n{faulty.strip()}\n```\n"
    )
