"""`DeltaDebugger` with every kind of call, and its errors."""

import asyncio
import contextlib
import functools
import inspect
import json
import re
import sys
import threading

import pytest

import nubbin
from chapter import FAILING_INPUT, fails_with_x, mystery, string_error
from nubbin import DeltaDebugger, FailureNotReproducedError, NoCallError, NotFailingError, NotPassingError


def test_a_call_that_passes_is_an_error():
    with pytest.raises(NotFailingError, match=re.escape("mystery(inp='passes') did not raise an exception")):
        with DeltaDebugger():
            mystery("passes")
    assert issubclass(NotFailingError, nubbin.NotFailing) and issubclass(NotPassingError, nubbin.NotPassing)


def test_an_exception_before_any_call_is_raised():
    with pytest.raises(NameError, match="some_error"):
        with DeltaDebugger():
            some_error()  # noqa: F821
    with pytest.raises(KeyboardInterrupt):
        with DeltaDebugger():
            raise KeyboardInterrupt
    with pytest.raises(RuntimeError, match="of the block"):
        with DeltaDebugger():
            mystery("passes")
            raise RuntimeError("of the block")


def test_a_missing_call_or_unobservable_arguments_are_errors():
    with pytest.raises(NoCallError, match="no call of a Python function"):
        with DeltaDebugger():
            pass
    for fails in (lambda: None, None):
        with pytest.raises(NoCallError, match="call it through another function") as raised:
            with DeltaDebugger():
                int("12x") if fails else [].pop()
        assert isinstance(raised.value.__cause__, (ValueError, IndexError))
    with pytest.raises(NoCallError, match="do not match the function"):
        with DeltaDebugger():
            mystery(FAILING_INPUT, 2)


def test_questions_before_a_call_are_errors():
    dd = DeltaDebugger()
    assert repr(dd) == "<DeltaDebugger: no call was collected>"
    for ask in (dd.min_args, dd.max_args, dd.min_arg_diff, dd.function, dd.call, dd.format_call):
        with pytest.raises(NoCallError, match="use `with DeltaDebugger"):
            ask()


def test_a_call_that_does_not_fail_again_is_an_error():
    runs = []

    def fails_once(text):
        runs.append(text)
        if len(runs) == 1:
            raise ValueError("first")

    with DeltaDebugger() as dd:
        fails_once("abc")
    with pytest.raises(NotFailingError, match=re.escape("When called again, fails_once(text='abc') did not fail")):
        dd.min_args()

    def fails_anew(text):
        runs.append(text)
        raise ValueError(f"run {len(runs)}")

    runs.clear()
    with DeltaDebugger() as dd:
        fails_anew("abc")
    with pytest.raises(FailureNotReproducedError, match="raised ValueError: run 2 instead of ValueError: run 1"):
        dd.max_args()

    def consume(numbers):
        for number in numbers:
            if number == 3:
                raise ValueError(number)

    with DeltaDebugger() as dd:
        consume(number for number in range(5))
    with pytest.raises(NotFailingError, match="`numbers` is an iterator"):
        dd.min_args()


def test_a_function_that_always_fails_has_no_passing_arguments():
    def fails(text, number):
        raise ValueError("always")

    with DeltaDebugger() as dd:
        fails("abc", 3)
    assert dd.min_args() == {"text": "", "number": 3}
    for ask in (dd.max_args, dd.min_arg_diff):
        with pytest.raises(NotPassingError, match=r"with which fails\(\) passes"):
            ask()
    with pytest.raises(NotPassingError, match=re.escape("fails(text='', number=3) was expected to pass, but fails")):
        dd.dd("text", dd.args(), mode="+")


def test_wrong_uses_are_reported():
    with DeltaDebugger() as dd:
        mystery(FAILING_INPUT)
    with pytest.raises(TypeError, match="the argument `inp` cannot be split into parts: 5"):
        dd.dd("inp", {"inp": 5})
    with pytest.raises(ValueError, match="unknown mode 'min'"):
        dd.dd("inp", dd.args(), mode="min")
    with pytest.raises(NotFailingError, match=re.escape("mystery(inp='abc') was expected to fail, but passes")):
        dd.dd("inp", {"inp": "abc"})
    with pytest.raises(TypeError, match=re.escape("mystery() has no parameter `text`")):
        dd.call({"text": "()"})


