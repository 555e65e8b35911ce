"""A decorator that makes the argument of a failing function smaller."""

import asyncio
import functools
import inspect
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar

from ._failure import Failure
from ._verdict import NotFailing

__all__ = ["shrink"]

F = TypeVar("F", bound=Callable[..., Any])


def shrink(
    argument: str,
    *,
    language: Optional[str] = None,
    budget: Optional[float] = 60.0,
    jobs: int = 1,
    save: Optional[str] = None,
) -> Callable[[F], F]:
    """Decorates a function: when it fails, it fails with the smallest value of this argument.

    The function is called as always. If it raises an exception, the value of `argument` is made smaller as long as the same
    exception comes: of the same type, from the same line, and with the same message; quoted text, numbers and items in it
    do not count, since they come from the value. In the end the exception of the smallest value is raised, with a note of
    that value, which it also has as its attribute `smallest`.

    A string or bytes are reduced in their `language`, or in the one that they look like. Lists, tuples, sets and dictionaries
    of such values, and numbers, are reduced by their literals, and of other collections items are left out.
    It takes at most `budget` seconds (`None` for no limit), and runs so many `jobs` at once, more than one in forked
    processes. `save` is the path of a file for the smallest value. The function must not depend on what its earlier calls
    have done; if it does not fail a second time, the first exception is raised as it is.

    It works for plain functions and methods, for tests of pytest, whose other arguments may be fixtures, and for coroutines.

    Raises `TypeError` if the function has no such argument.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        if argument not in signature.parameters or signature.parameters[argument].kind in (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
        ):
            raise TypeError(f"`{function.__name__}` has no argument `{argument}` to make smaller")
        shrinker = _Shrinker(function, signature, argument, language, budget, jobs, save)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*words: Any, **more: Any) -> Any:
                try:
                    return await function(*words, **more)
                except Exception as error:
                    failed = error
                # A loop cannot run in a thread in which another one does.
                loop = asyncio.get_running_loop()
                raise await loop.run_in_executor(None, shrinker.smallest, failed, words, more)

            return awaited  # type: ignore[return-value]

        @functools.wraps(function)
        def called(*words: Any, **more: Any) -> Any:
            try:
                return function(*words, **more)
            except Exception as error:
                failed = error
            raise shrinker.smallest(failed, words, more)

        return called  # type: ignore[return-value]

    return decorate


class _Shrinker:
    """A function, and what is known about how to make its argument smaller."""

    def __init__(
        self,
        function: Callable[..., Any],
        signature: inspect.Signature,
        argument: str,
        language: Optional[str],
        budget: Optional[float],
        jobs: int,
        save: Optional[str],
    ) -> None:
        self._function, self._signature, self._argument = function, signature, argument
        self._language, self._budget, self._jobs, self._save = language, budget, jobs, save

    def smallest(self, failed: BaseException, words: tuple[Any, ...], more: dict[str, Any]) -> BaseException:
        """The exception of the smallest value, or the given one if there is nothing to do."""
        bound = self._signature.bind(*words, **more)
        bound.apply_defaults()
        value = bound.arguments[self._argument]
        calls = [0]

        def error_of(candidate: Any) -> Optional[BaseException]:
            calls[0] += 1
            return self._called(bound, candidate)

        expected = _identity(failed)

        def fails(candidate: Any) -> bool:
            error = error_of(candidate)
            return error is not None and _identity(error) == expected

        from ._testing.values import can_be_smaller, smaller

        if not can_be_smaller(value):
            return failed
        try:
            result = smaller(value, fails, language=self._language, seconds=self._budget, jobs=self._jobs)
        except (NotFailing, Failure) as reason:
            _note(failed, f"not made smaller: {str(reason).splitlines()[0]}")
            return failed
        error = error_of(result.value)
        if error is None or _identity(error) != expected:
            error = failed
        self._tell(error, result.value, f"{result.before} -> {result.after} tokens", bool(result.stopped))
        return error

    def _called(self, bound: inspect.BoundArguments, candidate: Any) -> Optional[BaseException]:
        bound.arguments[self._argument] = candidate
        try:
            found = self._function(*bound.args, **bound.kwargs)
            if inspect.iscoroutine(found):
                asyncio.run(found)
        except Exception as error:
            return error
        return None

    def _tell(self, error: BaseException, value: Any, sizes: str, is_stopped: bool) -> None:
        error.smallest = value  # type: ignore[attr-defined]
        shown = repr(value)
        shown = shown if len(shown) <= 2000 else shown[:2000] + "…"
        _note(error, f"smallest {self._argument} ({sizes}{', stopped early' if is_stopped else ''}): {shown}")
        if self._save is not None:
            if not isinstance(value, (bytes, bytearray)):
                value = (value if isinstance(value, str) else repr(value)).encode("utf-8", "surrogatepass")
            Path(self._save).write_bytes(value)
            _note(error, f"it is in {self._save}")


def _identity(error: BaseException) -> tuple[type, str, str, int]:
    """Type and message of an exception without its values, and the innermost line that raised it."""
    from ._testing.symptom import stable, without_values

    traceback: Optional[TracebackType] = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    try:
        message = without_values(stable(str(error), {}))
    except Exception:  # the class is the user's
        message = ""
    if traceback is None:
        return type(error), message, "", 0
    return type(error), message, traceback.tb_frame.f_code.co_filename, traceback.tb_lineno


def _note(error: BaseException, text: str) -> None:
    """Adds a note. Before Python 3.11 it is a line of the message, where that is the first argument."""
    if sys.version_info >= (3, 11):
        error.add_note(text)
    else:
        error.__notes__ = [*getattr(error, "__notes__", []), text]  # type: ignore[attr-defined]
        if error.args and isinstance(error.args[0], str):
            error.args = (f"{error.args[0]}\n{text}", *error.args[1:])
