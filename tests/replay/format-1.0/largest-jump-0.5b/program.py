def largest_jump(readings: list[int]) -> int:
    if len(readings) < 2:
        return 0

    max_diff = 0
    for i in range(1, len(readings)):
        diff = abs(readings[i] - readings[i - 1])
        if diff > max_diff:
            max_diff = diff

    print(max_diff)
