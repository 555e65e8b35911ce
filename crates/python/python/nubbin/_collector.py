"""The call in a `with` block, and how to repeat it."""

import sys
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar

from ._call import Call, SeenCall, Watch, block_frame, ends_in_call
from ._parts import copied, unchanged
from ._places import Arguments
from ._verdict import NotFailing, NotPassing

__all__ = [
    "CallCollector",
    "FailureNotReproducedError",
    "NoCallError",
    "NotFailingError",
    "NotPassingError",
    "is_for_all",
]

C = TypeVar("C", bound="CallCollector")


class NoCallError(ValueError):
    """There is no call of a function whose arguments can be observed."""


class NotFailingError(NotFailing):
    """The call does not fail, or does not fail when it is repeated."""


class NotPassingError(NotPassing):
    """The call does not pass with any of the tested arguments."""


class FailureNotReproducedError(ValueError):
    """The call fails in another way when it is repeated."""


class CallCollector:
    """Records the call of a function in a `with` block, its arguments and its exception."""

    def __init__(self) -> None:
        self.init()

    def init(self) -> None:
        """Discards the recorded call."""
        self._watch: Optional[Watch] = None
        self._call: Optional[Call] = None
        self._args: Arguments = {}
        self._receiver: Any = None
        self._exception: Optional[BaseException] = None
        self._copies = True
        """Whether arguments are copied before they are passed."""

    def __enter__(self: C) -> C:
        self.init()
        self._watch = Watch(block_frame(self, sys._getframe(1)), self)
        self._watch.begin()
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> bool:
        watch, self._watch = self._watch, None
        if watch is None:
            return False
        watch.end()
        if error is None:
            if watch.first is None:
                raise NoCallError("there is no call of a Python function in the `with` block")
            self._take(watch.first)
            self.after_collection()
            return True
        if is_for_all(error):
            return False
        seen = watch.failing(trace)
        if seen is None:
            if isinstance(error, Exception) and ends_in_call(trace):
                raise NoCallError(
                    "the arguments of the failing call cannot be observed: it calls a built-in function or type, "
                    "or its arguments do not match the function; call it through another function, as in "
                    "`(lambda text: int(text))(text)`"
                ) from error
            return False
        self._exception = error
        self._take(seen)
        self.after_collection()
        return True

    def _take(self, seen: SeenCall) -> None:
        self._call = call = Call(seen)
        self._args = {name: unchanged(value, call.before[name]) for name, value in call.given.items()}
        self._receiver = call.receiver
        if call.is_method:
            self._receiver, self._args = call.receiver_before, call.before

    def after_collection(self) -> None:
        """Examines the call after the block has ended.

        Raises `NotFailingError` if there was no exception.
        """
        if self._exception is None:
            raise NotFailingError(f"{self.format_call()} did not raise an exception")

    def args(self) -> Arguments:
        """Returns the arguments of the call by parameter name, as they were when it was made."""
        return self._args

    def function(self) -> Callable[..., Any]:
        """Returns the called function: a bound method, or a class."""
        call = self._called()
        return call.target(call.receiver)

    def exception(self) -> Optional[BaseException]:
        """Returns the exception that the call raised."""
        return self._exception

    def format_call(self, args: Optional[Arguments] = None) -> str:
        """Returns the source text of the call, with its own or the given arguments."""
        return self._called().shown(self.args() if args is None else args)

    def format_exception(self, exc: Optional[BaseException] = None) -> str:
        """Returns the type and message of the given exception, by default that of the call."""
        error = self.exception() if exc is None else exc
        message = "" if error is None else str(error)
        return type(error).__name__ + (f": {message}" if message else "")

    def call(self, new_args: Optional[Arguments] = None) -> Any:
        """Repeats the call with copies of its arguments, some of them replaced by `new_args`, and returns its
        result.
        """
        call = self._called()
        values: Arguments = {"receiver": self._receiver, "args": {**self.args(), **(new_args or {})}}
        if self._copies:
            values = copied(values)
        positional, named = call.arguments(values["args"])
        return call.target(values["receiver"])(*positional, **named)

    def _called(self) -> Call:
        if self._call is None:
            raise NoCallError("no call was collected: use `with DeltaDebugger() as dd: function(arguments)` first")
        return self._call


def is_for_all(error: BaseException) -> bool:
    """Returns whether an exception is not a failure of the function, but ends the program or a generator."""
    return isinstance(error, (KeyboardInterrupt, GeneratorExit))
