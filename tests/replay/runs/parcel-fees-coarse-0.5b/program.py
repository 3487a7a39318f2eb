def step_parcel_fees(weights: list[float]) -> float:
    total_fee = 0
    refused = 0
    for weight in weights:
        if weight <= 1:
            total_fee += weight
        else:
            total_fee += 2 + weight - 1
            refused += 1
    return [total_fee, refused]


def parcel_fees(weights: list[float]) -> list[int]:
    fee = step_parcel_fees(weights)
    return fee
