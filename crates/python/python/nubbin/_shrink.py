"""A decorator that minimizes the argument of a failing function."""

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

    The function is called as usual. If it raises an exception, the value of `argument` is reduced while the
    same exception is raised: with the same type, from the same line, and with the same message. Quoted text,
    numbers and items in the message are ignored, since they come from the value. Finally, the exception for
    the smallest value is raised, with a note that contains the value, which is also its attribute `smallest`.

    Strings and bytes are reduced in their `language`, which is detected by default. Lists, tuples, sets and
    dictionaries of such values, and numbers, are reduced as literals, and items of other collections are
    removed. The reduction takes at most `budget` seconds (`None` for no limit), and runs this number of
    `jobs` at the same time, more than one in forked processes. `save` is the path of a file for the smallest
    value. The function must not depend on its earlier calls. If it does not fail a second time, the first
    exception is raised unchanged.

    The decorator supports plain functions and methods, tests of pytest, whose other arguments can be
    fixtures, and coroutines.

    Raises `TypeError` if the function has no such argument.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        if argument not in signature.parameters or signature.parameters[argument].kind in (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
        ):
            raise TypeError(f"`{function.__name__}` has no argument `{argument}`")
        shrinker = _Shrinker(function, signature, argument, language, budget, jobs, save)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*words: Any, **more: Any) -> Any:
                try:
                    return await function(*words, **more)
                except Exception as error:
                    failed = error
                # An event loop cannot run in a thread in which another one is running.
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
    """A function, and how to reduce its argument."""

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
        """Returns the exception for the smallest value, or the given one if it cannot be reduced."""
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
            _note(failed, f"not reduced: {str(reason).splitlines()[0]}")
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
            _note(error, f"saved in {self._save}")


def _identity(error: BaseException) -> tuple[type, str, str, int]:
    """Returns the type of an exception, its message without values, and the innermost line that raised it."""
    from ._testing.symptom import stable, without_values

    traceback: Optional[TracebackType] = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    try:
        message = without_values(stable(str(error), {}))
    except Exception:  # a user class may raise anything
        message = ""
    if traceback is None:
        return type(error), message, "", 0
    return type(error), message, traceback.tb_frame.f_code.co_filename, traceback.tb_lineno


def _note(error: BaseException, text: str) -> None:
    """Adds a note. Before Python 3.11 it is appended to the message, if that is the first argument."""
    if sys.version_info >= (3, 11):
        error.add_note(text)
    else:
        error.__notes__ = [*getattr(error, "__notes__", []), text]  # type: ignore[attr-defined]
        if error.args and isinstance(error.args[0], str):
            error.args = (f"{error.args[0]}\n{text}", *error.args[1:])
