def find_free_desk(minutes: list[int], desks: int) -> int:
    free_desk = 0
    for minute in minutes:
        if free_desk < desks:
            free_desk += 1
        if free_desk == desks:
            return minute
    return -1  # This line should never be reached if the input is valid


def update_minutes(minutes: list[int], desks: int, free_desk: int) -> list[int]:
    if free_desk < len(minutes) and minutes[free_desk] > 0:
        minutes[free_desk] += minutes[desks - 1]
    return minutes


def find_last_free_desk(new_minutes: list[int], desks: int, free_desk: int) -> int:
    return max(new_minutes)


def closing_time(minutes: list[int], desks: int) -> int:
    free_desk = find_free_desk(minutes, desks)
    new_minutes = update_minutes(minutes, desks, free_desk)
    last_free_minute = find_last_free_desk(new_minutes, desks, free_desk)
    return last_free_minute
