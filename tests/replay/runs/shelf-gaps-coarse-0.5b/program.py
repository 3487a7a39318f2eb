def find_free_runs(positions: list[int], size: int) -> list[int]:
    if not positions or size == 0:
        return []

    # Build adjacency list
    adjacency_list = {i: [] for i in range(size)}
    for i in range(size - 1):
        adjacency_list[positions[i]].append(positions[i + 1])

    # Initialize visited nodes
    visited = set()
    free_runs = []

    # Perform BFS
    for i in range(size):
        if i not in visited:
            visited.add(i)
            queue = [i]
            while queue:
                current = queue.pop(0)
                free_runs.append(current)
                for neighbor in adjacency_list[current]:
                    if neighbor not in visited:
                        visited.add(neighbor)
                        queue.append(neighbor)

    return free_runs


def free_runs(positions: list[int], size: int) -> list[int]:
    runs = find_free_runs(positions, size)
    return runs