def test_named_arguments_and_defaults_are_narrowed():
    with DeltaDebugger() as dd:
        fails_with_x(text="abxcd")
    assert dd.args() == {"text": "abxcd", "flag": False, "other": "zzz"}
    assert repr(dd) == "fails_with_x(text='x', flag=False, other='')"


def test_more_positional_and_named_arguments_are_narrowed():
    def function(first, /, second, *rest, sep=",", **named):
        if 3 in rest and "k" in named:
            raise ValueError("both")

    with DeltaDebugger() as dd:
        function("one", "two", 1, 2, 3, 4, k=1, l=2)
    assert repr(dd) == "function('', '', 3, sep='', k=1)"
    assert dd.min_args() == {"first": "", "second": "", "rest": (3,), "sep": "", "named": {"k": 1}}
    assert dd.max_args()["rest"] == (1, 2, 4)
    with DeltaDebugger() as dd:
        function("one", *("two", 3), **{"k": 1})
    assert dd.format_call() == "function('one', 'two', 3, sep=',', k=1)"


def test_collected_values_are_narrowed_individually(capsys):
    def function(*args, **named):
        if "x" in args[-1] and "y" in named["key"]:
            raise ValueError("both")

    with DeltaDebugger(log=True) as dd:
        function("ab", "cxd", key="ayb", more="z")
    assert dd.min_args() == {"args": ("x",), "named": {"key": "y"}}
    assert repr(dd) == "function('x', key='y')"
    assert "Minimized named['key'] to 'y'" in capsys.readouterr().out
    assert dd.max_args() == {"args": ("ab",), "named": {"key": "ayb", "more": "z"}}
    assert dd.dd(("args", 1), dd.args(), mode="+")[0] == "cd"
    with DeltaDebugger() as dd:
        function("cxd", key="ayb")
    assert dd.max_args() == {"args": ("cd",), "named": {"key": "ayb"}}
    passing, failing, difference = dd.min_arg_diff()
    assert (passing["args"], failing["args"]) == (("",), ("x",))
    assert difference == {"args": ("x",), "named": {}}


class Stack:
    """A class with a method of each kind."""

    def __init__(self, text=""):
        self.items = list(text)
        if "q" in text:
            raise KeyError("q")

    def push_all(self, items):
        for item in items:
            self.items.append(item)
            if len(self.items) > 4:
                raise OverflowError("full")

    def __call__(self, text):
        fails_with_x(text)

    @classmethod
    def of_class(cls, text):
        fails_with_x(text)

    @staticmethod
    def of_none(text):
        fails_with_x(text)

    @property
    def top(self):
        return self.items[-1]


def test_methods_keep_their_object_which_they_can_modify():
    stack = Stack("a")
    with DeltaDebugger() as dd:
        stack.push_all([1, 2, 3, 4, 5, 6])
    assert dd.args() == {"items": [1, 2, 3, 4, 5, 6]}
    assert repr(dd) == "push_all(items=[3, 4, 5, 6])"
    assert dd.function().__self__ is stack
    assert stack.items == ["a", 1, 2, 3, 4]
    assert len(dd.max_args()["items"]) == 3


def test_methods_of_all_kinds():
    with DeltaDebugger() as dd:
        Stack("abqc")
    assert (repr(dd), dd.function()) == ("Stack(text='q')", Stack)
    with DeltaDebugger() as dd:
        Stack.of_class("axb")
    assert (repr(dd), dd.function()) == ("of_class(text='x')", Stack.of_class)
    with DeltaDebugger() as dd:
        Stack.of_none("axb")
    assert (repr(dd), dd.function()) == ("of_none(text='x')", Stack.of_none)
    stack = Stack()
    with DeltaDebugger() as dd:
        stack("axb")
    assert repr(dd) == "__call__(text='x')"
    with DeltaDebugger() as dd:
        stack.top
    assert (repr(dd), dd.args()) == ("top()", {})
    with DeltaDebugger() as dd:
        Stack.push_all(Stack("abcd"), "xy")
    assert repr(dd) == "push_all(items='x')"


