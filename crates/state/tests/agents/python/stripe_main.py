import sys


def main():
    sum = 0
    mul = 1
    a = int(sys.argv[1])
    b = int(sys.argv[2])
    while a <= b:
        sum = sum + a
        mul = mul * a
        a = a + 1
    print(sum)
    print(mul)


main()
