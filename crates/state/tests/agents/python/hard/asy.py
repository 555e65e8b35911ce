import asyncio
async def worker(n):
    for i in range(n):
        await asyncio.sleep(0)
    return n
async def agen():
    for i in range(3):
        yield i
        await asyncio.sleep(0)
async def main():
    r = await asyncio.gather(worker(2), worker(3))
    print(r)
    async for x in agen():
        print(x)
asyncio.run(main())
