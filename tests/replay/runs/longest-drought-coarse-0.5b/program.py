def step_drought_start(rain: list[int]) -> int:
    if not rain:
        return -1
    
    max_dry = max(rain)
    dry_start_index = rain.index(max_dry)
    
    return dry_start_index


def drought_start(rain: list[int]) -> int:
    index = step_drought_start(rain)
    return index
