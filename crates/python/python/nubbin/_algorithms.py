"""Delta debugging of any collection, by the published algorithms."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Callable, Generic, Optional, TypeVar, Union, overload

from . import _nubbin
from ._nubbin import Node
from ._verdict import Answer, Verdict
from ._workers import places_of, workers

__all__ = ["Difference", "bisect", "cdd", "dd", "ddmax", "ddmin", "hdd", "wdd"]

C = TypeVar("C")
"""A collection: a list, tuple, string, bytes, set, dictionary, or anything that its type makes of a list of items."""

Test = Callable[[C], Answer]
Told = Optional[Callable[[C, Verdict], object]]
Make = Optional[Callable[[list[Any]], C]]


@dataclass(frozen=True)
class Difference(Generic[C]):
    """A configuration that passes, a larger one that fails, and what makes the difference."""

    passing: C
    """A part that passes."""
    failing: C
    """A part that fails: what passes, and the difference."""
    difference: C
    """The items that only the failing part has."""


def ddmin(
    items: C,
    test: Test[C],
    *,
    subsets: bool = True,
    jobs: int = 1,
    on_test: Told[C] = None,
    make: Make[C] = None,
) -> C:
    """A smallest part of `items` that fails: ddmin (Zeller and Hildebrandt, TSE 2002).

    Without any single one of its items it does not fail.

    `test` is given a part of `items`, of the same type and in the same order, and says whether the failure is there:
    `True` or `False`, or a `Verdict`; `None`, or the exception `Unresolved`, says that it cannot tell. Any other exception
    of it comes out. It is asked about each part once.

    Without `subsets` it is only asked what fails without a part, and never about a part alone, as in *The Debugging Book*:
    fewer tests where many items are needed, and more where few are.

    With several `jobs` the test runs in so many forked processes at once. The result is the same.
    `on_test` is called with each part that was tested and its verdict, in the order of the search.
    `make` makes a part of a list of items, for types that cannot be called with such a list.

    Raises `NotFailing` if `items` as a whole do not fail.
    """
    return _run("ddmin" if subsets else "complements", items, test, jobs, on_test, make)[0]


def bisect(items: C, test: Test[C], *, jobs: int = 1, on_test: Told[C] = None, make: Make[C] = None) -> C:
    """A smallest part of `items` that fails, with few tests: each half is left out by itself, down to single items, until no
    item can go.

    That is what the reduction of texts does with lists. It takes about 2 k log2(n / k) tests where k of n items are needed
    for themselves, a fraction of those of `ddmin`; see there for the rest.
    """
    return _run("bisect", items, test, jobs, on_test, make)[0]


def wdd(
    items: C,
    test: Test[C],
    weights: Iterable[int],
    *,
    jobs: int = 1,
    on_test: Told[C] = None,
    make: Make[C] = None,
) -> C:
    """A smallest part of `items` that fails, looked for in parts of about the same weight (ICSE 2025).

    `weights` has a number for each item, in their order; see `ddmin` for the rest.
    """
    return _run("wdd", items, test, jobs, on_test, make, weights=list(weights))[0]


def cdd(items: C, test: Test[C], *, jobs: int = 1, on_test: Told[C] = None, make: Make[C] = None) -> C:
    """A small part of `items` that fails, for few tests: counter-based delta debugging (ICSE 2025).

    It takes at most four tests for each item, and the result need not be smallest; see `ddmin` for the rest.
    """
    return _run("cdd", items, test, jobs, on_test, make)[0]


def ddmax(items: C, test: Test[C], *, jobs: int = 1, on_test: Told[C] = None, make: Make[C] = None) -> C:
    """A largest part of `items` that passes: ddmax (Kirschner, Soremekun and Zeller, ICSE 2020).

    With any single one of the other items it does not pass. See `ddmin` for the arguments.

    Raises `NotPassing` if nothing does not pass.
    """
    return _run("ddmax", items, test, jobs, on_test, make)[0]


def dd(
    items: C,
    test: Test[C],
    *,
    passing: Optional[C] = None,
    jobs: int = 1,
    on_test: Told[C] = None,
    make: Make[C] = None,
) -> Difference[C]:
    """A smallest difference between a part of `items` that passes and one that fails: dd (TSE 2002).

    The search begins with the part `passing`, or with nothing. See `ddmin` for the other arguments.

    Raises `NotPassing` if the part to begin with does not pass, and `NotFailing` if `items` do not fail.
    """
    return Difference(*_run("dd", items, test, jobs, on_test, make, passing=passing))


@overload
def hdd(
    tree: Node, test: Callable[[Any], Answer], *, jobs: int = 1, on_test: Optional[Callable[[Any, Verdict], object]] = None
) -> Any: ...


@overload
def hdd(tree: C, test: Test[C], *, jobs: int = 1, on_test: Told[C] = None) -> C: ...


def hdd(
    tree: Any,
    test: Callable[[Any], Answer],
    *,
    jobs: int = 1,
    on_test: Optional[Callable[[Any, Verdict], object]] = None,
) -> Any:
    """A small tree that fails: hierarchical delta debugging (Misherghi and Su, ICSE 2006).

    A tree is made of lists, tuples and dictionaries in each other, as JSON has them. Items of any of them may go, from the
    largest to the smallest; everything else, a string or a number, is a leaf. No single item of the result, with all that
    is in it, can go. See `ddmin` for the arguments.

    A tree may also be a `Node` of `parse`: then its nodes may go, `test` is given texts, and the result is one.

    Raises `NotFailing` if the whole tree does not fail.
    """
    nodes: Union[_Nodes, _Syntax] = _Syntax(tree) if isinstance(tree, Node) else _Nodes(tree)
    items = _nubbin.Items(list(range(len(nodes.tree))), nodes.make)
    found = _search("hdd", items, test, jobs, on_test, tree=nodes.tree)
    return items.make(found[0])


def _run(
    name: str,
    items: C,
    test: Test[C],
    jobs: int,
    on_test: Told[C],
    make: Make[C],
    weights: Sequence[int] = (),
    passing: Optional[C] = None,
) -> list[C]:
    """The result: one part, or for `dd` the part that passes, the part that fails, and the difference."""
    parts, maker = _split(items, make)
    if name == "wdd" and len(weights) != len(parts):
        raise ValueError(f"there are {len(weights)} weights for {len(parts)} items")
    above = [] if passing is None else _places(parts, _split(passing, make)[0])
    all_items = _nubbin.Items(parts, maker)
    found = _search(name, all_items, test, jobs, on_test, weights=list(weights), passing=above)
    return [all_items.make(places) for places in found]


def _search(
    name: str,
    items: "_nubbin.Items",
    test: Callable[[Any], Answer],
    jobs: int,
    on_test: Optional[Callable[[Any, Verdict], object]],
    weights: Sequence[int] = (),
    passing: Sequence[int] = (),
    tree: Sequence[tuple[int, Optional[int]]] = (),
) -> list[list[int]]:
    task = {"name": name, "weights": list(weights), "passing": list(passing), "tree": list(tree)}
    with workers(jobs, lambda request: test(items.make(places_of(request)))) as processes:
        return _nubbin.search(task, items, test, on_test, processes)


def _split(items: Any, make: Optional[Callable[[list[Any]], Any]]) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The items of a collection, and what makes such a collection of a list of them."""
    kind = type(items)
    if make is not None:
        return list(items.items() if isinstance(items, Mapping) else items), make
    if isinstance(items, str):
        return list(items), str if kind is str else lambda parts: kind("".join(parts))
    if isinstance(items, Mapping):
        return list(items.items()), kind
    if isinstance(items, Set):
        return _ordered(items), kind
    if isinstance(items, range):
        return list(items), list  # a part of it is no range
    if isinstance(items, tuple) and hasattr(items, "_fields"):
        return list(items), tuple  # a part of a named tuple is none
    return list(items), kind


