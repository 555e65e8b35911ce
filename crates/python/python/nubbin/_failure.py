"""The ways in which a reduction comes to nothing."""

from typing import Optional

from ._verdict import NotFailing

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
    whole = "\n".join(part for part in (text, details.rstrip(), f"hint: {hint}" if hint else "") if part)
    error: BaseException
    if fault == "NotInteresting":
        error = NotFailing(whole)
    elif fault == "Usage":
        error = ValueError(whole)
    elif fault == "Interrupted":
        error = KeyboardInterrupt()
    else:
        error = {"EmptyIsInteresting": AcceptsEmpty, "Flaky": Flaky}.get(fault, Failure)(whole)
    if isinstance(error, Failure):
        error.hint = hint
    return error
