"""Delta debugging of any collection, with the published algorithms."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Callable, Generic, Optional, TypeVar, Union, overload

from . import _nubbin
from ._nubbin import Node
from ._verdict import Answer, Verdict
from ._workers import places_of, workers

__all__ = ["Difference", "bisect", "cdd", "dd", "ddmax", "ddmin", "hdd", "wdd"]

C = TypeVar("C")
"""A collection: a list, tuple, string, bytes, set, dictionary, or any type that can be called with a list of items."""

Test = Callable[[C], Answer]
Told = Optional[Callable[[C, Verdict], object]]
Make = Optional[Callable[[list[Any]], C]]


@dataclass(frozen=True)
class Difference(Generic[C]):
    """A passing configuration, a larger failing one, and the items in which they differ."""

    passing: C
    """A passing part."""
    failing: C
    """A failing part: the passing part and the difference."""
    difference: C
    """The items that are only in the failing part."""


def ddmin(
    items: C,
    test: Test[C],
    *,
    subsets: bool = True,
    jobs: int = 1,
    on_test: Told[C] = None,
    make: Make[C] = None,
) -> C:
    """Finds a minimal failing part of `items` with ddmin (Zeller and Hildebrandt, TSE 2002).

    The result is 1-minimal: it does not fail without any single one of its items.

    `test` is called with a part of `items`, of the same type and in the same order, and returns whether it
    fails: `True` or `False`, or a `Verdict`. `None`, or the exception `Unresolved`, means that it cannot be
    decided. Any other exception is passed to the caller. Each part is tested once.

    With `subsets=False` only complements are tested, as in *The Debugging Book*. This needs fewer tests if
    many items are needed, and more if few are.

    With several `jobs`, this number of tests runs at the same time in forked processes. The result is the
    same. `on_test` is called with each tested part and its verdict, in the order of the search. `make`
    creates a part from a list of items, for types that cannot be called with such a list.

    Raises `NotFailing` if all items together do not fail.
    """
    return _run("ddmin" if subsets else "complements", items, test, jobs, on_test, make)[0]


def bisect(items: C, test: Test[C], *, jobs: int = 1, on_test: Told[C] = None, make: Make[C] = None) -> C:
    """Finds a minimal failing part of `items` with few tests: each half is removed separately, and so on down
    to single items, until no item can be removed.

    The reduction of texts uses this algorithm for lists. It needs about 2 k log2(n / k) tests if k of n items
    are needed independently, a fraction of those of `ddmin`. For the arguments see `ddmin`.
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
    """Finds a minimal failing part of `items` like `ddmin`, but splits into parts of about equal weight (Zhou
    and others, "WDD: Weighted Delta Debugging", ICSE 2025).

    `weights` contains a number for each item, in the same order. For the other arguments see `ddmin`.
    """
    return _run("wdd", items, test, jobs, on_test, make, weights=list(weights))[0]


def cdd(items: C, test: Test[C], *, jobs: int = 1, on_test: Told[C] = None, make: Make[C] = None) -> C:
    """Finds a small failing part of `items` with few tests: counter-based delta debugging (Zhang and others,
    ICSE 2025).

    It needs at most four tests per item, and the result need not be minimal. For the arguments see `ddmin`.
    """
    return _run("cdd", items, test, jobs, on_test, make)[0]


def ddmax(items: C, test: Test[C], *, jobs: int = 1, on_test: Told[C] = None, make: Make[C] = None) -> C:
    """Finds a maximal passing part of `items` with ddmax (Kirschner, Soremekun and Zeller, ICSE 2020).

    The result is 1-maximal: it does not pass with any single further item. For the arguments see `ddmin`.

    Raises `NotPassing` if the empty collection does not pass.
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
    """Finds a minimal difference between a passing and a failing part of `items` with dd (Zeller and
    Hildebrandt, TSE 2002).

    The search starts from the part `passing`, which is empty by default. For the other arguments see `ddmin`.

    Raises `NotPassing` if the initial part does not pass, and `NotFailing` if all items together do not fail.
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
    """Finds a small failing tree with hierarchical delta debugging (Misherghi and Su, ICSE 2006).

    A tree consists of nested lists, tuples and dictionaries, as in JSON. Items of all of them can be removed,
    from the largest to the smallest; any other value, such as a string or a number, is a leaf. No single item
    of the result can be removed with its contents. For the arguments see `ddmin`.

    A tree can also be a `Node` of `parse`. Then its nodes can be removed, `test` is called with texts, and
    the result is a text.

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
    """Returns the result: one part, or for `dd` the passing part, the failing part, and the difference."""
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
    """Returns the items of a collection, and a function that creates such a collection from a list of items."""
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
        return list(items), list  # a part of a range need not be a range
    if isinstance(items, tuple) and hasattr(items, "_fields"):
        return list(items), tuple  # a part of a named tuple is a plain tuple
    return list(items), kind


def _ordered(items: Set[Any]) -> list[Any]:
    """Returns the items of a set, if possible in an order that is the same in each run of the program."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=lambda item: (type(item).__qualname__, repr(item)))


def _places(items: Sequence[Any], part: Iterable[Any]) -> list[int]:
    """Returns the positions of the items of a part, the first possible ones."""
    places, at = [], 0
    for item in part:
        while at < len(items) and items[at] != item:
            at += 1
        if at == len(items):
            raise ValueError(f"`passing` is not a part of the items: {item!r:.100} is missing or out of order")
        places.append(at)
        at += 1
    return places


class _Nodes:
    """A tree as numbered items: each has a greater number than the item that contains it, and the items of a
    list have consecutive numbers.
    """

    def __init__(self, tree: Any) -> None:
        if not _is_inner(tree):
            raise TypeError(f"a tree must be a list, a tuple or a dictionary, not {type(tree).__name__}")
        self.tree: list[tuple[int, Optional[int]]] = []
        """For each item, the number of the list that contains it, and the item that is this list."""
        self._lists: list[tuple[Any, Optional[int], int]] = []
        """Each list, its own item, and the number of its first item."""
        waiting: list[tuple[Any, Optional[int]]] = [(tree, None)]
        # The list grows during the loop, level by level.
        for number, (inner, owner) in enumerate(waiting):
            self._lists.append((inner, owner, len(self.tree)))
            for child in _children(inner):
                if _is_inner(child):
                    waiting.append((child, len(self.tree)))
                self.tree.append((number, owner))

    def make(self, kept: list[int]) -> Any:
        """Returns the tree with only these items."""
        there = bytearray(len(self.tree))
        for number in kept:
            there[number] = 1
        built: dict[Optional[int], Any] = {}
        # Containers precede their contents.
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
        """Returns the text with only these nodes and the text between them."""
        there = set(kept)
        parts, at = [], 0  # positions in bytes
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
