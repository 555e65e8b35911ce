"""Reduces a failing input to its nubbin: the smallest piece that still fails.

`reduce` reduces a text, a file or a directory, using the syntax of its language. `ddmin`, `dd`, `ddmax`,
`wdd`, `cdd` and `hdd` are the published algorithms for any collection, and `bisect` needs the fewest tests.
`DeltaDebugger` minimizes the arguments of a failing call. `isolate` and `maximize` find differences between
texts, `parse` returns a syntax tree, and `shrink` minimizes the argument of a failing test.
"""

# Everything is loaded on first use: pytest loads the plugin in this package at each start, which must be
# fast.
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._all import *
    from ._all import __all__ as __all__
    from ._all import __version__ as __version__
else:

    def __getattr__(name):
        if name.startswith("_") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        everything = importlib.import_module("nubbin._all")
        found = {one: getattr(everything, one) for one in ("__all__", *everything.__all__)}
        globals().update(found)
        if name not in found:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return found[name]

    def __dir__():
        return sorted({*globals(), *__getattr__("__all__")})
