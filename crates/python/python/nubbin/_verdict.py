"""The verdicts of a test, and the exceptions for unexpected ones."""

import enum
from typing import Union

__all__ = ["Answer", "NotFailing", "NotPassing", "Unresolved", "Verdict"]


class Verdict(enum.Enum):
    """The verdict of a test."""

    INTERESTING = "interesting"
    """The candidate shows the failure."""
    UNINTERESTING = "uninteresting"
    """The candidate does not show the failure."""
    UNRESOLVED = "unresolved"
    """The test cannot decide: there is another failure, or it could not be run on this candidate."""

    def __bool__(self) -> bool:
        raise TypeError("a verdict is neither true nor false: compare it with Verdict.INTERESTING")


Answer = Union[bool, Verdict, None]
"""The result of a test: `True` if the candidate shows the failure, `False` if not, or a verdict. `None` means unresolved."""


class Unresolved(Exception):
    """Raised by a test if it cannot decide whether the candidate shows the failure.

    Any other exception of a test ends the search, and is passed to the caller.
    """


class NotFailing(ValueError):
    """The whole input does not show the failure."""


class NotPassing(ValueError):
    """An input that must pass, usually the empty one, does not pass."""


def code(answer: object) -> int:
    """Returns the byte for a verdict."""
    if answer is True or answer is Verdict.INTERESTING:
        return ord("+")
    if answer is False or answer is Verdict.UNINTERESTING:
        return ord("-")
    if answer is None or answer is Verdict.UNRESOLVED:
        return ord("?")
    if type(answer).__name__ in ("bool", "bool_"):  # NumPy booleans
        return ord("+" if bool(answer) else "-")
    raise TypeError(f"the test returned {answer!r:.200}; it must return True, False, None or a nubbin.Verdict")
