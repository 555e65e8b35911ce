"""Values as collections: their items, parts made of some of them, copies, and how to distinguish them."""

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
        """Creates a value from the items with these numbers, in ascending order."""


def parts_of(value: Any) -> Optional[Parts]:
    """Returns the items of a value, if it has any and if parts of it can be created.

    Supported are strings, bytes, lists, tuples, sets, dictionaries, similar types and subclasses, and any
    other object with a length that can be created from a list of its items, whose slices can be joined with
    `+`, or that can be indexed by a list of numbers, as arrays can.
    """
    if isinstance(value, type):
        return None
    try:
        size = len(value)
    except Exception:  # any exception means that it has no length
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
    """Returns a function that creates parts of a built-in collection."""
    if type(value) not in _PLAIN and isinstance(value, (MutableMapping, MutableSequence, MutableSet)):
        # The copy keeps everything else, such as attributes and the default of a `defaultdict`.
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
    """Returns functions that may be able to create parts of an object of another class."""
    if not hasattr(value, "__getitem__"):
        return []
    if hasattr(value, "iloc"):
        return [lambda numbers: value.iloc[list(numbers)]]
    if hasattr(value, "__array__"):  # `+` does not concatenate arrays
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
    """Returns whether this function creates parts of the right sizes, and the whole value."""
    some = range(0, size, 2)
    try:
        sizes = [len(make(numbers)) for numbers in (range(0), range(1), some, range(size))]
        is_whole = _of_object(value, "__eq__") or hasattr(value, "__array__") or bool(make(range(size)) == value)
    except Exception:  # a class without this constructor may raise anything
        return False
    return is_whole and sizes == [0, 1, len(some), size]


def copied(values: dict[str, Any]) -> dict[str, Any]:
    """Returns deep copies of all values, with the references between them.

    A value that cannot be copied, such as a lock, an open file or a generator, is kept itself, within copies
    of the lists, tuples, sets and dictionaries that contain it.
    """
    try:
        return copy.deepcopy(values)
    except Exception:  # raised by a value's class; the next lines find out which values can be copied
        memo: dict[int, Any] = {}
        return {name: _copied(value, memo) for name, value in values.items()}


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    # A failed copy leaves partial entries in the memo.
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
    """Returns the value itself, unless it is known to differ from an earlier copy; then the copy.

    Each item of a list is compared separately, so that the items of a part are the original ones.
    """
    if type(value) is list and type(before) is list:
        if len(value) != len(before):
            return before
        items = [item if _is_same(item, other) else other for item, other in zip(value, before)]
        return value if all(item is other for item, other in zip(items, value)) else items
    return value if _is_same(value, before) else before


def _is_same(value: Any, before: Any) -> bool:
    """Returns whether a copy shows no change. For objects that only equal themselves this is unknown."""
    try:
        if type(value) is not type(before):
            return False
        if isinstance(value, (list, tuple)):
            return len(value) == len(before) and all(map(_is_same, value, before))
        if isinstance(value, dict):
            return list(value) == list(before) and all(map(_is_same, value.values(), before.values()))
        return _of_object(value, "__eq__") or bool(value == before)
    except Exception:  # comparing arrays gives no truth value, and other classes may raise anything
        return True


def _of_object(value: Any, name: str) -> bool:
    """Returns whether a class inherits this method from `object`, so that objects only equal themselves."""
    return getattr(type(value), name, None) is getattr(object, name)


class Marks:
    """Distinguishes values by their contents, and objects without contents by identity.

    The objects are kept alive, so that their addresses are not reused.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._kept: list[Any] = []

    def mark(self, values: Mapping[str, Any]) -> Optional[bytes]:
        """Returns a digest of named values, or `None` if they are nested too deeply."""
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
            # Parts of an object of such a class are new objects each time, and so on.
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
        """Returns a number that equal objects of the same class share."""
        key: Any = (type(value), value)
        try:
            if _of_object(value, "__hash__"):
                key = id(value)
            number = self._numbers.setdefault(key, len(self._numbers))
        except Exception:  # unhashable objects are distinguished by identity
            number = self._numbers.setdefault(id(value), len(self._numbers))
        if number == len(self._kept):
            self._kept.append(value)
        return str(number).encode()


def _framed(tag: bytes, content: bytes) -> bytes:
    return b"%s:%d:%s;" % (tag, len(content), content)
