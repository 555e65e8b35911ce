"""Smaller values of an argument, by the text that they are or by the literal that stands for them."""

import ast
import re
from dataclasses import dataclass
from typing import Any, Callable, Optional

from .._algorithms import ddmin
from .._reduce import reduce
from .._result import Reduction
from .._verdict import Unresolved

__all__ = ["Smaller", "can_be_smaller", "empty", "size_of_value", "smaller"]

Test = Callable[[Any], bool]


@dataclass
class Smaller:
    """A value that was made smaller."""

    value: Any
    before: int
    """The size of the first value in tokens."""
    after: int
    stopped: str
    """`time` or `interrupted`, if there was an end before the end."""
    reduction: Optional["Reduction[Any]"] = None
    """The reduction of the text, if it was one."""


def can_be_smaller(value: object) -> bool:
    """Tells whether it is a value of a type that is known here."""
    return isinstance(value, (str, bytes, bytearray, list, tuple, set, frozenset, dict)) or is_literal(value)


def is_literal(value: object) -> bool:
    """Tells whether Python reads its `repr` as an equal value of the same type."""
    try:
        read = ast.literal_eval(repr(value))
        return type(read) is type(value) and bool(read == value)
    except Exception:  # a `repr` of the user's own
        return False


def empty(value: Any) -> Any:
    """The empty value of the same type."""
    return type(value)()


def size_of_value(value: Any) -> int:
    """The number of bytes of a value, to compare it with others."""
    if isinstance(value, (bytes, bytearray)):
        return len(value)
    return len((value if isinstance(value, str) else repr(value)).encode("utf-8", "surrogatepass"))


def tokens(text: str) -> int:
    """Words and single punctuation characters, as they are counted for all reductions."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def smaller(
    value: Any,
    test: Test,
    *,
    language: Optional[str] = None,
    seconds: Optional[float] = None,
    jobs: int = 1,
) -> Smaller:
    """The smallest value found for which `test` holds, of the same type.

    A text or bytes are reduced in their language, and a value that Python's literals can express by its literal. Of any
    other collection the items are taken away that are not needed; then `seconds` says nothing.
    """
    if isinstance(value, str):
        return _text(value, test, language, seconds, jobs)
    if isinstance(value, (bytes, bytearray)):
        of_type = type(value)
        return _text(bytes(value), lambda candidate: test(of_type(candidate)), language, seconds, jobs, of_type)
    if is_literal(value):
        return _literal(value, test, seconds, jobs)
    best = ddmin(value, test, jobs=jobs)
    return Smaller(best, tokens(repr(value)), tokens(repr(best)), "")


def _text(
    value: Any, test: Test, language: Optional[str], seconds: Optional[float], jobs: int, of_type: Any = None
) -> Smaller:
    reduction = _reduced(value, test, language, seconds, jobs)
    best = reduction.best if of_type is None else of_type(reduction.best)
    return Smaller(best, reduction.before.tokens, reduction.after.tokens, _stopped(reduction), reduction)


def _literal(value: Any, test: Test, seconds: Optional[float], jobs: int) -> Smaller:
    def of_text(candidate: str) -> bool:
        try:
            read = ast.literal_eval(candidate.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise Unresolved("it is no literal") from None
        return type(read) is type(value) and test(read)

    reduction = _reduced(repr(value), of_text, "python", seconds, jobs)
    best = ast.literal_eval(reduction.best.strip())
    return Smaller(best, reduction.before.tokens, reduction.after.tokens, _stopped(reduction), reduction)


def _reduced(value: Any, test: Test, language: Optional[str], seconds: Optional[float], jobs: int) -> "Reduction[Any]":
    """The reduction; an interrupt ends it with the best so far, if there is one."""
    try:
        return reduce(value, test, language=language, max_time=seconds, jobs=jobs, allow_empty=True)
    except KeyboardInterrupt as error:
        so_far: Optional[Reduction[Any]] = getattr(error, "reduction", None)
        if so_far is None:
            raise
        return so_far


def _stopped(reduction: "Reduction[Any]") -> str:
    return reduction.proof.kind if reduction.proof.kind in ("interrupted", "time") else ""
