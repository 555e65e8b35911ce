"""Reduces values of an argument, as a text or as a literal, and simplifies them."""

import ast
import re
import time
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
    """A reduced value."""

    value: Any
    before: int
    """The size of the original value in tokens."""
    after: int
    stopped: str
    """`time` or `interrupted`, if the reduction ended early."""
    reduction: Optional["Reduction[Any]"] = None
    """The reduction of the text, if the value was a text."""


def can_be_smaller(value: object) -> bool:
    """Returns whether a value has a supported type."""
    return isinstance(value, (str, bytes, bytearray, list, tuple, set, frozenset, dict)) or is_literal(value)


def is_literal(value: object) -> bool:
    """Returns whether Python reads its `repr` as an equal value of the same type."""
    try:
        read = ast.literal_eval(repr(value))
        return type(read) is type(value) and bool(read == value)
    except Exception:  # a user-defined `repr` may raise anything
        return False


def empty(value: Any) -> Any:
    """Returns the empty value of the same type."""
    return type(value)()


def size_of_value(value: Any) -> int:
    """Returns the number of bytes of a value, for comparisons."""
    if isinstance(value, (bytes, bytearray)):
        return len(value)
    return len((value if isinstance(value, str) else repr(value)).encode("utf-8", "surrogatepass"))


