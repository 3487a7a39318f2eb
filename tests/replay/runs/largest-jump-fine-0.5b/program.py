def step_largest_jump(readings: list[int]) -> int:
    if not readings:
        raise ValueError("The list must contain at least two readings.")
    
    max_diff = 0
    for i in range(1, len(readings)):
        diff = abs(readings[i] - readings[i - 1])
        if diff > max_diff:
            max_diff = diff
    
    return max_diff


def largest_jump(readings: list[int]) -> int:
    new_largest_jump = step_largest_jump(readings)
    return new_largest_jump
