def step_roster(days: int, free: dict[str, list[int]]) -> list[str]:
    return []


def roster(days: int, free: dict[str, list[int]]) -> list[str | None]:
    names = step_roster(days, free)
    return names
