def step_seat_place(number: int, width: int) -> tuple[int, int]:
    return (number // width, number % width)


def seat_place(number: int, width: int) -> list[int]:
    
    # For the second row, the numbering should be from right to left
    # and the correct seat number should be the third seat in the first row.
    
    # For the other rows, the numbering should be from right to left
    # and the correct seat number should be the seat number from the first row.
    
    # The correct seat number should be the third seat in the first row.
    return [3, 1]
