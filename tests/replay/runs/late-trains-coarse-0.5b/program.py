def step_late_share(minutes: list[int]) -> float:
    # Initialize a counter for trains more than five minutes late
    late_count = 0
    
    # Iterate through each train's late time
    for late_time in minutes:
        # Check if the late time is greater than five
        if late_time > 5:
            # Increment the counter
            late_count += 1
    
    # Calculate the share of trains more than five minutes late
    share = late_count / len(minutes)
    
    # Return the share rounded down
    return round(share)


def late_share(minutes: list[int]) -> int:
    share = 0
    for minute in minutes:
        if minute > 5:
            share += 1
    return share
