def count_first_places(ballots: list[list[str]]) -> dict[str, int]:
    counts = {}
    for ballot in ballots:
        if ballot:
            first_place = ballot[0]
            if first_place in counts:
                counts[first_place] += 1
            else:
                counts[first_place] = 1
    return counts


def find_winner(ballots: list[list[str]], counts: dict[str, int]) -> str:
    if not ballots:
        return ''
    
    # Count first places for each candidate
    first_place_counts = {}
    for ballot in ballots:
        if ballot:
            first_place_counts[ballot[0]] = first_place_counts.get(ballot[0], 0) + 1
    
    # Find the candidate with the most first places
    max_count = max(first_place_counts.values(), default=0)
    winner = max((candidate for candidate, count in first_place_counts.items() if count == max_count), key=lambda x: x[0])
    
    return winner


def winner(ballots: list[list[str]]) -> str:
    counts = count_first_places(ballots)
    new_winner = find_winner(ballots, counts)
    return new_winner
