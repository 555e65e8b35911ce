"""The decorator that minimizes an argument."""

import asyncio
import json
import random
import sys

import pytest

import nubbin


def notes(error):
    return getattr(error, "__notes__", [])


def depth(value):
    if not isinstance(value, (list, dict)):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def load(text, most=3):
    value = json.loads(text)
    if depth(value) > most:
        raise ValueError(f"deeper than {most}: {value!r}")
    return value


def test_a_function_fails_with_the_smallest_argument():
    calls = []

    @nubbin.shrink(argument="text", language="json")
    def check(text, most=3):
        """Loads."""
        calls.append(text)
        return load(text, most)

    assert check("[1]") == [1]
    assert (check.__name__, check.__doc__) == ("check", "Loads.")
    with pytest.raises(ValueError, match="deeper than 3") as caught:
        check('{"a": [1, {"b": [2, 3]}, "c"], "d": {"e": null}}')
    assert caught.value.smallest == '{"": [{"": []}]}'
    assert notes(caught.value)[-1] == """smallest text (37 -> 14 tokens): '{"": [{"": []}]}'"""
    assert load.__code__ in [entry.frame.code.raw for entry in caught.traceback]
    assert len(calls) == 48
    with pytest.raises(ValueError) as caught:
        check("[[[[1]]]]", most=2)
    assert caught.value.smallest == "[[[]]]"


@pytest.mark.parametrize(
    "value, smallest",
    [
        (["x", 5, {"needle": 3}, (1, 2)], ["needle"]),
        ({"a": 1, "b": ["needle", "other"]}, {"needle"}),
        (b"a\xff needle \x00", b"needle"),
        (bytearray(b"one needle"), bytearray(b"needle")),
        ("one\ntwo needle\n", "needle"),
        (("a", "needle"), ("needle",)),
        ({"x", "needle"}, {"needle"}),
    ],
)
def test_values_keep_their_type(value, smallest):
    @nubbin.shrink("value")
    def check(value):
        if "needle" in (value if isinstance(value, str) else repr(value)):
            raise RuntimeError("found")

    with pytest.raises(RuntimeError) as caught:
        check(value)
    assert type(caught.value.smallest) is type(value)
    assert "needle" in repr(caught.value.smallest)
    assert len(repr(caught.value.smallest)) <= len(repr(smallest)) + 6


def test_items_without_a_literal_are_removed():
    class Thing:
        def __init__(self, size):
            self.size = size

    @nubbin.shrink("things")
    def check(things):
        assert sum(thing.size for thing in things) < 10, "too much"

    with pytest.raises(AssertionError, match="too much") as caught:
        check([Thing(1), Thing(9), Thing(2), Thing(3)])
    assert [thing.size for thing in caught.value.smallest] == [1, 9]


def test_another_exception_or_another_place_is_not_the_same_failure():
    @nubbin.shrink("text")
    def check(text):
        if not text:
            raise ValueError("empty")
        if "b" not in text:
            raise KeyError("bad")
        if "x" in text:
            raise ValueError("bad")
        if "y" in text:
            raise ValueError("bad")

    with pytest.raises(ValueError) as caught:
        check("a b c y")
    assert sorted(caught.value.smallest.replace(" ", "")) == ["b", "y"]


def test_values_in_a_message_are_ignored():
    @nubbin.shrink("numbers")
    def check(numbers):
        if len(numbers) > 1:
            raise ValueError(f"{len(numbers)} numbers in {numbers}, the first is {str(numbers[0])!r}")

    with pytest.raises(ValueError) as caught:
        check([17, 23, 42, 99])
    assert len(caught.value.smallest) == 2


def test_a_function_that_does_not_fail_again_raises_the_original_exception():
    calls = []

    @nubbin.shrink("text")
    def check(text):
        calls.append(text)
        if len(calls) == 1:
            raise ValueError("once")

    with pytest.raises(ValueError, match="once") as caught:
        check("text")
    assert not hasattr(caught.value, "smallest")
    assert notes(caught.value)[0].startswith("not reduced: ")