def tokens(text: str) -> int:
    """Returns the number of words and single punctuation characters, as counted for all reductions."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def smaller(
    value: Any,
    test: Test,
    *,
    language: Optional[str] = None,
    seconds: Optional[float] = None,
    jobs: int = 1,
) -> Smaller:
    """Returns the smallest value found for which `test` holds, of the same type.

    A text or bytes are reduced in their language, and a value that can be written as a literal is reduced as
    that literal. From any other collection, unneeded items are removed; `seconds` is ignored then. Finally,
    numbers are moved towards zero, and characters of a text without a language are replaced by plain ones.
    """
    until = None if seconds is None else time.monotonic() + seconds
    found = _smaller(value, test, language, seconds, jobs)
    is_text = isinstance(value, (str, bytes, bytearray))
    if found.stopped or is_text and (found.reduction is None or found.reduction.language is not None):
        return found
    plainer = _Plainer(value, found.value, test, until)
    try:
        plainer.run()
    except TimeoutError:
        found.stopped = "time"
    is_smaller = size_of_value(plainer.best) != size_of_value(found.value)
    found.value = plainer.best
    if is_smaller and not is_text and not found.stopped and is_literal(found.value):
        # With a zero in place, a value may be removable that was not before.
        left = None if until is None else max(until - time.monotonic(), 0.0)
        again = _literal(found.value, test, left, jobs)
        found.value, found.after, found.stopped = again.value, again.after, again.stopped
    return found


def _smaller(value: Any, test: Test, language: Optional[str], seconds: Optional[float], jobs: int) -> Smaller:
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
            raise Unresolved("it is not a literal") from None
        return type(read) is type(value) and test(read)

    reduction = _reduced(repr(value), of_text, "python", seconds, jobs)
    best = ast.literal_eval(reduction.best.strip())
    return Smaller(best, reduction.before.tokens, reduction.after.tokens, _stopped(reduction), reduction)


def _reduced(value: Any, test: Test, language: Optional[str], seconds: Optional[float], jobs: int) -> "Reduction[Any]":
    """Returns the reduction. An interrupt ends it with the current best, if there is one."""
    try:
        return reduce(value, test, language=language, max_time=seconds, jobs=jobs, allow_empty=True)
    except KeyboardInterrupt as error:
        so_far: Optional[Reduction[Any]] = getattr(error, "reduction", None)
        if so_far is None:
            raise
        return so_far


def _stopped(reduction: "Reduction[Any]") -> str:
    return reduction.proof.kind if reduction.proof.kind in ("interrupted", "time") else ""


class _Plainer:
    """Simplifies the numbers and characters of a value, one after the other, while the test holds."""

    def __init__(self, first: Any, value: Any, test: Test, until: Optional[float]) -> None:
        self.best = value
        self._test, self._until = test, until
        self._leaves, self._build = _flat(value)
        numbers = [leaf for leaf in _flat(first)[0] if type(leaf) is int]
        self._least, self._most = min(numbers, default=0), max(numbers, default=0)

    def run(self) -> None:
        """Tries all simplifications. Raises `TimeoutError` when the time is over."""
        for at, leaf in enumerate(self._leaves):
            if type(leaf) is int:
                self._number(at)
            elif type(leaf) in (str, bytes):
                self._text(at)
        self._gather()

    def _gather(self) -> None:
        """Moves as much of a number as possible into one of the next three, which can help if both were
        needed for their sum. No number becomes larger than those of the original value, since the test may
        not support larger ones.
        """
        numbers = [at for at, leaf in enumerate(self._leaves) if type(leaf) is int]
        for one, other in [(one, other) for at, one in enumerate(numbers) for other in numbers[at + 1 : at + 4]]:
            both = self._leaves[one] + self._leaves[other]
            second = min(max(both, self._least), self._most)
            if abs(both - second) < abs(self._leaves[one]) and self._leaves[other]:
                self._holds({one: both - second, other: second})

    def _holds(self, changed: dict[int, Any]) -> bool:
        if self._until is not None and time.monotonic() >= self._until:
            raise TimeoutError
        leaves = [changed.get(at, leaf) for at, leaf in enumerate(self._leaves)]
        candidate = self._build(leaves)
        if not self._test(candidate):
            return False
        self.best, self._leaves = candidate, leaves
        return True

    def _number(self, at: int) -> None:
        """Replaces a number by the one nearest to zero, if all numbers between it and the original also hold."""
        if self._leaves[at] < 0:
            self._holds({at: -self._leaves[at]})
        sign = -1 if self._leaves[at] < 0 else 1
        fails, bound = -1, 0
        while bound < sign * self._leaves[at] and not self._holds({at: sign * bound}):
            fails, bound = bound, 2 * bound or 1
        while sign * self._leaves[at] - fails > 1:
            middle = (fails + sign * self._leaves[at]) // 2
            if not self._holds({at: sign * middle}):
                fails = middle

    def _text(self, at: int) -> None:
        """Replaces characters other than ASCII letters, digits and whitespace by plain ones: all occurrences
        at once, or one after the other.
        """
        text = self._leaves[at]
        zero, letter, blank = (_like(text, plain) for plain in "0a ")
        for odd in sorted({text[place : place + 1] for place in range(len(text))}):
            if odd == blank or odd.isascii() and odd.isalnum():
                continue
            if any(plain not in text and self._holds({at: text.replace(odd, plain)}) for plain in (zero, letter)):
                text = self._leaves[at]
                continue
            for place in range(len(text)):
                new = text[:place] + zero + text[place + 1 :]
                if text[place : place + 1] == odd and self._holds({at: new}):
                    text = new


def _like(text: Any, plain: str) -> Any:
    return plain if isinstance(text, str) else plain.encode()


def _flat(value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """Returns the leaf values of a value, and a function that creates such a value from other leaves."""
    kind = type(value)
    if kind is dict:
        parts = [part for pair in value.items() for part in pair]
    elif kind in (list, tuple):
        parts = list(value)
    elif kind in (set, frozenset):
        parts = sorted(value, key=repr)
    else:
        return [value], lambda leaves: leaves[0]
    flat = [_flat(part) for part in parts]

    def build(leaves: list[Any]) -> Any:
        made, at = [], 0
        for inside, build_part in flat:
            made.append(build_part(leaves[at : at + len(inside)]))
            at += len(inside)
        return dict(zip(made[::2], made[1::2])) if kind is dict else kind(made)

    return [leaf for inside, _ in flat for leaf in inside], build
