def step_min_cost(days: list[int], costs: list[int]) -> list[int]:
    if not days:
        return 0
    
    # Initialize the minimum cost to a large number
    min_cost = float('inf')
    
    # Iterate through each day in the days list
    for day in days:
        # Calculate the cost of traveling the day
        cost = costs[day - 1]
        
        # Update the minimum cost if the current cost is lower
        if cost < min_cost:
            min_cost = cost
    
    # Return the minimum cost
    return min_cost


def min_cost(days: list[int], costs: list[int]) -> int:
    new_costs = step_min_cost(days, costs)
    return new_costs
