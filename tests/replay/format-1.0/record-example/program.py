def total(numbers: list[int]) -> int:
    return sum(numbers)


if __name__ == "__main__":
    print(total([int(word) for word in input().split()]))
