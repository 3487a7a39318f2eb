def parse_events(stdin: str) -> list[str]:
    events = []
    for line in stdin.splitlines():
        if line.strip().isdigit():
            events.append(int(line.strip()))
    return events


def tank_status(stdin: str, new_result: list[str]) -> list[str]:
    # Read input values
    c, s, n = map(int, stdin.split())
    
    # Initialize the tank state
    tank = [s, c - s, n - c + s]
    
    # Process each event
    for event in new_result:
        if event[0] == '+':
            # Pour x liters in
            tank[0] += event[1]
        elif event[0] == '-':
            # Take x liters out
            if tank[0] >= event[1]:
                tank[0] -= event[1]
            else:
                # Refuse the request
                tank[2] += 1
    
    # Return the current state of the tank
    return tank


def tank_status_update(stdin: str, new_result_2: list[str]) -> list[str]:
    # Read input values
    c, s, n = map(int, stdin.split())
    
    # Initialize tank status
    tank_status = [s]
    
    # Process events
    for event in new_result_2:
        x = int(event.split()[0])
        if x <= tank_status[-1]:
            tank_status.append(tank_status[-1] + x)
        else:
            tank_status.append(0)
    
    # Calculate the litres lost
    litres_lost = sum(tank_status)
    
    # Calculate the number of refused requests
    refused_requests = len(new_result_2) - litres_lost
    
    # Return the results
    return [str(tank_status[-1]), str(litres_lost), str(refused_requests)]


def tank_status_output(stdin: str, new_result_3: list[str]) -> list[str]:
    # Read input values
    c, s, n = map(int, stdin.split())
    
    # Initialize variables
    litres_in_tank = s
    litres_lost = 0
    refused_requests = 0
    
    # Process each event
    for _ in range(n):
        x = int(input())
        if litres_in_tank >= x:
            litres_in_tank -= x
        else:
            refused_requests += 1
            litres_in_tank = 0
    
    # Output the final state of the tank
    print(litres_in_tank, litres_lost, refused_requests)


def main():
    # Read input
    c, s, n = parse_events(input())

    # Initialize tank status
    tank_status = [s]

    # Process events
    for _ in range(n):
        event = parse_events(input())
        if event[0] == '+':
            tank_status.append(tank_status[-1] + int(event[1]))
        elif event[0] == '-':
            tank_status.append(tank_status[-1] - int(event[1]))
        else:
            print("Invalid event")
            return

    # Output final state
    tank_status_output(input(), tank_status)


if __name__ == "__main__":
    main()
