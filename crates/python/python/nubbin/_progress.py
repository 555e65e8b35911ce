"""Progress: a user callback, or a progress bar."""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from typing import Any, Callable, Optional, Union

from ._result import Progress, Size

__all__ = ["Listener", "listener"]

Listener = Callable[[Progress], object]
Told = Callable[[dict[str, Any]], None]


@contextlib.contextmanager
def listener(progress: Union[bool, Listener]) -> Iterator[Optional[Told]]:
    """Returns the function that is called with the events of a reduction, if there is one."""
    if progress is False:
        yield None
    elif progress is True:
        with contextlib.closing(_bar()) as bar:
            yield _told(bar)
    else:
        yield _told(progress)


def _told(progress: Listener) -> Told:
    before: list[Size] = []

    def told(moment: dict[str, Any]) -> None:
        size = Size(moment["tokens"], moment["bytes"], moment["lines"])
        if not before or moment["event"] == "started":
            before[:] = [size]
        names = ("event", "probes", "pass_name", "seconds", "note")
        progress(Progress(size=size, before=before[0], **{name: moment[name] for name in names}))

    return told


def _bar() -> Any:
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return _Line()
    return _Bar(tqdm)


class _Bar:
    """A `tqdm` bar that fills as bytes are removed."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        if self._bar is None:
            self._bar = self._tqdm(total=progress.before.bytes, unit="B", unit_scale=True, desc="nubbin")
        gone = progress.before.bytes - progress.size.bytes
        self._bar.update(gone - self._bar.n)
        self._bar.set_postfix(probes=progress.probes, tokens=progress.size.tokens, refresh=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Line:
    """A line that is rewritten after each step."""

    def __init__(self) -> None:
        self._written = False

    def __call__(self, progress: Progress) -> None:
        if progress.event in ("started", "accepted", "undone"):
            text = f"{progress.size.tokens} tokens, {progress.size.bytes} bytes after {progress.probes} probes"
            sys.stderr.write(f"\rnubbin: {text:<60}")
            sys.stderr.flush()
            self._written = True

    def close(self) -> None:
        if self._written:
            sys.stderr.write("\n")
