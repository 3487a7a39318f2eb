import bisect


def shifts_to_tuples(shifts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    # Convert each shift to a tuple of (start, end)
    return [(s[0], s[1]) for s in shifts]


def step_merge_shifts(shifts: list[tuple[int, int]], new_shifts_to_tuples: list[tuple[int, int]]) -> list[tuple[int, int]]:
    # Sort the new_shifts_to_tuples based on the start time
    new_shifts_to_tuples.sort(key=lambda x: x[0])
    
    merged_shifts = []
    merged_minutes = 0
    
    for start, end in shifts:
        # Find the first overlapping or touching shift in the new_shifts_to_tuples
        for i, (new_start, new_end) in enumerate(new_shifts_to_tuples):
            if new_start <= start <= new_end:
                # If the start of the new shift is within the current merged shift, merge them
                if merged_minutes + new_start <= merged_minutes + end:
                    merged_minutes = max(merged_minutes, new_start)
                    merged_shifts.append((merged_start, merged_minutes + end))
                else:
                    # If the start of the new shift is outside the current merged shift, add it to the merged shift
                    merged_shifts.append((merged_start, new_start))
                    merged_minutes = new_start
                break
        else:
            # If no overlapping or touching shift is found, add the current shift to the merged shift
            merged_shifts.append((start, end))
            merged_minutes = end
    
    return merged_shifts, merged_minutes


def step_merge_shifts_2(shifts: list[tuple[int, int]], new_shifts_to_tuples: list[tuple[int, int]], merged_shifts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    # Sort the new_shifts_to_tuples based on the start time
    new_shifts_to_tuples.sort(key=lambda x: x[0])
    
    # Initialize variables to track the merged and covered minutes
    merged = []
    covered_minutes = 0
    
    # Iterate through the new_shifts_to_tuples and merge them with the merged_shifts
    for start, end in new_shifts_to_tuples:
        # Find the first overlap with the merged_shifts
        i = bisect.bisect_left(merged_shifts, (start, end))
        if i < len(merged_shifts):
            # Merge the overlapping parts
            merged[i] = (merged[i][0], max(merged[i][1], end))
            covered_minutes += end - merged[i][1]
        else:
            # Add the new shift to the merged_shifts
            merged.append((start, end))
            covered_minutes += end - start
    
    # Sort the merged_shifts based on the start time
    merged_shifts.sort(key=lambda x: x[0])
    
    return merged_shifts, covered_minutes


def merge_shifts(shifts: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
    new_shifts_to_tuples = shifts_to_tuples(shifts)
    merged_shifts = step_merge_shifts(shifts, new_shifts_to_tuples)
    new_merged_shifts = step_merge_shifts_2(shifts, new_shifts_to_tuples, merged_shifts)
    return new_merged_shifts
