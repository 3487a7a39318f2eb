def step_high_tides(heights: list[int]) -> list[int]:
    indices = []
    for i in range(1, len(heights) - 1):
        if heights[i] > heights[i-1] and heights[i] > heights[i+1]:
            indices.append(i)
    return indices


def high_tides(heights: list[int]) -> list[int]:
    indices = step_high_tides(heights)
    return indices
