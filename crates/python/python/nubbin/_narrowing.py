"""The general delta debugging algorithm over numbered items, for one or both sides."""

from collections.abc import Iterable
from typing import Callable, Optional

__all__ = ["FAIL", "PASS", "UNRESOLVED", "narrow"]

PASS = "PASS"
FAIL = "FAIL"
UNRESOLVED = "UNRESOLVED"

Test = Callable[[Iterable[int]], str]
Told = Callable[[str, set[int], set[int], int], object]


def narrow(size: int, test: Test, *, shrinks: bool, grows: bool, told: Told) -> tuple[set[int], set[int]]:
    """Returns a passing and a failing configuration of the items from 0 to `size`.

    The search starts from the empty configuration, which passes, and the full one, which fails. With
    `shrinks` the failing one is reduced until no single item can be removed (ddmin). With `grows` the passing
    one is extended until no single item can be added (ddmax). With both, the two approach each other (dd;
    Zeller and Hildebrandt, TSE 2002). As in the Debugging Book, halves of the difference are tested alone,
    smaller parts only as removals or additions, and after a success the search continues from the same
    position. It therefore needs fewer tests than `nubbin.ddmin`, `ddmax` and `dd`: 24 instead of 34 for the
    book's first example.

    `told` is called with the name of a step, the two configurations and the number of parts.
    """
    # Small sets are iterated in their internal order, like in the chapter: in ascending order, three of its
    # examples take one more test. With 1,000 to 5,000 items, the ascending order takes up to 14 % fewer
    # tests.
    in_order: Callable[[set[int]], list[int]] = list if size <= 32 else sorted
    passing: set[int] = set()
    failing = set(range(size))
    number, offset = 2, 0
    while len(failing) - len(passing) >= number:
        told("", passing, failing, number)
        parts = _split(in_order(failing - passing), number)
        for step in range(number):
            place = (offset + step) % number
            move = _try(parts[place], passing, failing, test, number, shrinks, grows)
            if move is not None:
                break
        else:
            told("No reduction found", passing, failing, number)
            if number == len(failing) - len(passing):
                break
            told("Increase granularity", passing, failing, number)
            number = min(2 * number, len(failing) - len(passing))
            continue
        name, passing, failing = move
        told(name, passing, failing, number)
        offset = place
        if name.endswith("complement"):
            number = max(number - 1, 2)
    return passing, failing


def _try(
    part: set[int], passing: set[int], failing: set[int], test: Test, number: int, shrinks: bool, grows: bool
) -> Optional[tuple[str, set[int], set[int]]]:
    """Returns the first step with this part of the difference that the test allows."""
    larger, smaller = passing | part, failing - part
    if number == 2:
        if shrinks and test(larger) == FAIL:
            return "Reduce to subset", passing, larger
        if grows and test(smaller) == PASS:
            return "Increase to subset", smaller, failing
    if shrinks and test(smaller) == FAIL:
        return "Reduce to complement", passing, smaller
    if grows and test(larger) == PASS:
        return "Increase to complement", larger, failing
    return None


def _split(items: list[int], number: int) -> list[set[int]]:
    """Splits items into parts of about equal size; the first ones are the larger ones."""
    size, more = divmod(len(items), number)
    ends = [part * size + min(part, more) for part in range(number + 1)]
    return [set(items[begin:end]) for begin, end in zip(ends, ends[1:])]
