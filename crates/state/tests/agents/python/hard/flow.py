import contextlib
def gen(n):
    try:
        for i in range(n):
            yield i
    finally:
        print("closed")
@contextlib.contextmanager
def ctx(x):
    print("in", x)
    try:
        yield x
    finally:
        print("out", x)
class C:
    """A class."""
    attr = [i * i for i in range(3)]
    def method(self, x, *, y=lambda z: z + 1):
        return y(x)
def main():
    for v in gen(3):
        print(v)
    for v in gen(10):
        if v == 1:
            break
    g = gen(5)
    next(g)
    try:
        g.throw(ValueError("thrown"))
    except ValueError as e:
        print(e)
    g = gen(2); next(g); g.close()
    with ctx(1) as a, ctx(2) as b:
        print(a, b,
              a + b)
    try:
        with ctx(3):
            1 / 0
    except ZeroDivisionError:
        print("div")
    else:
        print("no")
    finally:
        print("fin")
    print([x for x in range(5) if x % 2], {x: y for x, y in zip("ab", "cd")}, sum(x for x in range(4)))
    d = {
        "a": 1,
        "b": C().method(
            3,
        ),
    }
    print(sorted(d.items(), key=lambda kv: -kv[1]))
    i = 0
    while i < 3: i += 1
    for i in range(3): pass
    else: print("else")
    x = [1,
         2,
         3]
    print(x, i)
    def deco(f):
        return f
    @deco
    def f(): return 5
    return f()
print(main())
