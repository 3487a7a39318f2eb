def step_charging_phases(levels: list[int]) -> int:
    phases = []
    current_level = 0
    for level in levels:
        if level > current_level:
            phases.append(current_level)
            current_level = level
    phases.append(current_level)
    return len(phases)


def charging_phases(levels: list[int]) -> int:
    phases = step_charging_phases(levels)
    return phases
