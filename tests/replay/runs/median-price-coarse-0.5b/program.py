def drop_cheapest_and_dearest(prices: list[float]) -> float:
    if len(prices) < 3:
        return 0.0
    # Remove the cheapest and the dearest prices
    prices.remove(min(prices))
    prices.remove(max(prices))
    # Sort the remaining prices
    prices.sort()
    # Return the median
    return round(prices[len(prices) // 2])


def step_median(prices: list[float]) -> float:
    if len(prices) < 3:
        return 0.0
    # Sort the prices
    prices.sort()
    # Remove the cheapest and the dearest prices
    prices.pop(0)
    prices.pop(-1)
    # Find the median
    median = (prices[-1] + prices[0]) / 2.0
    # Round to two decimals
    return round(median, 2)


def median_price(prices: list[float]) -> float:
    median = drop_cheapest_and_dearest(prices)
    new_median = step_median(prices)
    return new_median
