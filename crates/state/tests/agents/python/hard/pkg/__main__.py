import sys
from . import mod
print(mod.f(3), sys.argv[1:], __name__, __package__, __spec__.name)
