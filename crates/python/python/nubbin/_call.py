"""An observed call of a Python function: the function, its arguments, and how to repeat it."""

import collections
import contextlib
import dis
import gc
import inspect
import sys
import threading
from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FrameType, FunctionType, MethodType, TracebackType
from typing import Any, Callable, Optional

from ._parts import copied

__all__ = ["Call", "SeenCall", "Watch", "block_frame", "ends_in_call", "finished", "shown"]

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class SeenCall:
    """A call at the time at which it is made."""

    def __init__(self, frame: FrameType) -> None:
        self.frame = frame
        code = frame.f_code
        number = code.co_argcount + code.co_kwonlyargcount
        number += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
        there = frame.f_locals
        self.given = {name: there[name] for name in code.co_varnames[:number] if name in there}
        """The arguments by parameter name. The function may modify them later."""
        self.before = copied(self.given)
        """Copies of the arguments at this time."""


class Watch:
    """Observes the calls made in a block by its own frame and thread."""

    def __init__(self, block: FrameType, owner: object) -> None:
        self._block = block
        self._owner = owner
        self.first: Optional[SeenCall] = None
        # The failing call is the last one, except for calls of handlers and `finally`.
        self._last: collections.deque[SeenCall] = collections.deque(maxlen=16)
        # Profiling is preferred, because debuggers and coverage tools use tracing; if a profiler is active, tracing is used.
        self._by_profile = sys.getprofile() is None
        self._tracer = sys.gettrace()

    def begin(self) -> None:
        """Starts observing calls."""
        if self._by_profile:
            sys.setprofile(self._see)
        else:
            sys.settrace(self._see)

    def end(self) -> None:
        """Stops observing calls."""
        if self._by_profile:
            sys.setprofile(None)
        else:
            sys.settrace(self._tracer)

    def failing(self, traceback: Optional[TracebackType]) -> Optional[SeenCall]:
        """Returns the call that raised an exception with this traceback."""
        while traceback is not None:
            for seen in self._last:
                if seen.frame is traceback.tb_frame:
                    return seen
            traceback = traceback.tb_next
        return None

    def _see(self, frame: FrameType, event: str, _arg: object) -> None:
        if event != "call":
            return
        caller = frame.f_back
        # This runs for each call of the program, so the fastest check is first.
        if caller is not self._block:
            while caller is not None and caller.f_code.co_name in _COMPREHENSIONS:
                caller = caller.f_back
            if caller is not self._block:
                return
        if not self._is_call(frame):
            return
        seen = SeenCall(frame)
        self._last.append(seen)
        if self.first is None:
            self.first = seen

    def _is_call(self, frame: FrameType) -> bool:
        code = frame.f_code
        # Class bodies and executed texts also have frames.
        if code.co_name in _COMPREHENSIONS or not code.co_flags & inspect.CO_OPTIMIZED:
            return False
        if code.co_argcount and frame.f_locals.get(code.co_varnames[0]) is self._owner:
            return False
        return all(seen.frame is not frame for seen in self._last)  # a generator resumes


def block_frame(owner: object, frame: Optional[FrameType]) -> FrameType:
    """Returns the frame of the `with` block that has entered `owner`."""
    while frame is not None:
        names = frame.f_code.co_varnames
        is_own = bool(frame.f_code.co_argcount) and frame.f_locals.get(names[0]) is owner
        if not is_own and frame.f_globals.get("__name__") != "contextlib":
            return frame
        frame = frame.f_back
    raise RuntimeError("the `with` block has no frame")


def ends_in_call(traceback: Optional[TracebackType]) -> bool:
    """Returns whether an exception was raised by a call without a frame, of a function or type that is not
    written in Python.
    """
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    found = (one.opname for one in dis.get_instructions(traceback.tb_frame.f_code) if one.offset == traceback.tb_lasti)
    return any(name.startswith(("CALL", "PRECALL")) for name in found)


