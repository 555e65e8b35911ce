def f(x):
    try:
        return 1 / x
    except ZeroDivisionError as e:
        raise ValueError("bad") from e
print("before")
f(0)
