def closing_time(minutes: list[int], desks: int) -> int:
    # Initialize the last done time to 0
    last_done = 0

    # Iterate through the minutes list
    for i in range(desks):
        # Calculate the current time to be served
        current_time = minutes[i]

        # Check if the current time is less than the last done time
        if current_time < last_done:
            # Update the last done time
            last_done = current_time

    # Return the last done time
    return last_done
