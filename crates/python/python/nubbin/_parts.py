"""Values as collections: their items, parts made of some of them, copies, and what tells two of them apart."""

import copy
import hashlib
from collections.abc import Mapping, MutableMapping, MutableSequence, MutableSet, Sequence, Set
from typing import Any, Callable, Optional

from ._algorithms import _split

__all__ = ["Marks", "Parts", "copied", "parts_of", "unchanged"]

_PLAIN = (bool, bytearray, bytes, complex, float, frozenset, int, list, range, set, str, tuple, type(None), dict)


class Parts:
    """A value that consists of numbered items."""

    def __init__(self, size: int, make: Callable[[Sequence[int]], Any]) -> None:
        self.size = size
        """The number of items."""
        self.make = make
        """Makes a value of the items with these numbers, which ascend."""


def parts_of(value: Any) -> Optional[Parts]:
    """The items of a value, if it has any and parts of it can be made.

    Those are strings, bytes, lists, tuples, sets, dictionaries, their like and their subclasses, and any other object with a
    length that can be made of a list of its items, or whose slices can be joined with `+`, or that takes a list of numbers
    as its index, as arrays do.
    """
    if isinstance(value, type):
        return None
    try:
        size = len(value)
    except Exception:  # whatever an object of any class raises, it has no length
        return None
    if size == 0:
        return None
    known = _known(value)
    if known is not None and (type(value) in _PLAIN or _makes(known, value, size)):
        return Parts(size, known)
    for guess in _guessed(value):
        if _makes(guess, value, size) and type(guess(range(1))) is type(value):
            return Parts(size, guess)
    return None


def _known(value: Any) -> Optional[Callable[[Sequence[int]], Any]]:
    """The maker of the parts of a collection of the language."""
    if type(value) not in _PLAIN and isinstance(value, (MutableMapping, MutableSequence, MutableSet)):
        # The copy has what else is in it: attributes, the default of a `defaultdict`.
        keys = list(value.items()) if isinstance(value, MutableMapping) else list(value)

        def refilled(numbers: Sequence[int]) -> Any:
            made = copy.copy(value)
            made.clear()
            for number in numbers:
                if isinstance(made, MutableMapping):
                    made[keys[number][0]] = keys[number][1]
                elif isinstance(made, MutableSequence):
                    made.append(keys[number])
                else:
                    made.add(keys[number])
            return made

        return refilled
    if isinstance(value, str):
        kind = type(value)
        return lambda numbers: kind("".join([value[number] for number in numbers]))
    if isinstance(value, (bytes, bytearray, Mapping, Set, range, tuple, list)):
        items, make = _split(value, None)
        return lambda numbers: make([items[number] for number in numbers])
    return None


def _guessed(value: Any) -> list[Callable[[Sequence[int]], Any]]:
    """Makers that may do for an object of another class."""
    if not hasattr(value, "__getitem__"):
        return []
    if hasattr(value, "iloc"):
        return [lambda numbers: value.iloc[list(numbers)]]
    if hasattr(value, "__array__"):  # a sum of arrays is not one after the other
        return [lambda numbers: value[list(numbers)]]

    def of_items(numbers: Sequence[int]) -> Any:
        return type(value)([value[number] for number in numbers])

    def of_slices(numbers: Sequence[int]) -> Any:
        made = value[0:0]
        begin = 0
        for end in range(1, len(numbers) + 1):
            if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
                made = made + value[numbers[begin] : numbers[end - 1] + 1]
                begin = end
        return made

    return [of_slices, of_items]


def _makes(make: Callable[[Sequence[int]], Any], value: Any, size: int) -> bool:
    """Tells if this maker gives parts of the right sizes, and the whole."""
    some = range(0, size, 2)
    try:
        sizes = [len(make(numbers)) for numbers in (range(0), range(1), some, range(size))]
        is_whole = _of_object(value, "__eq__") or hasattr(value, "__array__") or bool(make(range(size)) == value)
    except Exception:  # a class that cannot be made in this way may raise anything
        return False
    return is_whole and sizes == [0, 1, len(some), size]


