def count_late_trains(minutes: list[int]) -> int:
    return sum(1 for minute in minutes if minute > 5)


def calculate_percentage(minutes: list[int], count: int) -> int:
    if count == 0:
        return 0
    return round(sum(m > 5 for m in minutes) / count * 100)


def late_share(minutes: list[int]) -> int:
    count = count_late_trains(minutes)
    percentage = calculate_percentage(minutes, count)
    return percentage
