def step_roman_sum(numerals: list[str]) -> int:
    roman_numerals = {'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100}
    total = 0
    for numeral in numerals:
        if numeral in roman_numerals:
            total += roman_numerals[numeral]
        else:
            return 0  # Return 0 if the numeral is not a valid Roman numeral
    return total


def roman_sum(numerals: list[str]) -> str:
    new_roman_sum = step_roman_sum(numerals)
    return new_roman_sum
