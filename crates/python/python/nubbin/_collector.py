"""The call that a `with` block makes, and how to make it again."""

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
    """There is no call of a function whose arguments can be seen."""


class NotFailingError(NotFailing):
    """The call does not fail, or does not fail when it is made again."""


class NotPassingError(NotPassing):
    """The call does not pass with any arguments that were tried."""


class FailureNotReproducedError(ValueError):
    """The call fails in another way when it is made again."""


class CallCollector:
    """Keeps the call of a function in a `with` block, its arguments and its exception."""

    def __init__(self) -> None:
        self.init()

    def init(self) -> None:
        """Forgets the call."""
        self._watch: Optional[Watch] = None
        self._call: Optional[Call] = None
        self._args: Arguments = {}
        self._receiver: Any = None
        self._exception: Optional[BaseException] = None
        self._copies = True
        """Tells if arguments are copied before they are passed."""

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
                    "the arguments of the call that failed cannot be seen: it is a call of a built-in function or type, "
                    "or one that does not fit the function; put it in a function of its own and call that, as in "
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
        """Looks at the call once the block has ended.

        Raises `NotFailingError` if there was no exception.
        """
        if self._exception is None:
            raise NotFailingError(f"{self.format_call()} did not raise an exception")

    def args(self) -> Arguments:
        """The arguments of the call, by the names of the parameters, as they were when it was made."""
        return self._args

    def function(self) -> Callable[..., Any]:
        """The function that was called: a method with its object, or a class."""
        call = self._called()
        return call.target(call.receiver)

    def exception(self) -> Optional[BaseException]:
        """The exception that the call raised."""
        return self._exception

    def format_call(self, args: Optional[Arguments] = None) -> str:
        """The call with its own or these arguments, as a text."""
        return self._called().shown(self.args() if args is None else args)

    def format_exception(self, exc: Optional[BaseException] = None) -> str:
        """The type and message of the call's exception or of this one, as a text."""
        error = self.exception() if exc is None else exc
        message = "" if error is None else str(error)
        return type(error).__name__ + (f": {message}" if message else "")

    def call(self, new_args: Optional[Arguments] = None) -> Any:
        """Makes the call again, with copies of its arguments, of which `new_args` replaces some, and returns its result."""
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
    """Tells if an exception is no failure of the function, but ends the program or what runs in it."""
    return isinstance(error, (KeyboardInterrupt, GeneratorExit))
