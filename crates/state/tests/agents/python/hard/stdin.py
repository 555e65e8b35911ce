import sys
for l in sys.stdin:
    print(l.strip()[::-1])
print(repr(sys.stdin.read()))