def _ordered(items: Set[Any]) -> list[Any]:
    """The items of a set, in the same order each time that the program runs, if that can be."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=lambda item: (type(item).__qualname__, repr(item)))


def _places(items: Sequence[Any], part: Iterable[Any]) -> list[int]:
    """The places of the items of a part, the first ones that are possible."""
    places, at = [], 0
    for item in part:
        while at < len(items) and items[at] != item:
            at += 1
        if at == len(items):
            raise ValueError(f"what passes is no part of the items: {item!r:.100} is not among them, or not there")
        places.append(at)
        at += 1
    return places


class _Nodes:
    """A tree as numbered items: each has a greater number than the one that it is in, and those of a list follow."""

    def __init__(self, tree: Any) -> None:
        if not _is_inner(tree):
            raise TypeError(f"a tree is a list, a tuple or a dictionary, not {type(tree).__name__}")
        self.tree: list[tuple[int, Optional[int]]] = []
        """The list of each item, and the item that this list is."""
        self._lists: list[tuple[Any, Optional[int], int]] = []
        """Each list, the item that it is, and the number of its first item."""
        waiting: list[tuple[Any, Optional[int]]] = [(tree, None)]
        # It grows as it is walked: level by level.
        for number, (inner, owner) in enumerate(waiting):
            self._lists.append((inner, owner, len(self.tree)))
            for child in _children(inner):
                if _is_inner(child):
                    waiting.append((child, len(self.tree)))
                self.tree.append((number, owner))

    def make(self, kept: list[int]) -> Any:
        """The tree with these items only."""
        there = bytearray(len(self.tree))
        for number in kept:
            there[number] = 1
        built: dict[Optional[int], Any] = {}
        # What a list is in comes before it.
        for inner, owner, first in reversed(self._lists):
            if owner is None or there[owner]:
                pairs = enumerate(_pairs(inner), first)
                left = [(key, built.pop(number, child)) for number, (key, child) in pairs if there[number]]
                built[owner] = _rebuilt(inner, left)
        return built[None]


class _Syntax:
    """The nodes of a syntax tree as numbered items, as in `_Nodes`, and texts without some of them."""

    def __init__(self, root: Node) -> None:
        self.tree: list[tuple[int, Optional[int]]] = []
        self._is_text = isinstance(root.text, str)
        self._bytes: bytes = root.text.encode("utf-8", "surrogatepass") if self._is_text else root.text
        self._ranges: list[tuple[int, int]] = []
        waiting: list[tuple[Node, Optional[int]]] = [(root, None)]
        for number, (node, owner) in enumerate(waiting):
            for child in node.children:
                if child.children:
                    waiting.append((child, len(self.tree)))
                self.tree.append((number, owner))
                self._ranges.append((child.start - root.start, child.end - root.start))

    def make(self, kept: list[int]) -> Any:
        """The text with these nodes only, and what stands between them."""
        there = set(kept)
        parts, at = [], 0  # places are those of bytes
        for start, end in sorted(span for number, span in enumerate(self._ranges) if number not in there):
            if end > at:
                parts.append(self._bytes[at : max(start, at)])
                at = end
        text = b"".join([*parts, self._bytes[at:]])
        return text.decode("utf-8", "surrogatepass") if self._is_text else text


def _pairs(inner: Any) -> Iterable[tuple[Any, Any]]:
    return inner.items() if isinstance(inner, Mapping) else ((None, child) for child in inner)


def _rebuilt(inner: Any, left: list[tuple[Any, Any]]) -> Any:
    if isinstance(inner, Mapping):
        return type(inner)(left)  # type: ignore[call-arg]
    children = [child for _, child in left]
    return tuple(children) if hasattr(inner, "_fields") else type(inner)(children)


def _is_inner(item: object) -> bool:
    return isinstance(item, (list, tuple, Mapping))


def _children(inner: Any) -> Iterable[Any]:
    return inner.values() if isinstance(inner, Mapping) else inner
