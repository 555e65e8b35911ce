"""The answers of a test, and the exceptions for wrong ones."""

import enum
from typing import Union

__all__ = ["Answer", "NotFailing", "NotPassing", "Unresolved", "Verdict"]


class Verdict(enum.Enum):
    """The answer of a test."""

    INTERESTING = "interesting"
    """The failure is there."""
    UNINTERESTING = "uninteresting"
    """The failure is not there."""
    UNRESOLVED = "unresolved"
    """The test cannot tell: there is another failure, or it could not be run on this candidate."""

    def __bool__(self) -> bool:
        raise TypeError("a verdict is neither true nor false: compare it with Verdict.INTERESTING")


Answer = Union[bool, Verdict, None]
"""The result of a test: `True` if the failure is there, `False`, or a verdict; `None` means that it cannot tell."""


class Unresolved(Exception):
    """A test raises this if it cannot tell whether the failure is there.

    Every other exception of a test ends the search, and comes out of it.
    """


class NotFailing(ValueError):
    """The test does not find the failure where it has to be: in the whole input."""


class NotPassing(ValueError):
    """The test does not pass where it has to: as a rule, on the empty input."""


def code(answer: object) -> int:
    """The byte that stands for an answer."""
    if answer is True or answer is Verdict.INTERESTING:
        return ord("+")
    if answer is False or answer is Verdict.UNINTERESTING:
        return ord("-")
    if answer is None or answer is Verdict.UNRESOLVED:
        return ord("?")
    if type(answer).__name__ in ("bool", "bool_"):  # those of NumPy
        return ord("+" if bool(answer) else "-")
    raise TypeError(f"the test returned {answer!r:.200}; it must return True, False, None or a nubbin.Verdict")