def test_a_class_can_define_new():
    class Text(str):
        def __new__(cls, text, more="ab"):
            fails_with_x(text)
            return super().__new__(cls, text)

    with DeltaDebugger() as dd:
        Text("axb")
    assert (repr(dd), dd.function()) == ("Text(text='x', more='')", Text)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **named):
        return function(*args, **named)

    return wrapper


def test_a_decorated_function_has_its_own_parameters():
    @decorated
    def function(text, more=(1, 2)):
        fails_with_x(text)

    class Class:
        @decorated
        def method(self, text):
            fails_with_x(text)

    with DeltaDebugger() as dd:
        function("axb")
    assert (repr(dd), dd.function()) == ("function(text='x', more=())", function)
    with DeltaDebugger() as dd:
        Class().method("axb")
    assert repr(dd) == "method(text='x')"
    function.__signature__ = inspect.signature(lambda text, more, other: None)
    with DeltaDebugger() as dd:
        function("axb", "c")
    assert repr(dd) == "function('x')"


def test_generators_and_coroutines_are_run_to_their_end():
    def numbers(text):
        for letter in text:
            fails_with_x(letter)
            yield letter

    with DeltaDebugger() as dd:
        list(numbers("abxcd"))
    assert repr(dd) == "numbers(text='x')"
    with DeltaDebugger() as dd:
        for _ in numbers("abxcd"):
            pass
    assert dd.max_args() == {"text": "abcd"}

    async def reads(text):
        await asyncio.sleep(0)
        fails_with_x(text)

    async def debug():
        with DeltaDebugger() as dd:
            await reads("axb")
        return repr(dd)

    assert asyncio.run(debug()) == "reads(text='x')"


def test_the_call_is_the_one_whose_exception_leaves_the_block():
    def prepare(text):
        return text + "x"

    with DeltaDebugger() as dd:
        text = prepare("ab")
        with contextlib.suppress(ValueError):
            fails_with_x(text)
        try:
            string_error(text, text)
        finally:
            prepare("after")
    assert dd.function() is string_error
    with DeltaDebugger() as dd:
        mystery(prepare("(a)"))
    assert dd.args() == {"inp": "(a)x"}
    with DeltaDebugger() as dd:
        [fails_with_x(text) for text in ["a", "bx"]]
    assert dd.args()["text"] == "bx"
    with contextlib.ExitStack() as stack:
        dd = stack.enter_context(DeltaDebugger())
        fails_with_x("ax")
    assert dd.min_args()["text"] == "x"


def test_recursion_lambdas_and_functions_of_others():
    def count_down(number, text):
        if number == 0:
            fails_with_x(text)
        count_down(number - 1, text)

    with DeltaDebugger() as dd:
        count_down(3, "axb")
    assert repr(dd) == "count_down(number=3, text='x')"
    with DeltaDebugger() as dd:
        (lambda text: 1 // (3 - len(text)))("abc")
    assert repr(dd) == "<lambda>(text='abc')"
    with DeltaDebugger() as dd:
        json.loads('{"a": [1, 2, {"b": }]}')
    assert "Expecting value" in str(dd.exception())
    assert dd.test(dd.min_args()) == "FAIL"


def test_calls_in_other_threads_are_ignored():
    def other():
        for _ in range(1000):
            mystery("")

    thread = threading.Thread(target=other)
    thread.start()
    with DeltaDebugger() as dd:
        fails_with_x("axb")
    thread.join()
    assert dd.function() is fails_with_x


@pytest.mark.parametrize(("set_one", "get_one"), [(sys.setprofile, sys.getprofile), (sys.settrace, sys.gettrace)])
def test_an_active_profiler_or_debugger_is_kept(set_one, get_one):
    def look(frame, event, argument):
        return None

    before = get_one()
    set_one(look)
    try:
        with DeltaDebugger() as dd:
            fails_with_x("axb")
        assert get_one() is look
    finally:
        set_one(before)
    assert dd.min_args()["text"] == "x"
