"""The ways in which a reduction comes to nothing."""

import inspect
import re
from typing import Optional

from ._verdict import NotFailing, NotPassing

__all__ = ["AcceptsEmpty", "Failure", "Flaky"]


class Failure(RuntimeError):
    """A reduction that could not be done. `hint` says what can be done about it, if that is known."""

    hint: Optional[str] = None


class AcceptsEmpty(Failure):
    """The test finds the failure in the empty input, too, so it would accept anything."""


class Flaky(Failure):
    """The test does not repeat itself: it gives different verdicts on the same input."""


def make(fault: str, text: str, details: str, hint: Optional[str]) -> BaseException:
    """The exception for a failure of this sort."""
    text, hint = _in_python(text), _in_python(hint) if hint else None
    whole = "\n".join(part for part in (text, details.rstrip(), f"hint: {hint}" if hint else "") if part)
    error: BaseException
    if fault == "NotInteresting":
        error = NotFailing(whole)
    elif fault == "NotPassing":
        error = NotPassing(text)
    elif fault == "Usage":
        error = ValueError(whole)
    elif fault == "Interrupted":
        error = KeyboardInterrupt()
    else:
        error = {"EmptyIsInteresting": AcceptsEmpty, "Flaky": Flaky}.get(fault, Failure)(whole)
    if isinstance(error, Failure):
        error.hint = hint
    return error


def _in_python(text: str) -> str:
    """A message that names options of the program, with the names that they have here."""
    from ._reduce import reduce

    known = inspect.signature(reduce).parameters

    def named(option: re.Match[str]) -> str:
        name, value = option[1].replace("-", "_"), option[2] or "True"
        return f"{name}={value}" if name in known else option[0]

    return re.sub(r"--([a-z][a-z-]+)(?: ([A-Z]+))?", named, text)
