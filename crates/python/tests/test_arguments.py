"""`DeltaDebugger` with every kind of argument, and functions that modify them."""

import collections
import sys
import threading

import pytest

from chapter import FAILING_INPUT, fails_with_x, myeval, mystery
from nubbin import DeltaDebugger


class Rope:
    """An object whose only feature is that its slices can be joined."""

    def __init__(self, text):
        self.text = text

    def __len__(self):
        return len(self.text)

    def __getitem__(self, place):
        return Rope(self.text[place])

    def __add__(self, other):
        return Rope(self.text + other.text)


@pytest.mark.parametrize(
    ("value", "needed"),
    [
        ("axb", "x"),
        (b"axb", b"x"),
        (bytearray(b"axb"), bytearray(b"x")),
        ([1, 2, 3], [2]),
        ((1, 2, 3), (2,)),
        ({1, 2, 3}, {2}),
        (frozenset("axb"), frozenset("x")),
        ({"a": 1, "x": 2}, {"x": 2}),
        (range(9), [5]),
        (collections.deque([1, 2, 3], maxlen=7), collections.deque([2], maxlen=7)),
        (collections.OrderedDict(a=1, x=2), collections.OrderedDict(x=2)),
        (collections.defaultdict(list, a=[1], x=[2]), collections.defaultdict(list, x=[2])),
        (collections.Counter("aax"), collections.Counter("x")),
        (collections.UserList([1, 2]), collections.UserList([2])),
    ],
)
def test_collections_of_all_types_are_narrowed(value, needed):
    def fails(argument):
        if all(item in argument for item in needed):
            if type(argument) not in (type(value), list):
                raise TypeError("not the type that was given")
            raise ValueError("all are there")

    with DeltaDebugger() as dd:
        fails(value)
    found = dd.min_args()["argument"]
    assert (found, type(found)) == (needed, type(needed))
    if isinstance(needed, collections.deque):
        assert found.maxlen == 7
    passing, failing, difference = (part["argument"] for part in dd.min_arg_diff())
    assert len(failing) == len(passing) + 1 and len(difference) == 1


def test_any_object_with_slices_is_narrowed():
    def fails(rope):
        fails_with_x(rope.text)

    with DeltaDebugger() as dd:
        fails(Rope("abcxdef"))
    assert dd.min_args()["rope"].text == "x"
    assert dd.max_args()["rope"].text == "abcdef"


def test_arrays_are_narrowed():
    numpy = pytest.importorskip("numpy")

    def fails(array):
        if 3 in list(array):
            raise ValueError("3")

    with DeltaDebugger() as dd:
        fails(numpy.array([1, 2, 3, 4]))
    assert repr(dd) == "fails(array=array([3]))"


def test_an_argument_can_be_nested_more_deeply_than_the_stack():
    def fails(nested, text):
        fails_with_x(text)

    deep = []
    for _ in range(100_000):
        deep = [deep]
    with DeltaDebugger() as dd:
        fails(deep, "axb")
    assert dd.format_call().startswith("fails(nested=<list object at ")
    assert dd.min_args() == {"nested": [], "text": "x"}


def test_items_of_any_type_are_distinguished():
    def fails(items, other):
        if True in [item for item in items if item is True]:
            raise ValueError("true")

    with DeltaDebugger() as dd:
        fails([1, 1.0, True, 0, -0.0, None, (1, [2, {3}]), {"a": 1}], object())
    assert dd.min_args()["items"] == [True] and dd.min_args()["items"][0] is True


def test_a_function_can_modify_its_arguments():
    def empties(items, inner):
        inner["seen"] = True
        while items:
            item = items.pop()
            if 3 in item:
                raise ValueError("3")
            item.clear()

    items, inner = [[1], [2], [3, 4], [5]], {}
    with DeltaDebugger() as dd:
        empties(items, inner)
    assert items == [[1], [2]]
    assert dd.args() == {"items": [[1], [2], [3, 4], [5]], "inner": {}}
    assert repr(dd) == "empties(items=[[3, 4]], inner={})"
    assert dd.max_args()["items"] == [[1], [2], [5]]


