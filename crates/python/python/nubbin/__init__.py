"""Reduces a failing input to its nubbin: the smallest piece that still fails."""

from ._algorithms import Difference, cdd, dd, ddmax, ddmin, hdd, wdd
from ._verdict import NotFailing, NotPassing, Unresolved, Verdict

__all__ = [
    "Difference",
    "NotFailing",
    "NotPassing",
    "Unresolved",
    "Verdict",
    "cdd",
    "dd",
    "ddmax",
    "ddmin",
    "hdd",
    "wdd",
]