def copied(values: dict[str, Any]) -> dict[str, Any]:
    """Copies of all values, deep ones, which refer to each other as the values do.

    A value that cannot be copied, such as a lock, an open file or a generator, is there itself, in copies of the lists,
    tuples, sets and dictionaries around it.
    """
    try:
        return copy.deepcopy(values)
    except Exception:  # of the classes of the values; the next lines find the ones that can be copied
        memo: dict[int, Any] = {}
        return {name: _copied(value, memo) for name, value in values.items()}


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    # A copy that fails leaves halves behind.
    attempt = dict(memo)
    try:
        made = copy.deepcopy(value, attempt)
    except RecursionError:
        return value
    except Exception:
        if type(value) in (list, tuple, set, frozenset):
            return type(value)([_copied(item, memo) for item in value])
        if type(value) is dict:
            return {_copied(key, memo): _copied(item, memo) for key, item in value.items()}
        return value
    memo.update(attempt)
    return made


def unchanged(value: Any, before: Any) -> Any:
    """This value itself, unless it can be seen that it is no longer equal to a copy that was made before; else the copy.

    Each item of a list is looked at by itself, so that the items of a part are those that were given.
    """
    if type(value) is list and type(before) is list:
        if len(value) != len(before):
            return before
        items = [item if _is_same(item, other) else other for item, other in zip(value, before)]
        return value if all(item is other for item, other in zip(items, value)) else items
    return value if _is_same(value, before) else before


def _is_same(value: Any, before: Any) -> bool:
    """Tells if a copy shows no change; that of an object which is equal to nothing but itself does not."""
    try:
        if type(value) is not type(before):
            return False
        if isinstance(value, (list, tuple)):
            return len(value) == len(before) and all(map(_is_same, value, before))
        if isinstance(value, dict):
            return list(value) == list(before) and all(map(_is_same, value.values(), before.values()))
        return _of_object(value, "__eq__") or bool(value == before)
    except Exception:  # arrays are neither equal nor not, and other classes may raise anything
        return True


def _of_object(value: Any, name: str) -> bool:
    """Tells if a class takes this method from `object`, so that only an object itself is equal to it."""
    return getattr(type(value), name, None) is getattr(object, name)


class Marks:
    """Tells values apart by their contents, and objects that have none by which object they are.

    It keeps the objects, so that no other one ever has the same address.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._kept: list[Any] = []

    def mark(self, values: Mapping[str, Any]) -> Optional[bytes]:
        """A digest of named values; none for those that are nested too deeply."""
        digest = hashlib.sha256()
        try:
            for name in sorted(values):
                digest.update(_framed(b"n", name.encode("utf-8", "surrogatepass")))
                self._feed(digest, values[name], is_outer=True)
        except RecursionError:
            return None
        return digest.digest()

    def _feed(self, digest: Any, value: Any, is_outer: bool = False) -> None:
        kind = type(value)
        tag = kind.__name__.encode()
        if kind is str:
            digest.update(_framed(tag, value.encode("utf-8", "surrogatepass")))
        elif kind in (bytes, bytearray):
            digest.update(_framed(tag, bytes(value)))
        elif kind in (bool, int, float, complex, range, type(None)):
            digest.update(_framed(tag, repr(value).encode()))
        elif kind in (list, tuple):
            digest.update(_framed(tag, str(len(value)).encode()))
            for item in value:
                self._feed(digest, item)
        elif kind is dict:
            digest.update(_framed(tag, str(len(value)).encode()))
            for key, item in value.items():
                self._feed(digest, key)
                self._feed(digest, item)
        elif kind in (set, frozenset):
            digest.update(_framed(tag, b"".join(sorted(self._alone(item) for item in value))))
        elif is_outer and isinstance(value, (str, bytes, bytearray)):
            # A part of an object of such a class is a new object each time, and so below.
            digest.update(_framed(b"s", self._number(kind)))
            self._feed(digest, str(value) if isinstance(value, str) else bytes(value))
        elif is_outer and isinstance(value, (Sequence, Mapping, Set)):
            digest.update(_framed(b"c", self._number(kind)))
            for item in value.items() if isinstance(value, Mapping) else value:
                self._feed(digest, item)
        else:
            digest.update(_framed(b"o", self._number(value)))

    def _alone(self, value: Any) -> bytes:
        digest = hashlib.sha256()
        self._feed(digest, value)
        return bytes(digest.digest())

    def _number(self, value: Any) -> bytes:
        """A number that equal objects of the same class share."""
        key: Any = (type(value), value)
        try:
            if _of_object(value, "__hash__"):
                key = id(value)
            number = self._numbers.setdefault(key, len(self._numbers))
        except Exception:  # what cannot be hashed is told by its address
            number = self._numbers.setdefault(id(value), len(self._numbers))
        if number == len(self._kept):
            self._kept.append(value)
        return str(number).encode()


def _framed(tag: bytes, content: bytes) -> bytes:
    return b"%s:%d:%s;" % (tag, len(content), content)
