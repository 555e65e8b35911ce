def f(x):
    return x + 1
if __name__ == "__main__":
    print("mod", f(1))
