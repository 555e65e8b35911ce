"""The smallest difference of two texts, and the largest part of one that passes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable, Generic, Optional, TypeVar, Union

from . import _nubbin
from ._reduce import _decoded, _encoded, _words
from ._verdict import Answer
from ._workers import workers

__all__ = ["Isolated", "isolate", "maximize"]

D = TypeVar("D", bytes, str)


@dataclass(frozen=True)
class Isolated(Generic[D]):
    """A text that passes and one that fails, with the smallest difference."""

    passing: D
    failing: D
    probes: int
    """The number of candidates that were tested."""


def isolate(
    failing: D,
    test: Callable[[D], Answer],
    passing: Optional[D] = None,
    *,
    language: Optional[str] = None,
    unit: Union[str, Sequence[str]] = (),
    jobs: int = 1,
) -> Isolated[D]:
    """Two texts with the smallest difference, between `passing` and `failing`: one still passes, one still fails.

    Without `passing` that is the empty text. If the language is known, the differences of the syntax trees are narrowed
    first, then those of tokens; without one, lines and then tokens; or the units that are named (`line`, `token`, `char`,
    `byte`). The test is one for `reduce`.

    Raises `NotFailing` or `NotPassing` if one of the texts does not.
    """
    empty = "" if isinstance(failing, str) else b""
    return _find(failing, test, empty if passing is None else passing, False, language, unit, jobs)


def maximize(
    failing: D,
    test: Callable[[D], Answer],
    *,
    unit: Union[str, Sequence[str]] = (),
    jobs: int = 1,
) -> D:
    """A largest part of `failing` that passes: with any one more of its lines and tokens it does not.

    Raises `NotFailing` if the text does not fail, and `NotPassing` if the empty text does not pass.
    """
    empty = "" if isinstance(failing, str) else b""
    return _find(failing, test, empty, True, None, unit, jobs).passing


def _find(
    failing: D,
    test: Callable[[D], Answer],
    passing: Union[str, bytes],
    is_maximum: bool,
    language: Optional[str],
    unit: Union[str, Sequence[str]],
    jobs: int,
) -> Isolated[D]:
    units = _words(unit)
    wrong = [name for name in units if name not in ("line", "token", "char", "byte")]
    if wrong:
        raise ValueError(f"there is no unit `{wrong[0]}`; there are line, token, char, byte")
    is_text = isinstance(failing, str)
    question = {
        "passing": _bytes(passing),
        "failing": _bytes(failing),
        "is_maximum": is_maximum,
        "language": language,
        "units": units,
    }

    def adapted(candidate: bytes) -> Answer:
        return test(_decoded(candidate) if is_text else candidate)  # type: ignore[arg-type]

    with workers(jobs, adapted) as processes:
        passed, failed, probes = _nubbin.tell_apart(question, adapted, processes)
    if is_text:
        return Isolated(_decoded(passed), _decoded(failed), probes)  # type: ignore[arg-type]
    return Isolated(passed, failed, probes)  # type: ignore[arg-type]


def _bytes(text: Union[str, bytes]) -> bytes:
    return _encoded(text) if isinstance(text, str) else bytes(text)