def test_an_exception_for_a_value_of_an_unknown_type_is_unchanged():
    @nubbin.shrink("thing")
    def check(thing):
        raise ValueError("always")

    with pytest.raises(ValueError) as caught:
        check(object())
    assert not hasattr(caught.value, "smallest") and notes(caught.value) == []


@pytest.mark.parametrize("value, smallest", [("text", ""), (b"data", b""), ([1, 2], []), (4711, 0)])
def test_a_function_that_always_fails_fails_with_the_empty_value(value, smallest):
    @nubbin.shrink("value")
    def check(value):
        raise ValueError("always")

    with pytest.raises(ValueError) as caught:
        check(value)
    assert caught.value.smallest == smallest


def test_interrupts_are_not_failures():
    @nubbin.shrink("text")
    def check(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("text")


def test_an_unknown_argument_is_an_error_of_the_decorator():
    with pytest.raises(TypeError, match="`check` has no argument `txt`"):

        @nubbin.shrink("txt")
        def check(text):
            pass

    with pytest.raises(TypeError, match="no argument `more`"):

        @nubbin.shrink("more")
        def other(*more):
            pass


def test_methods_keywords_defaults_and_coroutines(tmp_path):
    class Reader:
        @nubbin.shrink("text", save=str(tmp_path / "smallest"))
        def read(self, *, text="a needle in a stack"):
            assert "needle" not in text

        @nubbin.shrink("text", jobs=2)
        def read_in_parallel(self, text):
            assert "needle" not in text

        @nubbin.shrink("text")
        async def read_later(self, text):
            await asyncio.sleep(0)
            assert "needle" not in text

    for call in (
        lambda: Reader().read(),
        lambda: Reader().read(text="one needle"),
        lambda: Reader().read_in_parallel("a needle in a stack"),
        lambda: asyncio.run(Reader().read_later("a needle in a stack")),
    ):
        with pytest.raises(AssertionError) as caught:
            call()
        assert caught.value.smallest == "needle"
    assert (tmp_path / "smallest").read_text() == "needle"


@pytest.mark.parametrize(
    "value, fails, smallest",
    [
        ([5, -8134, 3], lambda value: any(number < -1000 for number in value), [-1001]),
        ({"k": {3: 7777}}, lambda value: sum(value.get("k", {})) + sum(value.get("k", {}).values()) > 300, None),
        ([70, 80, 90, 100], lambda value: sum(value) > 150, [51, 100]),
        ("a\x11\x11é-b", lambda value: any(one == two for one, two in zip(value, value[1:])), "00"),
        (b"\xff\xff;", lambda value: len(value) > 1 and value[0] == value[1], b"00"),
    ],
)
def test_numbers_move_towards_zero_and_characters_become_plain(value, fails, smallest):
    @nubbin.shrink("value")
    def check(value):
        assert not fails(value), "it fails"

    with pytest.raises(AssertionError) as caught:
        check(value)
    found = caught.value.smallest
    assert fails(found) and len(repr(found)) <= len(repr(value))
    if smallest is not None:
        assert found == smallest


def test_a_budget_ends_the_search_with_the_current_best():
    import time

    @nubbin.shrink("items", budget=0.3)
    def check(items):
        time.sleep(0.05)
        assert 77 not in items

    with pytest.raises(AssertionError) as caught:
        check(list(range(200)))
    assert 77 in caught.value.smallest
    assert "stopped early" in notes(caught.value)[-1]


def test_a_note_is_displayed_by_pytest_on_any_python():
    @nubbin.shrink("text")
    def check(text):
        raise ValueError("bad")

    with pytest.raises(ValueError) as caught:
        check("some text")
    if sys.version_info < (3, 11):
        assert "\nsmallest text" in str(caught.value)
    assert notes(caught.value) == ["smallest text (2 -> 0 tokens): ''"]


def test_random_inputs_end_small():
    @nubbin.shrink("numbers")
    def check(numbers):
        assert len(numbers) == len(set(numbers)), "twice"

    choose = random.Random(7)
    with pytest.raises(AssertionError) as caught:
        for _ in range(100):
            check([choose.randrange(1000) for _ in range(choose.randrange(100))])
    assert len(caught.value.smallest) == 2
