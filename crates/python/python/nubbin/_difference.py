"""The minimal difference between two texts, and the largest passing part of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, Generic, Optional, TypeVar, Union, cast

from . import _nubbin
from ._reduce import Command, as_file, decoded, encoded, failure_of, given_of, options_of, words_of
from ._verdict import Answer, NotPassing
from ._workers import workers

__all__ = ["Isolated", "isolate", "maximize"]

D = TypeVar("D", bytes, str)


@dataclass(frozen=True)
class Isolated(Generic[D]):
    """A passing and a failing text with a minimal difference."""

    passing: D
    failing: D
    probes: int
    """The number of tested candidates."""


def isolate(
    failing: D,
    test: Union[Callable[[D], Answer], Command],
    passing: Optional[D] = None,
    *,
    language: Optional[str] = None,
    unit: Union[str, Sequence[str]] = (),
    jobs: int = 1,
    max_time: Optional[float] = None,
    timeout: Optional[float] = None,
    exit_code: Optional[int] = None,
    signal: Union[str, int, None] = None,
    stdout: Optional[str] = None,
    stderr: Optional[str] = None,
    sandbox: str = "auto",
) -> Isolated[D]:
    """Finds two texts with a minimal difference between `passing` and `failing`: one still passes, the other
    still fails.

    `passing` is empty by default. If the language is known, the differences of the syntax trees are narrowed
    first, then those of tokens; otherwise lines, and then tokens. `unit` selects other units (`line`,
    `token`, `char`, `byte`).

    The test is as for `reduce`: a function, an oracle, or a failing command, whose failure is learned or
    specified by `exit_code`, `signal`, `stdout` and `stderr`. The options from `max_time` on apply to
    commands.

    Raises `NotFailing` or `NotPassing` if a text does not fail or pass as required, and `Failure` for other
    problems.
    """
    empty = "" if isinstance(failing, str) else b""
    said = failure_of(test, exit_code, signal, stdout, stderr)
    texts = (failing, empty if passing is None else passing)
    return _find(texts, test, False, said, language, unit, jobs, (max_time, timeout, sandbox))


def maximize(
    failing: D,
    test: Union[Callable[[D], Answer], Command],
    *,
    unit: Union[str, Sequence[str]] = (),
    jobs: int = 1,
    max_time: Optional[float] = None,
    timeout: Optional[float] = None,
    exit_code: Optional[int] = None,
    signal: Union[str, int, None] = None,
    stdout: Optional[str] = None,
    stderr: Optional[str] = None,
    sandbox: str = "auto",
) -> D:
    """Finds a maximal passing part of `failing`: it does not pass with any single further line or token.

    The test and the options are those of `isolate`.

    Raises `NotFailing` if the text does not fail, and `NotPassing` if the empty text does not pass.
    """
    empty = "" if isinstance(failing, str) else b""
    said = failure_of(test, exit_code, signal, stdout, stderr)
    largest: D = _find((failing, empty), test, True, said, None, unit, jobs, (max_time, timeout, sandbox)).passing
    return largest


def _find(
    texts: tuple[Any, Any],
    test: Any,
    is_maximum: bool,
    said: dict[str, Any],
    language: Optional[str],
    unit: Union[str, Sequence[str]],
    jobs: int,
    bounds: tuple[Optional[float], Optional[float], str],
) -> Isolated[Any]:
    units = words_of(unit)
    wrong = [name for name in units if name not in ("line", "token", "char", "byte")]
    if wrong:
        raise ValueError(f"unknown unit `{wrong[0]}` (available: line, token, char, byte)")
    failing, passing = texts
    for text in texts:
        if not isinstance(text, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"a text must be a string or bytes, not {type(text).__name__}; read a file first")
    is_text = isinstance(failing, str)
    max_time, timeout, sandbox = bounds
    options = options_of(
        language=language, units=units, jobs=jobs, max_time=max_time, timeout=timeout, sandbox=sandbox, objective=["tokens"]
    )
    passing, failing = _bytes(passing), _bytes(failing)
    if not callable(test):
        passed, failed, probes = _by_command(passing, failing, test, is_maximum, said, options)
    else:
        asked = cast("Callable[[Any], Answer]", test)
        if is_text:
            passed, failed, probes = _by_function(passing, failing, _on_text(asked), is_maximum, options)
        else:
            passed, failed, probes = _by_function(passing, failing, asked, is_maximum, options)
    if is_text:
        return Isolated(decoded(passed), decoded(failed), probes)
    return Isolated(passed, failed, probes)


def _on_text(test: Callable[[str], Answer]) -> Callable[[bytes], Answer]:
    return lambda candidate: test(decoded(candidate))


def _by_function(
    passing: bytes,
    failing: bytes,
    test: Callable[[bytes], Answer],
    is_maximum: bool,
    options: dict[str, Any],
) -> tuple[bytes, bytes, int]:
    for name in ("max_time", "timeout"):
        if options[name] is not None:
            raise ValueError(f"`{name}` is for a command and not for a function")
    question = {
        "passing": passing,
        "failing": failing,
        "is_maximum": is_maximum,
        "language": options["language"],
        "units": options["units"],
    }
    with workers(options["jobs"], test) as processes:
        return _nubbin.tell_apart(question, test, processes)


def _by_command(
    passing: bytes,
    failing: bytes,
    test: Command,
    is_maximum: bool,
    said: dict[str, Any],
    options: dict[str, Any],
) -> tuple[bytes, bytes, int]:
    language = options["language"]
    with as_file(failing, language) as (path, _), as_file(passing, language) as (other, _):
        given = given_of(path, test, said, None, options["sandbox"])
        try:
            return _nubbin.tell_apart_by_command(given, options, other if passing else None, is_maximum)
        except NotPassing as error:
            raise NotPassing(str(error).replace(f"`{other}`", "`passing`")) from None


def _bytes(text: Union[str, bytes]) -> bytes:
    return encoded(text) if isinstance(text, str) else bytes(text)
