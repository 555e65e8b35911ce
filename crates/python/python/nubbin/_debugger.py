"""`DeltaDebugger`, which minimizes the arguments of a failing call, with the interface of the Debugging Book."""

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Callable, Optional, Union

from ._call import finished, shown
from ._collector import (
    CallCollector,
    FailureNotReproducedError,
    NotFailingError,
    NotPassingError,
    is_for_all,
)
from ._narrowing import FAIL, PASS, UNRESOLVED, narrow
from ._parts import Marks, Parts, parts_of
from ._places import Arguments, Place, get, is_there, places, put, title

__all__ = ["DeltaDebugger"]


class DeltaDebugger(CallCollector):
    """Finds the arguments that a failing call needs in order to fail.

    ```python
    with DeltaDebugger() as dd:
        function(argument, another)
    print(dd)
    ```

    The call is the one in the block whose exception leaves the block. Its function must be written in Python.
    The exception is not propagated. The call is then repeated with parts of its arguments, and fails if it
    raises an exception of the same type with the same message.

    All arguments that have items are minimized, one after the other; see `parts_of`. The object of a method
    is not.

    Before each test the arguments, and the object of a method, are copied (`copy.deepcopy`), so the function
    may modify them. A value that cannot be copied is passed itself, and modifications of it persist. The
    output of the function is discarded during a test.

    With `log=True` each test is printed, with `log=2` also each step of the search.
    """

    def __init__(self, *, log: Union[bool, int] = False) -> None:
        self.log = log
        """Whether tests (`True`, 1) and steps (2) are printed."""
        super().__init__()

    def init(self) -> None:
        """Discards the recorded call and all tests."""
        super().init()
        self.tests = 0
        """The number of tests since the start of the last search; cached outcomes are not counted."""
        self.last_exception: Optional[BaseException] = None
        """The exception of the last test that had one."""
        self.last_result: Any = None
        """The result of the last test that passed."""
        self._forget()

    def _forget(self) -> None:
        self._outcomes: dict[bytes, tuple[str, str]] = {}
        self._marks = Marks()

    def reset(self) -> None:
        """Resets the number of tests to 0."""
        self.tests = 0

    def after_collection(self) -> None:
        """Examines the call after the block has ended.

        Raises `NotFailingError` if there was no exception.
        """
        super().after_collection()
        self._say(lambda: f"Observed {self.format_call()} raising {self.format_exception()}")

    def run(self, args: Arguments) -> str:
        """Repeats the call with these arguments. Returns `"PASS"`, `"FAIL"` for the same exception, or
        `"UNRESOLVED"` for another one.

        A subclass can override this. To test arguments, call `test`, which caches and counts.
        """
        try:
            with _silence():
                self.last_result = finished(self.call(args), self._called().flags)
        except BaseException as error:
            if is_for_all(error):
                raise
            self.last_exception = error
            original = self.exception()
            is_same = type(error) is type(original) and str(error) == str(original)
            return FAIL if is_same else UNRESOLVED
        return PASS

    def test(self, args: Arguments) -> str:
        """Returns the outcome of the call with these arguments: `"PASS"`, `"FAIL"` or `"UNRESOLVED"`.
        Outcomes are cached.
        """
        return self._tested(args)[0]

    def _tested(self, args: Arguments) -> tuple[str, str]:
        """Returns the outcome, and the exception as a text."""
        mark = self._marks.mark(args)
        known = None if mark is None else self._outcomes.get(mark)
        if known is not None:
            return known
        outcome = self.run(args)
        self.tests += 1
        told = "" if outcome == PASS else self.format_exception(self.last_exception)
        if self.log:
            print(f"Test #{self.tests} {self.format_call(args)}: {outcome}" + (f" ({told})" if told else ""))
        if mark is not None:
            self._outcomes[mark] = outcome, told
        return outcome, told

    def check_reproducibility(self) -> None:
        """Repeats the call to check that it fails again.

        If it does not fail with copies of its original arguments, the call may have modified them, or may
        need the original objects. Both are also tested.

        Raises `NotFailingError` if it passes, and `FailureNotReproducedError` if it raises another exception.
        """
        call = self._called()
        self.reset()
        outcome, told = self._tested(self.args())
        if outcome != FAIL:
            was = self._receiver, self._args
            for receiver, args, copies in (
                (call.receiver_before, call.before, True),
                (call.receiver, call.given, True),
                (call.receiver, call.given, False),
            ):
                if _all_are(args, self._args) and receiver is self._receiver and copies:
                    continue
                self._receiver, self._args, self._copies = receiver, args, copies
                self._forget()
                # A flaky function could fail once here by chance.
                if self._tested(args)[0] == FAIL and self.run(args) == FAIL:
                    return
            self._forget()
            (self._receiver, self._args), self._copies = was, True
        self._say_that_it_differs(outcome, told)

    def _say_that_it_differs(self, outcome: str, told: str) -> None:
        again = f"When called again, {self.format_call()}"
        used_up = [name for name, value in self.args().items() if isinstance(value, Iterator)]
        hint = f"; its argument `{used_up[0]}` is an iterator, which can be used only once" if used_up else ""
        if outcome == UNRESOLVED:
            raise FailureNotReproducedError(f"{again} raised {told} instead of {self.format_exception()}{hint}")
        if outcome == PASS:
            raise NotFailingError(f"{again} did not fail{hint}")

    def min_args(self) -> Arguments:
        """Returns the arguments of a failing call from which no single item can be removed.

        The arguments are minimized in turn, in the order of the parameters, until none of them can be reduced
        further.
        """
        self.check_reproducibility()
        failing = dict(self.args())
        waiting = self._reducible(failing)
        while waiting:
            place = waiting.pop(0)
            if not is_there(failing, place):
                continue
            self._say(lambda: f"Processing {title(place)}...")
            smaller = self.dd(place, failing, mode="-")[1]
            if len(smaller) < len(get(failing, place)):
                failing = put(failing, place, smaller)
                self._say(lambda: f"Minimized {title(place)} to {shown(smaller)}")
                others = self._reducible(failing)
                waiting += [other for other in others if other != place and other not in waiting]
        self._say(lambda: f"Minimized failing call to {self.format_call(failing)}")
        return failing

    def max_args(self) -> Arguments:
        """Returns the arguments of a passing call to which no single item can be added.

        As many arguments as possible stay complete: they are reduced in the order of the parameters until the
        call passes.

        Raises `NotPassingError` if no passing call is found.
        """
        self.check_reproducibility()
        place, emptied, (passing, _, _) = self._part_ways("+")
        for other in reversed(emptied):
            whole = put(passing, other, get(self.args(), other))
            passing = put(passing, other, self.dd(other, whole, mode="+")[0])
        for one in (place, *emptied):
            self._say(lambda: f"Maximized {title(one)} to {shown(get(passing, one))}")
        self._say(lambda: f"Maximized passing call to {self.format_call(passing)}")
        return passing

    def min_arg_diff(self) -> tuple[Arguments, Arguments, Arguments]:
        """Returns arguments of a passing call, those of a failing one, and a minimal difference between the
        two.

        The calls differ in one argument. In the difference, all other arguments that have items are empty.

        Raises `NotPassingError` if no passing call is found.
        """
        self.check_reproducibility()
        place, _, (passing, failing, difference) = self._part_ways("+-")
        self._say(lambda: f"Maximized {title(place)} to {shown(get(passing, place))}")
        self._say(lambda: f"Minimized {title(place)} to {shown(get(failing, place))}")
        self._say(lambda: f"Maximized passing call to {self.format_call(passing)}")
        self._say(lambda: f"Minimized failing call to {self.format_call(failing)}")
        return passing, failing, difference

    def dd(self, var_to_be_reduced: Place, fail_args: Arguments, *, mode: str = "-") -> tuple[Any, Any, Any]:
        """Narrows one argument of a call. Returns a passing and a failing value of it, and their difference.

        The argument is specified by the name of its parameter; `("args", 0)` is the first one collected by
        `*args`.

        `mode` is `"-"` for a minimal failing value, `"+"` for a maximal passing one, and `"+-"` for a minimal
        difference between the two.

        Raises `NotFailingError` if the call passes with `fail_args`, and `NotPassingError` if it fails with
        an empty argument, which is only allowed with `"-"`.
        """
        if mode not in ("-", "+", "+-", "-+"):
            raise ValueError(f"unknown mode {mode!r} (available: '-', '+' and '+-')")
        value = get(fail_args, var_to_be_reduced)
        parts = parts_of(value)
        if parts is None:
            raise TypeError(f"the argument `{title(var_to_be_reduced)}` cannot be split into parts: {shown(value):.100}")
        return self._narrowed(parts, var_to_be_reduced, fail_args, "-" in mode, "+" in mode)

    def _narrowed(self, parts: Parts, place: Place, args: Arguments, shrinks: bool, grows: bool) -> tuple[Any, Any, Any]:
        def made(numbers: Iterable[int]) -> Any:
            return parts.make(sorted(numbers))

        def test(numbers: Iterable[int]) -> str:
            return self.test(put(args, place, made(numbers)))

        def told(step: str, passing: set[int], failing: set[int], number: int) -> None:
            if self.log > 1 and step:
                print(step)
            elif self.log > 1:
                print("Passing input:", shown(made(passing)))
                print("Failing input:", shown(made(failing)))
                print("Granularity:  ", number)

        if test(()) == FAIL:
            if grows:
                raise NotPassingError(f"{self.format_call(put(args, place, made(())))} was expected to pass, but fails")
            return made(()), made(()), made(())
        if test(range(parts.size)) == PASS:
            if shrinks:
                raise NotFailingError(f"{self.format_call(args)} was expected to fail, but passes")
            return made(range(parts.size)), made(range(parts.size)), made(())
        passing, failing = narrow(parts.size, test, shrinks=shrinks, grows=grows, told=told)
        return made(passing), made(failing), made(failing - passing)

    def _part_ways(self, mode: str) -> tuple[Place, list[Place], tuple[Arguments, Arguments, Arguments]]:
        """Returns the argument that makes the call pass, the arguments that had to be emptied for it, and
        both calls with their difference.
        """
        args = dict(self.args())
        emptied: list[Place] = []
        for place in self._reducible(args):
            if not is_there(args, place):
                continue
            self._say(lambda: f"Processing {title(place)}...")
            less = put(args, place, _emptied(get(args, place)))
            if self.test(less) == FAIL:
                args = less
                emptied.append(place)
                continue
            found = self.dd(place, args, mode=mode)
            passing, failing = (put(args, place, value) for value in found[:2])
            if self.test(passing) == PASS:
                return place, emptied, (passing, failing, self._difference(args, place, found[2]))
        raise NotPassingError(f"no arguments were found with which {self.function().__name__}() passes")

    def _difference(self, args: Arguments, place: Place, value: Any) -> Arguments:
        """Returns empty arguments, except for this difference at this place."""
        empty = args
        for other in self._reducible(args):
            if isinstance(place, str) or other != place[0]:
                empty = put(empty, other, _emptied(get(empty, other))) if is_there(empty, other) else empty
        return put(empty, place, value)

    def _reducible(self, args: Arguments) -> list[Place]:
        return [place for place in places(args, self._called().collecting) if parts_of(get(args, place)) is not None]

    def _say(self, text: Callable[[], str]) -> None:
        if self.log:
            print(text())

    def __repr__(self) -> str:
        """Returns the call with its minimal arguments."""
        if self._call is None:
            return f"<{type(self).__name__}: no call was collected>"
        return self.format_call(self.min_args())


def _emptied(value: Any) -> Any:
    parts = parts_of(value)
    return value if parts is None else parts.make(())


def _all_are(args: Arguments, others: Arguments) -> bool:
    return all(args[name] is others.get(name) for name in args)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discards standard output and standard error."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    errors = getattr(sys.stdout, "errors", None) or "strict"
    with open(os.devnull, "w", encoding=encoding, errors=errors) as nowhere:
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            yield
