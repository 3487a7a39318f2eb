def count_first_places(ballots: list[list[str]]) -> list[str]:
    # Initialize a dictionary to store the number of first places for each candidate
    first_places = {}
    
    # Iterate over each ballot
    for ballot in ballots:
        # Initialize the count for the current candidate
        count = 0
        
        # Iterate over each candidate in the ballot
        for candidate in ballot:
            # Increment the count for the current candidate
            count += 1
        
        # Store the count for the current candidate in the dictionary
        first_places[candidate] = count
    
    # Sort the dictionary by the count in descending order and by the candidate name in ascending order
    sorted_first_places = sorted(first_places.items(), key=lambda x: (-x[1], x[0]))
    
    # Return the sorted list of first places
    return [candidate for candidate, count in sorted_first_places]


def step_winner(ballots: list[list[str]], names: list[str]) -> str:
    return sorted(names)[0]


def winner(ballots: list[list[str]]) -> str:
    names = count_first_places(ballots)
    new_winner = step_winner(ballots, names)
    return new_winner
