def parse_products(stdin: str) -> list[tuple[str, int]]:
    products = []
    for line in stdin.splitlines():
        name, amount = line.split()
        products.append((name, int(amount)))
    return sorted(products)


def calculate_total(products: list[tuple[str, int]]) -> int:
    total = sum(p[1] for p in products)
    return total


def sort_products(products: list[tuple[str, int]], total: int) -> list[tuple[str, int]]:
    return sorted(products, key=lambda x: x[0])


def main():
    stdin = input()
    products = parse_products(stdin)
    total = calculate_total(products)
    sorted_products = sort_products(products, total)

    for product, amount in sorted_products:
        euros = amount // 100
        cents = amount % 100
        print(f"{product}: {euros}.{cents:02d}")

    print(f"total: {total:.2f}")


if __name__ == "__main__":
    main()
