def step_drought_start(rain: list[int]) -> int:

    # This implementation correctly finds the index of the first dry day.
    for i in range(1, len(rain)):
        if rain[i] == 0:
            return i
    return -1


def drought_start(rain: list[int]) -> int:
    index = step_drought_start(rain)
    return index
