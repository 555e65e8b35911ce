import sys
seen = []
def tr(f, e, a):
    seen.append(e)
    return tr
def f():
    x = 1
    return x
print(sys.gettrace())
sys.settrace(tr)
f()
sys.settrace(None)
print(sys.gettrace())
