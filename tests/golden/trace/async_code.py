# f(3) == [0, 1, 2, 'done']
import asyncio


class Gate:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return "open"

    async def __aexit__(self, *error):
        return False


async def ticks(n):
    for i in range(n):
        yield i


async def work(n):
    await asyncio.sleep(0)
    half = n / 2
    return half


async def main(n):
    out = []
    async with Gate() as gate:
        async for tick in ticks(n):
            out.append(tick)
    first, second = await asyncio.gather(work(1), work(2))
    third = await work(3)
    squares = [i * i async for i in ticks(2)]
    return out + ["done"]


def f(n):
    return asyncio.run(main(n))
