import sys


def shell_sort(a, size):
    h = 1
    while True:
        h = h * 3 + 1
        if h > size:
            break
    while True:
        h //= 3
        for i in range(h, size):
            v = a[i]
            j = i
            while j >= h and a[j - h] > v:
                a[j] = a[j - h]
                j -= h
            if i != j:
                a[j] = v
        if h == 1:
            break


def main():
    a = [0, 0, 0, 1961, 0, 0, 0, 0]  # a buffer that was used before
    for i in range(len(sys.argv) - 1):
        a[i] = int(sys.argv[i + 1])
    shell_sort(a, len(sys.argv))
    print(*a[:len(sys.argv) - 1])


main()
