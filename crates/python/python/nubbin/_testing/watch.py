"""The files that a test reads, and how to replace their contents."""

import builtins
import contextlib
import io
import os
import pathlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Watch", "redirect"]

_MOST = 50_000_000


class Watch:
    """The files below the directory of the test, or its temporary directory, that are opened for reading."""

    def __init__(self, folder: Path, scratch: str) -> None:
        self._scratch = scratch
        self._roots = [os.path.realpath(root) + os.sep for root in (str(folder), scratch)]
        self._is_on = False
        self.files: dict[str, bytes] = {}

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Records the files that are read. The hook stays in this process, which is a fork for one run."""
        sys.addaudithook(self._audit)
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    def _audit(self, event: str, words: tuple[Any, ...]) -> None:
        if event != "open" or not self._is_on or not _reads(words):
            return
        self._is_on = False
        try:
            self._note(words[0])
        finally:
            self._is_on = True

    def _note(self, name: Any) -> None:
        path = _real(name)
        known = _portable(path, self._scratch)
        if known in self.files or not path.startswith(tuple(self._roots)) or _is_code(path):
            return
        with contextlib.suppress(OSError):
            if os.path.isfile(path) and 0 < os.path.getsize(path) <= _MOST:
                with open(path, "rb") as file:
                    self.files[known] = file.read()


def _portable(path: str, scratch: str) -> str:
    """Returns a path with the same meaning in each run: paths in the temporary directory become relative to
    it.
    """
    return os.path.relpath(path, scratch) if path.startswith(scratch + os.sep) else path


def _reads(words: tuple[Any, ...]) -> bool:
    """Returns whether the arguments of an event `open` are those of a file that is only read."""
    if not isinstance(words[0], (str, bytes)):
        return False
    mode, flags = words[1], words[2]
    if isinstance(mode, str):
        return not set(mode) & set("wax+")
    return isinstance(flags, int) and flags & os.O_ACCMODE == os.O_RDONLY and not flags & os.O_CREAT


def _is_code(path: str) -> bool:
    return path.endswith((".py", ".pyc", ".pyi", ".so", ".toml", ".ini", ".cfg")) or f"{os.sep}__pycache__{os.sep}" in path


def _real(name: Any) -> str:
    try:
        return os.path.realpath(os.fsdecode(name))
    except (TypeError, ValueError):
        return ""


@contextlib.contextmanager
def redirect(files: Mapping[str, bytes], scratch: str) -> Iterator[None]:
    """Replaces the contents of these files for code that reads them through `open`, `io.open` or `os.open`.

    Relative paths are below `scratch`.
    """
    if not files:
        yield
        return
    places = {}
    for number, (path, data) in enumerate(files.items()):
        place = os.path.join(scratch, f"file-{number}")
        with open(place, "wb") as file:
            file.write(data)
        places[os.path.join(scratch, path)] = place
    plain, low = builtins.open, os.open

    def opened(file: Any, mode: str = "r", *words: Any, **more: Any) -> Any:
        if isinstance(file, (str, bytes, os.PathLike)) and not set(mode) & set("wax+") and _real(file) in places:
            file = places[_real(file)]
            # Before Python 3.10, `pathlib` passes an opener that opens the original path.
            more.pop("opener", None)
        return plain(file, mode, *words, **more)

    def opened_low(path: Any, flags: int, *words: Any, **more: Any) -> int:
        if flags & os.O_ACCMODE == os.O_RDONLY and not flags & os.O_CREAT:
            path = places.get(_real(path), path)
        return low(path, flags, *words, **more)

    changes: list[tuple[Any, str, Any]] = [(builtins, "open", opened), (io, "open", opened), (os, "open", opened_low)]
    if sys.version_info[:2] == (3, 10):
        changes.append((getattr(pathlib, "_NormalAccessor"), "open", staticmethod(opened)))
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    try:
        for owner, name, function in changes:
            setattr(owner, name, function)
        yield
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)
