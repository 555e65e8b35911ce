"""The reduction of the input of a test: its arguments, or the files that it reads."""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from .. import _nubbin
from .files import Show, free_name, shown
from .trial import Stop, Trial
from .values import Smaller, can_be_smaller, empty, size_of_value, smaller

__all__ = ["reduce_input"]


@dataclass
class Input:
    """An argument or a file on which the failure may depend."""

    name: str
    value: Any
    fails: Callable[[Any], bool]
    """Returns whether the test fails with another value instead."""
    place: Path
    """The path from which the name of the result is derived."""
    language: Optional[str] = None


def reduce_input(trial: Trial, budget: float, show: Show) -> str:
    """Reduces the largest relevant argument or file, writes it to a file, and returns the line for the
    summary.
    """
    end = time.monotonic() + budget
    found = sorted(_inputs(trial), key=lambda one: -size_of_value(one.value))
    for one in found:
        # If the test also fails without it, the failure does not depend on it.
        if one.fails(empty(one.value)) or not one.fails(one.value):
            continue
        result = smaller(one.value, one.fails, language=one.language, seconds=max(1.0, end - time.monotonic()))
        place = _written(one, result)
        value = repr(result.value)
        trial.is_interrupted = result.stopped == "interrupted"
        notes = {"time": f", stopped after {budget:g} s", "interrupted": ", interrupted"}.get(result.stopped, "")
        return (
            f"{one.name} {result.before} -> {result.after} tokens, {trial.runs} runs, {shown(trial.config, place)}{notes}"
            + (f"\n    {one.name} = {value}" if len(value) <= 100 else "")
        )
    if found:
        names = ", ".join(one.name for one in found)
        raise Stop(f"not reduced: it also fails without its input ({names})")
    raise Stop("not reduced: it has no string, bytes or collection as an argument, and reads no file next to it")


def _inputs(trial: Trial) -> list[Input]:
    found = []
    stem = trial.path.name[: -len(trial.path.suffix)]
    function = re.sub(r"\W+", "-", trial.test.partition("[")[0].rpartition("::")[2])
    for name, value in trial.seen.arguments.items():
        if value and can_be_smaller(value):
            place = trial.path.with_name(f"{stem}.{function}.{name}.txt")
            found.append(Input(f"`{name}`", value, _argument(trial, name), place))
    for path, data in trial.seen.files.items():
        folder = os.path.realpath(trial.path.parent)
        inside = path.startswith(folder + os.sep)
        # A temporary file does not exist after the test.
        place = Path(path) if inside else trial.path.with_name(f"{stem}.{function}.{os.path.basename(path)}")
        found.append(Input(os.path.basename(path), data, _file(trial, path), place, _language(path)))
    return found


def _argument(trial: Trial, name: str) -> Callable[[Any], bool]:
    return lambda value: trial.fails_with({name: value}, {})


def _file(trial: Trial, path: str) -> Callable[[Any], bool]:
    return lambda value: trial.fails_with({}, {path: value})


def _language(path: str) -> Optional[str]:
    ending = os.path.splitext(path)[1].lstrip(".")
    return next((name for name, _, endings in _nubbin.languages() if ending in endings), None)


def _written(one: Input, result: Smaller) -> Path:
    place = free_name(one.place)
    value = result.value
    if isinstance(value, (bytes, bytearray)):
        place.write_bytes(value)
    else:
        text = value if isinstance(value, str) else repr(value) + "\n"
        place.write_bytes(text.encode("utf-8", "surrogatepass"))
    return place