class Call:
    """A called function, and how to call it again with other arguments."""

    def __init__(self, seen: SeenCall) -> None:
        self._function = _function_of(seen.frame)
        self._signature = _own_signature(self._function)
        order = self._signature.parameters
        self.given = {name: seen.given[name] for name in order if name in seen.given}
        """The arguments, which the function may have modified."""
        self.before = {name: seen.before[name] for name in order if name in seen.before}
        """Copies of the arguments, as they were when the call was made."""
        self._adopt_wrapped()
        self.collecting = {name for name, one in self._signature.parameters.items() if one.kind in _COLLECTING}
        """The parameters that collect arguments."""
        self.flags = self._function.__code__.co_flags
        """The flags of its code, which mark generators and coroutines."""
        self.receiver: Any = None
        """The object of a method, or the class that is called."""
        self.receiver_before: Any = None
        """A copy of the receiver, as it was when the call was made."""
        self.is_method = False
        self._is_class = False
        self._find_receiver()

    def _adopt_wrapped(self) -> None:
        """Uses the parameters of a decorated function instead of those of the decorator."""
        if not hasattr(self._function, "__wrapped__") and not hasattr(self._function, "__signature__"):
            return
        with contextlib.suppress(TypeError, ValueError):
            inner = inspect.signature(self._function)
            both = []
            for values in (self.given, self.before):
                raw = inspect.BoundArguments(self._signature, collections.OrderedDict(values))
                bound = inner.bind(*raw.args, **raw.kwargs)
                bound.apply_defaults()
                both.append(dict(bound.arguments))
            self._signature, self.given, self.before = inner, both[0], both[1]

    def _find_receiver(self) -> None:
        """Removes the object from the arguments of a method."""
        parameters = list(self._signature.parameters.values())
        if not parameters or parameters[0].kind not in (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        ):
            return
        first = parameters[0].name
        receiver = self.given.get(first)
        name = _name_in_class(self._function, receiver)
        if name is None:
            return
        self.receiver, self.receiver_before = receiver, self.before[first]
        self.given = {one: value for one, value in self.given.items() if one != first}
        self.before = {one: value for one, value in self.before.items() if one != first}
        self._signature = self._signature.replace(parameters=parameters[1:])
        self.is_method = True
        if name in ("__init__", "__new__"):
            self._is_class = True
            self.receiver = self.receiver_before = type(receiver) if name == "__init__" else receiver

    def target(self, receiver: Any) -> Callable[..., Any]:
        """Returns the function, the bound method of this object, or the class."""
        if self._is_class:
            made: Callable[..., Any] = receiver
            return made
        return MethodType(self._function, receiver) if self.is_method else self._function

    def arguments(self, values: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns positional and keyword arguments for these values of parameters."""
        for name in values:
            if name not in self._signature.parameters:
                raise TypeError(f"{self._function.__name__}() has no parameter `{name}`")
        ordered = collections.OrderedDict((name, values[name]) for name in self._signature.parameters if name in values)
        bound = inspect.BoundArguments(self._signature, ordered)
        return bound.args, bound.kwargs

    def shown(self, values: Mapping[str, Any]) -> str:
        """Returns the call with these values as source text."""
        kinds = {name: parameter.kind for name, parameter in self._signature.parameters.items()}
        has_more = any(kinds.get(name) is inspect.Parameter.VAR_POSITIONAL and value for name, value in values.items())
        words: list[str] = []
        for name, value in values.items():
            kind = kinds.get(name)
            if kind is inspect.Parameter.VAR_POSITIONAL and isinstance(value, (tuple, list)):
                words.extend(shown(one) for one in value)
            elif kind is inspect.Parameter.VAR_KEYWORD and isinstance(value, Mapping):
                words.extend(f"{one}={shown(other)}" for one, other in value.items())
            elif kind is inspect.Parameter.POSITIONAL_ONLY or (
                has_more and kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            ):
                words.append(shown(value))
            else:
                words.append(f"{name}={shown(value)}")
        return f"{self.target(self.receiver).__name__}({', '.join(words)})"


def _function_of(frame: FrameType) -> FunctionType:
    """Returns the function that runs in a frame."""
    code = frame.f_code
    cells = {name: frame.f_locals[name] for name in code.co_freevars if name in frame.f_locals}
    for found in gc.get_referrers(code):
        if isinstance(found, FunctionType) and found.__code__ is code and _has_cells(found, cells):
            return found
    # It was an anonymous function, and no longer exists.
    closure = tuple(CellType(cells[name]) if name in cells else CellType() for name in code.co_freevars)
    return FunctionType(code, frame.f_globals, code.co_name, None, closure)


def _own_signature(function: FunctionType) -> inspect.Signature:
    """Returns the actual parameters of the code, regardless of decorators."""
    code = function.__code__
    return inspect.signature(FunctionType(code, function.__globals__, code.co_name, None, function.__closure__))


def _has_cells(function: FunctionType, cells: Mapping[str, Any]) -> bool:
    """Returns whether the closure of a function has these values."""
    there = _cells(function)
    return all(there[name] is value for name, value in cells.items() if name in there)


def _cells(function: FunctionType) -> dict[str, Any]:
    """Returns the values of the closure that are already set."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        with contextlib.suppress(ValueError):
            found[name] = cell.cell_contents
    return found


def _name_in_class(function: FunctionType, receiver: Any) -> Optional[str]:
    """Returns the name of a function as a method in the class of this object, or in this class."""
    for owner in (*type(receiver).__mro__, *(receiver.__mro__ if isinstance(receiver, type) else ())):
        for name, attribute in vars(owner).items():
            if isinstance(attribute, staticmethod) and name != "__new__":
                continue
            for found in (attribute, getattr(attribute, "__func__", None), getattr(attribute, "fget", None)):
                if isinstance(found, FunctionType) and _are_alike(found, function):
                    return name
    return None


def _are_alike(function: FunctionType, other: FunctionType) -> bool:
    """Returns whether two functions are identical, or have the same code and closure."""
    return function.__code__ is other.__code__ and _has_cells(function, _cells(other))


def shown(value: Any) -> str:
    """Returns the source text of a value, if it has one."""
    try:
        return repr(value)
    except Exception:  # a class may raise anything, and nesting may be too deep
        return f"<{type(value).__name__} object at {id(value):#x}>"


def finished(result: Any, flags: int) -> Any:
    """Returns the result of a call, after running a generator or coroutine to its end."""
    if flags & inspect.CO_GENERATOR and isinstance(result, Iterator):
        collections.deque(result, maxlen=0)
    elif flags & inspect.CO_COROUTINE and inspect.iscoroutine(result):
        return _awaited(result)
    return result


def _awaited(coroutine: Any) -> Any:
    """Returns the result of a coroutine in a new event loop."""
    import asyncio  # importing it is slow, and it is rarely needed

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    # The event loop of this thread is waiting for this call.
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(coroutine))
        except BaseException as error:  # it is raised again in the calling thread
            failure.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
