"""The algorithms, over every kind of collection."""

import collections
import os
import signal
import threading
import time

import pytest

import nubbin
from nubbin import Verdict


def has(*needed):
    return lambda part: all(item in part for item in needed)


@pytest.mark.parametrize(
    ("items", "needed", "smallest"),
    [
        ([1, 2, 3, 4], (2, 4), [2, 4]),
        ((1, 2, 3, 4), (2, 4), (2, 4)),
        ("(1 + 2)", ("(", ")"), "()"),
        (b"abcdef", (ord("b"), ord("e")), b"be"),
        (bytearray(b"abcdef"), (ord("c"),), bytearray(b"c")),
        ({"a", "b", "c"}, ("b",), {"b"}),
        (frozenset("abc"), ("b",), frozenset("b")),
        ({"x": 1, "y": 2, "z": 3}, ("z", "x"), {"x": 1, "z": 3}),
        (collections.OrderedDict(x=1, y=2), ("y",), collections.OrderedDict(y=2)),
        (collections.deque([1, 2, 3]), (3,), collections.deque([3])),
        (range(5), (3,), [3]),
        ("one\ntwo\nthree\n".splitlines(keepends=True), ("two\n",), ["two\n"]),
        ("\ud800 lone surrogates\udfff", ("\udfff",), "\udfff"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_result_has_the_type_of_the_input(items, needed, smallest, jobs):
    seen = set()

    def test(part):
        seen.add(type(part))
        return has(*needed)(part)

    for algorithm in (nubbin.ddmin, nubbin.cdd):
        result = algorithm(items, test, jobs=jobs)
        assert result == smallest
        assert type(result) is type(smallest)
    assert seen <= {type(smallest)}


def test_make_creates_parts_of_other_types():
    joined = nubbin.ddmin(["a", "b", "c"], lambda text: "b" in text, make="".join)
    assert joined == "b"


def test_the_largest_passing_part():
    def fails(text):
        return "(" in text and ")" in text and text.index("(") < text.index(")")

    assert nubbin.ddmax("print((1 + 2) * 3)", fails) == "print1 + 2) * 3)"


def test_the_difference_contains_a_passing_and_a_failing_part():
    found = nubbin.dd([1, 2, 3, 4, 5, 6, 7, 8], has(4, 7))
    assert found == nubbin.Difference(passing=[5, 6, 7, 8], failing=[4, 5, 6, 7, 8], difference=[4])
    above = nubbin.dd("abcdefgh", has("d", "g"), passing="bd")
    assert above.difference == "g"
    assert set(above.passing) >= set("bd")
    with pytest.raises(ValueError, match="not a part of the items"):
        nubbin.dd("abc", has("b"), passing="cb")


def test_weights_split_into_parts_of_equal_weight():
    asked = []

    def test(part):
        asked.append(part)
        return "z" in part

    assert nubbin.wdd(["w" * 90, "x", "y", "z"], test, [90, 1, 1, 1]) == ["z"]
    assert ["x", "y", "z"] in asked
    with pytest.raises(ValueError, match="2 weights for 3 items"):
        nubbin.wdd([1, 2, 3], test, [1, 1])


def test_a_tree_is_reduced_from_the_root():
    data = {"keep": [1, {"inner": ("needle", 2)}], "drop": [{"deep": [3] * 20}] * 5}
    for jobs in (1, 3):
        assert nubbin.hdd(data, lambda tree: "needle" in repr(tree), jobs=jobs) == {
            "keep": [{"inner": ("needle",)}]
        }


def test_a_tree_can_be_deeper_than_the_stack():
    def depth(tree):
        levels = 0
        while tree:
            tree, levels = tree[0], levels + 1
        return levels

    deep = []
    for _ in range(20_000):
        deep = [deep]
    assert depth(nubbin.hdd([deep], lambda tree: depth(tree) >= 1)) == 1


@pytest.mark.parametrize("jobs", [1, 3])
def test_bisection_takes_fewer_tests_than_ddmin(jobs):
    needed = {17, 230, 231, 640, 999}

    def tests_of(search, **more):
        asked = []
        found = search(range(1000), needed.issubset, jobs=jobs, on_test=lambda part, _: asked.append(part), **more)
        assert found == sorted(needed)
        return len(asked)

    counts = [tests_of(nubbin.ddmin), tests_of(nubbin.ddmin, subsets=False), tests_of(nubbin.bisect)]
    assert counts == [205, 122, 66]
    # The output of the book's function of this name for its first example: 17 tests, and one of the empty
    # list.
    asked = []

    def mystery(text):
        asked.append(text)
        return 0 <= text.find("(") < text.find(")")

    assert nubbin.ddmin('V"/+!aF-(V4EOz*+s/Q,7)2@0_', mystery, subsets=False) == "()"
    assert len(asked) == 18


@pytest.mark.parametrize("jobs", [1, 2])
def test_hdd_takes_a_syntax_tree_and_gives_a_text(jobs: int) -> None:
    text = "import os\nprint(f(1, [needle, 2]), 'é')\nx = 3\n"
    for given in (text, text.encode()):
        tree = nubbin.parse(given, "python")
        word = given[text.index("needle") : text.index("needle") + 6]
        left = nubbin.hdd(tree, lambda part: word in part, jobs=jobs)
        assert type(left) is type(given)
        assert left.split() == [word]

    def compiles(part: str) -> bool:
        try:
            return isinstance(compile(part, "x", "exec"), object) and "needle" in part
        except SyntaxError:
            return False

    # A single bracket cannot be removed.
    left = nubbin.hdd(nubbin.parse(text, "python"), compiles, jobs=jobs)
    assert "".join(left.split()) == "(([needle]))"


def test_a_test_can_be_unresolved():
    def by_name(part):
        return Verdict.INTERESTING if "b" in part else Verdict.UNINTERESTING if "a" in part else Verdict.UNRESOLVED

    def by_exception(part):
        if "b" not in part and "a" not in part:
            raise nubbin.Unresolved("neither of them")
        return "b" in part

    def by_none(part):
        return None if "b" not in part else True

    for test in (by_name, by_exception, by_none):
        for jobs in (1, 2):
            assert nubbin.ddmin("abc", test, jobs=jobs) == "b"


@pytest.mark.parametrize("jobs", [1, 3])
def test_exceptions_of_the_test_are_raised_with_their_traceback(jobs):
    class OfItsOwn(Exception):
        def __init__(self, one, two):
            super().__init__(one)

    def test(part):
        if len(part) < 4:
            raise KeyError("too short")
        return True

    with pytest.raises(KeyError, match="too short") as raised:
        nubbin.ddmin([1] * 20, test, jobs=jobs)
    if jobs == 1:
        assert raised.traceback[-1].name == "test"
    else:
        assert "in test" in str(raised.value.__cause__)

    def odd(part):
        raise OfItsOwn("one", 2)

    with pytest.raises(Exception, match="one"):
        nubbin.ddmin([1, 2], odd, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_invalid_answer_is_refused(jobs):
    for answer in (0, "yes", [], object()):
        with pytest.raises(TypeError, match="it must return True, False"):
            nubbin.ddmin([1, 2], lambda _, answer=answer: answer, jobs=jobs)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(Verdict.UNINTERESTING)


def test_an_invalid_start_is_an_error():
    for algorithm in (nubbin.ddmin, nubbin.cdd, nubbin.dd):
        with pytest.raises(nubbin.NotFailing):
            algorithm([1, 2], lambda part: False)
    for algorithm in (nubbin.ddmax, nubbin.dd):
        with pytest.raises(nubbin.NotPassing):
            algorithm([1, 2], lambda part: True)
    with pytest.raises(nubbin.NotFailing):
        nubbin.hdd([1, [2]], lambda tree: None)
    assert nubbin.ddmin([], lambda part: True) == []


def test_several_jobs_take_the_same_steps_and_test_each_part_once():
    ways = []
    for jobs in (1, 2, 4):
        way = []
        nubbin.ddmin(list(range(40)), has(3, 25), jobs=jobs, on_test=lambda part, verdict: way.append((part, verdict)))
        ways.append(way)
    assert ways[0] == ways[1] == ways[2]
    parts = [tuple(part) for part, _ in ways[0]]
    assert len(parts) == len(set(parts))
    asked = []
    nubbin.ddmin(list(range(40)), lambda part: asked.append(part) or has(3, 25)(part))
    assert asked == [part for part, _ in ways[0]]


def test_several_jobs_are_processes_that_run_at_the_same_time(tmp_path):
    def test(part):
        (tmp_path / f"{os.getpid()}").touch()
        time.sleep(0.02)
        return has(3, 25)(part)

    nubbin.ddmin(list(range(40)), test, jobs=3)
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == 3
    assert str(os.getpid()) not in names
    for name in names:
        with pytest.raises(ProcessLookupError):
            os.kill(int(name), 0)


def test_a_process_that_ends_during_the_test_is_an_error():
    with pytest.raises(RuntimeError, match="ended before the test that it ran"):
        nubbin.ddmin([1, 2, 3], lambda part: os._exit(1), jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_ends_a_long_test(jobs):
    def test(part):
        time.sleep(60)

    begun = time.monotonic()
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        nubbin.ddmin([1, 2, 3], test, jobs=jobs)
    assert time.monotonic() - begun < 30
