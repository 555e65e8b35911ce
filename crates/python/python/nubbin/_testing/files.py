"""The reduction of a test file, and the names of results."""

import os
import time
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

from .._reduce import reduce
from .._result import Reduction
from .trial import Trial

__all__ = ["free_name", "reduce_file", "shown", "stopped"]

Show = Callable[[Optional[int]], None]


def reduce_file(trial: Trial, budget: float, show: Show) -> str:
    """Reduces the file, writes the result next to it, and returns the line for the summary."""
    end = time.monotonic() + budget
    place, before = free_name(trial.path), 0
    while True:
        reduction = _reduction(trial, max(1.0, end - time.monotonic()), show)
        before = before or reduction.before.tokens
        place.write_bytes(reduction.best)
        notes = stopped(reduction, budget)
        if reduction.proof.kind == "interrupted":
            trial.is_interrupted = True
            notes += ", not verified separately"
        elif trial.fails_alone(place):
            pass
        elif trial.has_modules and time.monotonic() < end:
            # The failure depends on previously imported modules.
            trial.forget_modules()
            continue
        else:
            notes += "; run alone it does not fail in the same way"
        sizes = f"{before} -> {reduction.after.tokens} tokens, {trial.runs} runs"
        return f"{sizes}, {shown(trial.config, place)}{notes}"


def _reduction(trial: Trial, seconds: float, show: Show) -> "Reduction[bytes]":
    try:
        return reduce(
            trial.source,
            trial.fails,
            language="python",
            max_time=seconds,
            progress=lambda progress: show(progress.size.tokens),
        )
    except KeyboardInterrupt as error:
        so_far: Optional[Reduction[bytes]] = getattr(error, "reduction", None)
        if so_far is None:
            raise
        return so_far


def stopped(reduction: Any, budget: float) -> str:
    """Returns the reason why the result may not be minimal, if there is one."""
    return {"time": f", stopped after {budget:g} s", "interrupted": ", interrupted"}.get(reduction.proof.kind, "")


def free_name(path: Path, ending: Optional[str] = None) -> Path:
    """Returns an unused name for a result."""
    ending = path.suffix if ending is None else ending
    number = 1
    while True:
        tail = ".reduced" if number == 1 else f".reduced-{number}"
        place = path.with_name(f"{path.name[: len(path.name) - len(path.suffix)]}{tail}{ending}")
        if not place.exists() and not place.is_symlink():
            return place
        number += 1


def shown(config: pytest.Config, path: Path) -> str:
    """Returns a path as the user would type it."""
    return os.path.relpath(path, config.invocation_params.dir)