def test_items_that_are_objects_are_the_original_ones():
    class Item:
        def __init__(self, name):
            self.name = name

    items = [Item(name) for name in "axb"]
    named = {"first": items}

    def fails(items, named):
        # In a copy, the two also refer to each other.
        assert named["first"][0] is named["first"][0]
        for item in items:
            item.seen = any(item is other for other in named["first"])
            if item.name == "x" and item.seen:
                raise ValueError("x")

    with DeltaDebugger() as dd:
        fails(items, named)
    assert dd.min_args()["items"] == [items[1]]


def test_values_that_cannot_be_copied_are_passed_themselves():
    lock = threading.Lock()

    def fails(lock, items, more):
        with lock:
            items.append(0)
            more["lock"] = lock
            if 3 in items:
                raise ValueError("3")

    with DeltaDebugger() as dd:
        fails(lock, [1, 2, 3], {"first": lock, "second": 2})
    assert dd.min_args() == {"lock": lock, "items": [3], "more": {}}


def test_a_function_that_needs_the_original_objects_gets_them():
    known = [object(), object(), object()]

    def fails(items):
        if any(item is known[1] for item in items):
            raise ValueError("known")

    with DeltaDebugger() as dd:
        fails(list(known))
    assert dd.min_args() == {"items": [known[1]]}


def test_output_during_a_test_is_discarded(capsys):
    def prints(text):
        print("out", text)
        print("err", text, file=sys.stderr)
        fails_with_x(text)

    with DeltaDebugger(log=True) as dd:
        prints("axb")
    first = capsys.readouterr()
    assert (first.out.splitlines()[0], first.err) == ("out axb", "err axb\n")
    assert dd.min_args() == {"text": "x"}
    shown = capsys.readouterr()
    assert "out" not in shown.out and shown.err == ""


def test_an_exit_of_the_program_is_a_failure():
    def exits(text):
        if "x" in text:
            sys.exit("wrong text")

    with DeltaDebugger() as dd:
        exits("axb")
    assert repr(dd) == "exits(text='x')"


def test_another_message_is_another_failure():
    def fails(text):
        if len(text) < 3:
            raise ValueError("too short")
        fails_with_x(text)

    with DeltaDebugger() as dd:
        fails("aaxbb")
    smallest = dd.min_args()["text"]
    assert "x" in smallest and len(smallest) == 3
    assert dd.test({"text": "x"}) == "UNRESOLVED"


def test_one_argument_is_enough_for_a_passing_call():
    def both(one, two):
        if "x" in one and "y" in two:
            raise ValueError("both")

    def either(one, two):
        if "x" in one or "y" in two:
            raise ValueError("either")

    with DeltaDebugger() as dd:
        both("axb", "cyd")
    assert repr(dd) == "both(one='x', two='y')"
    assert dd.max_args() == {"one": "ab", "two": "cyd"}
    passing, failing, difference = dd.min_arg_diff()
    assert passing["two"] == failing["two"] and difference == {"one": "x", "two": ""}
    with DeltaDebugger() as dd:
        either("axb", "cyd")
    assert dd.max_args() == {"one": "ab", "two": "cd"}
    passing, failing, difference = dd.min_arg_diff()
    assert (passing["one"], failing["one"]) == ("", "") and difference == {"one": "", "two": "y"}


def test_a_subclass_can_redefine_the_failure():
    class AnyError(DeltaDebugger):
        def run(self, args):
            return "PASS" if super().run(args) == "PASS" else "FAIL"

    with AnyError() as dd:
        myeval("1 + 2 * 3 / 0")
    assert dd.min_args() == {"inp": ""}
    with AnyError() as dd:
        fails_with_x("axb")
    assert dd.min_args()["text"] == "x"


def test_a_debugger_can_be_used_again():
    dd = DeltaDebugger()
    with dd:
        mystery(FAILING_INPUT)
    assert repr(dd) == "mystery(inp='()')"
    with dd:
        fails_with_x("axb")
    assert dd.min_args()["text"] == "x"
