def roster(days: int, free: dict[str, list[int]]) -> list[str | None]:
    if days == 0:
        return []

    # Initialize the list of days for each helper
    days_for_helper = {helper: [] for helper in free}

    # Fill the list of days for each helper
    for helper, days in free.items():
        days_for_helper[helper].append(days)

    # Sort the list of days for each helper by the number of days
    sorted_days_for_helper = sorted(days_for_helper.items(), key=lambda x: len(x[1]))

    # Initialize the result list
    result = []

    # Fill the result list with the helper who walked on the day before
    for helper, days in sorted_days_for_helper:
        if helper == 'bea':
            result.append(None)
        else:
            result.append(helper)

    # Print the result list
    print(result)
