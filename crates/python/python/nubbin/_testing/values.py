"""Smaller values of an argument, by the text that they are or by the literal that stands for them, and plainer ones."""

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
    In the end numbers come near to zero, and characters of a text without a language become plain ones.
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
        # A zero may go where another number did not.
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


class _Plainer:
    """Makes numbers and characters of a value plain, one after the other, as long as the test holds."""

    def __init__(self, first: Any, value: Any, test: Test, until: Optional[float]) -> None:
        self.best = value
        self._test, self._until = test, until
        self._leaves, self._build = _flat(value)
        numbers = [leaf for leaf in _flat(first)[0] if type(leaf) is int]
        self._least, self._most = min(numbers, default=0), max(numbers, default=0)

    def run(self) -> None:
        """Tries all of them. Raises `TimeoutError` when the time is over."""
        for at, leaf in enumerate(self._leaves):
            if type(leaf) is int:
                self._number(at)
            elif type(leaf) in (str, bytes):
                self._text(at)
        self._gather()

    def _gather(self) -> None:
        """Puts as much of a number as can be into one of the next three: that may do where both were needed for their sum. No
        number becomes larger than those of the first value, since the test may not be made for it."""
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
        """Puts the number that is nearest to zero in a place, where those between it and the one there hold, too."""
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
        """Puts plain characters in the place of those that are no letters, digits or blanks of ASCII: of each wherever it is,
        or at one place after the other."""
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
    """The values in a value that have no others in them, and what makes such a value of others in their place."""
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
