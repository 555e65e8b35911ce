"""The reduction of an input by a test."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional, TypeVar, Union

from . import _nubbin
from ._program import program
from ._progress import Listener, listener
from ._result import Reduction, reduction_of
from ._verdict import Answer, NotFailing, Unresolved
from ._workers import workers

__all__ = ["reduce"]

PathLike = Union["os.PathLike[str]"]
Command = Union[str, Sequence[Union[str, "os.PathLike[str]"]]]
D = TypeVar("D", bytes, str, Path)


def reduce(
    data: D,
    test: Union[Callable[[D], Answer], Command],
    *,
    language: Optional[str] = None,
    grammar: Optional[PathLike] = None,
    jobs: int = 1,
    unit: Union[str, Sequence[str]] = (),
    objective: Union[str, Sequence[str]] = "tokens",
    effort: int = 0,
    compact: bool = False,
    anonymize: bool = False,
    allow_empty: bool = False,
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
    keep: Union[str, Sequence[str]] = (),
    keep_function: Union[str, Sequence[str]] = (),
    max_probes: Optional[int] = None,
    max_time: Optional[float] = None,
    stop_at: Union[int, tuple[int, str], None] = None,
    flaky: Optional[float] = None,
    timeout: Optional[float] = None,
    exit_code: Optional[int] = None,
    signal: Union[str, int, None] = None,
    stdout: Optional[str] = None,
    stderr: Optional[str] = None,
    sandbox: str = "auto",
    formatter: bool = False,
    preprocessor: bool = False,
    inline: Optional[bool] = None,
    also: Union[str, Sequence[str]] = (),
    valid: bool = False,
    resume: bool = False,
    output: Optional[PathLike] = None,
    progress: Union[bool, Listener] = False,
) -> Reduction[D]:
    """Reduces an input while it still shows the failure.

    `data` is the failing input: bytes, a string, or the path of a file or directory (a `pathlib.Path`).

    `test` is one of these:

    - a function that is called with a candidate, of the same type as `data`, and returns whether it shows the
      failure: `True` or `False`, or a `Verdict`. `None`, or the exception `Unresolved`, means that it cannot
      be decided. If `data` is a path, the candidate is the path of a file or directory with the same name
      that exists only during this call. Any other exception ends the reduction and is passed to the caller;
    - a string: an oracle, as for the program. It exits with status 0 if the candidate shows the failure, and
      with 125 if it cannot decide. The path of the candidate is its last argument, or replaces `{}`;
    - a list of arguments: a command that fails on the input. Its failure is learned from the first runs, or
      specified by `exit_code`, `signal`, and regular expressions for `stdout` and `stderr`, as for the
      program.

    Commands run as with the program: in a sandbox, with limits on time and memory, and with a time limit of
    `timeout` seconds per run. With several `jobs`, this number of tests runs at the same time, functions in
    forked processes; with one job, a function runs in this thread. The result is the same for any number of
    jobs, and the same as that of the program.

    With a command, the `formatter` and the `preprocessor` of the language can be used. With `inline`,
    included files are inlined; for a directory this is the default unless `inline` is `False`. A candidate
    must also pass other commands: each command of `also`, in which `{}` is the path of the candidate, and
    with `valid` the syntax checker of the language.

    With `resume`, a command on a path keeps a journal, and continues an earlier run of the same call: no
    candidate is tested again.

    For a path, the result is written next to the input, with `.reduced` in its name, or to `output`. Each
    smaller candidate is written as soon as it is found.

    `progress` is `True` for a progress bar (from `tqdm` if it is installed, otherwise in plain text), or a
    function that is called with a `Progress`. The other options are those of the program; see `nubbin
    --help`.

    If an interrupt or an exception of the test ends the reduction early, the exception has the current best
    as its attribute `reduction`.

    Raises `NotFailing` if `data` does not show the failure, `AcceptsEmpty` if the empty input also shows it,
    `Flaky` if the test gives different verdicts on the same input, and `Failure` for other problems.
    """
    options = options_of(
        language=language,
        grammar=None if grammar is None else os.fspath(grammar),
        units=words_of(unit),
        jobs=jobs,
        timeout=timeout,
        allow_empty=allow_empty,
        compact=compact,
        effort=effort,
        anonymize=anonymize,
        objective=words_of(objective),
        only=words_of(only),
        skip=words_of(skip),
        max_probes=max_probes,
        max_time=max_time,
        stop_at=(stop_at, None) if isinstance(stop_at, int) else stop_at,
        flaky=flaky,
        keep=words_of(keep),
        keep_function=words_of(keep_function),
        sandbox=sandbox,
        formatter=formatter,
        preprocessor=preprocessor,
        inline=inline,
        also=words_of(also),
        valid=valid,
        resume=resume,
    )
    if resume and not isinstance(data, os.PathLike):
        raise ValueError("`resume` needs a path: a journal belongs to a file or a directory")
    said = failure_of(test, exit_code, signal, stdout, stderr)
    if callable(test):
        for name in ("timeout", "formatter", "preprocessor", "inline", "also", "valid", "resume"):
            if options[name]:
                raise ValueError(f"`{name}` is for a command and not for a function")
    with listener(progress) as told:
        if callable(test):
            return _by_function(data, test, options, output, told)
        return _by_command(data, test, options, said, output, told)


def words_of(given: Union[str, Sequence[str]]) -> list[str]:
    """Returns the arguments of an option that takes one string or several."""
    return [given] if isinstance(given, str) else list(given)


def options_of(**given: Any) -> dict[str, Any]:
    """Returns the options of a reduction, with defaults for those that are not given."""
    if given["jobs"] < 1:
        raise ValueError(f"`jobs` must be at least 1, not {given['jobs']}")
    return {**_NOTHING, **given}


_NOTHING: dict[str, Any] = {
    **dict.fromkeys(("language", "grammar", "timeout", "max_probes", "max_time", "stop_at", "flaky", "inline")),
    **dict.fromkeys(("allow_empty", "compact", "anonymize", "formatter", "preprocessor", "valid", "resume"), False),
    **dict.fromkeys(("units", "objective", "only", "skip", "keep", "keep_function", "also"), ()),
    "effort": 0,
    "sandbox": "auto",
}


def failure_of(
    test: object,
    exit_code: Optional[int],
    signal: Union[str, int, None],
    stdout: Optional[str],
    stderr: Optional[str],
) -> dict[str, Any]:
    """Returns the specified failure of a command."""
    said = {"exit_code": exit_code, "signal": None if signal is None else str(signal), "stdout": stdout, "stderr": stderr}
    if callable(test) or isinstance(test, str):
        for name, value in said.items():
            if value is not None:
                raise ValueError(f"`{name}` is for a command (a list of arguments), and not for a function or an oracle")
    return said


def _by_function(
    data: Any,
    test: Callable[[Any], Answer],
    options: dict[str, Any],
    output: Optional[PathLike],
    told: Optional[Callable[[dict[str, Any]], None]],
) -> Reduction[Any]:
    given: dict[str, Any] = {"data": None, "path": None, "output": None if output is None else os.fspath(output)}
    if isinstance(data, (bytes, bytearray, memoryview)):
        given["data"], adapted = bytes(data), test
    elif isinstance(data, str):
        given["data"], adapted = encoded(data), lambda candidate: test(decoded(candidate))
    else:
        path = Path(data)
        given["path"], adapted = os.fspath(path), _on_disk(path, test)
    with workers(options["jobs"], adapted) as processes:
        report, error = _nubbin.reduce(given, options, adapted, told, processes)
    return _ended(report, error, data)


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decoded(candidate: bytes) -> str:
    try:
        return candidate.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        # An incomplete character is not a string, so it cannot be tested.
        raise Unresolved("the candidate is not a string") from None


def _on_disk(path: Path, test: Callable[[Path], Answer]) -> Callable[[bytes], Answer]:
    """Returns a test of bytes that calls `test` with a file or directory of this name."""
    is_directory, name = path.is_dir(), path.resolve().name

    def adapted(candidate: bytes) -> Answer:
        with tempfile.TemporaryDirectory(prefix="nubbin-") as folder:
            place = Path(folder, name)
            if is_directory:
                place.mkdir()
                _nubbin.unpack(candidate, place)
            else:
                place.write_bytes(candidate)
                with contextlib.suppress(OSError):
                    shutil.copymode(path, place)
            return test(place)

    return adapted


def _by_command(
    data: Any,
    test: Command,
    options: dict[str, Any],
    said: dict[str, Any],
    output: Optional[PathLike],
    told: Optional[Callable[[dict[str, Any]], None]],
) -> Reduction[Any]:
    with as_file(data, options["language"]) as (path, place):
        given = given_of(path, test, said, output if place is None else place, options["sandbox"])
        report, error = _nubbin.reduce_by_command(given, options, told)
        result = _ended(report, error, data)
        if place is not None and output is not None:
            result.save(os.fspath(output))
        return result


def given_of(path: Path, test: Command, said: dict[str, Any], output: Optional[PathLike], sandbox: str) -> dict[str, Any]:
    """Returns a command and its input."""
    helper = program()
    if helper is None and sandbox != "off":
        raise RuntimeError(
            "the program `nubbin` of this version was not found, which provides the sandbox; `sandbox=\"off\"` runs the "
            "command without it"
        )
    return {
        "path": os.fspath(path),
        "output": None if output is None else os.fspath(output),
        "words": [] if isinstance(test, str) else [os.fspath(word) for word in test],
        "oracle": test if isinstance(test, str) else None,
        "helper": None if helper is None else os.fspath(helper),
        **said,
    }


@contextlib.contextmanager
def as_file(data: Any, language: Optional[str]) -> Iterator[tuple[Path, Optional[Path]]]:
    """Yields the path of the input, and the path of its result if it is temporary."""
    if not isinstance(data, (bytes, bytearray, memoryview, str)):
        yield Path(data), None
        return
    endings = {name: found for name, _, found in _nubbin.languages()}
    ending = next(iter(endings.get(language or "", [])), "")
    with tempfile.TemporaryDirectory(prefix="nubbin-") as folder:
        path = Path(folder, "stdin" + (f".{ending}" if ending else ""))
        path.write_bytes(encoded(data) if isinstance(data, str) else bytes(data))
        yield path, Path(folder, "result")


def _ended(report: dict[str, Any], error: Optional[BaseException], data: Any) -> Reduction[Any]:
    """Returns the result, or raises the exception that ended the reduction, with the current best."""
    result = None
    if report["best"] is not None:
        result = reduction_of(report, _best(report, data), data)
    if error is None:
        assert result is not None
        return result
    if result is not None:
        error.reduction = result  # type: ignore[attr-defined]
    if isinstance(error, NotFailing) and _names_a_file(data):
        error.args = (f"{error}; a string is used as the text: for the file, give `pathlib.Path({data!r})`",)
    raise error


def _names_a_file(data: Any) -> bool:
    """Returns whether a text is the path of an existing file."""
    with contextlib.suppress(OSError, ValueError):
        return isinstance(data, str) and len(data) < 4096 and os.path.exists(data)
    return False


def _best(report: dict[str, Any], data: Any) -> Any:
    best = report["best"]
    if isinstance(data, str):
        return best.decode("utf-8", "surrogatepass")
    if isinstance(data, (bytes, bytearray, memoryview)):
        return best
    return Path(report["path"]) if report.get("path") else Path(data)
