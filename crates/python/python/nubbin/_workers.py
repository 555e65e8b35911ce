"""Processes that run a test, several at a time.

They are forked from this one before it has any other thread of Nubbin, so the test, and whatever it refers to, need not be
pickled; only an exception of the test is.
"""

import array
import contextlib
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import Any, Callable, NoReturn, Optional

from . import _nubbin
from ._verdict import Unresolved, code

__all__ = ["places_of", "revive", "workers"]


@contextlib.contextmanager
def workers(jobs: int, test: Callable[[bytes], object]) -> Iterator[Optional["_nubbin.Workers"]]:
    """Workers that give the bytes of each request to `test`; none for one job, which is the caller's own."""
    if jobs < 2:
        yield None
        return
    ends = _nubbin.Workers(jobs)
    parent, processes = os.getpid(), []
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        theirs, ours = ends.theirs(), ends.ours()
        for descriptor in theirs:
            process = os.fork()
            if process == 0:
                _begin(descriptor, ours + [other for other in theirs if other != descriptor], test)
            processes.append(process)
        ends.started()
        yield ends
    finally:
        if os.getpid() == parent:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process, 0)


def _begin(descriptor: int, others: list[int], test: Callable[[bytes], object]) -> NoReturn:
    """A worker's life. Whatever happens, it never comes back to the caller's code."""
    try:
        # An interrupt is the caller's, who ends its workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for other in others:
            os.close(other)
        with open(descriptor, "rb", buffering=0, closefd=False) as reader:
            while request := _read(reader, 4):
                candidate = _read(reader, int.from_bytes(request, "little"))
                if candidate is None:
                    break
                _write(descriptor, _answer(test, candidate))
    except BaseException:  # noqa: B036, what is left of it is said; nobody else hears of it
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(0)


def _read(reader: Any, size: int) -> Optional[bytes]:
    """So many bytes, or nothing once the caller has gone."""
    data = b""
    while len(data) < size:
        more = reader.read(size - len(data))
        if not more:
            return None
        data += more
    return data


def _write(descriptor: int, message: bytes) -> None:
    while message:
        message = message[os.write(descriptor, message) :]


def _answer(test: Callable[[bytes], object], candidate: bytes) -> bytes:
    """The answer of the test, as the caller reads it."""
    try:
        verdict, payload = code(test(candidate)), b""
    except Unresolved:
        verdict, payload = ord("?"), b""
    except BaseException as error:  # the caller's to raise, whatever it is
        verdict, payload = ord("e"), _pickled(error)
    return bytes([verdict]) + len(payload).to_bytes(4, "little") + payload


def _pickled(error: BaseException) -> bytes:
    told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        pickled = pickle.dumps((error, told))
        pickle.loads(pickled)
        return pickled
    except Exception:  # an exception with arguments of its own, or of a class that is in no module
        return pickle.dumps((RuntimeError(f"the test raised {type(error).__name__}: {error}"), told))


class _InWorker(Exception):
    """Carries the traceback of a worker; it is shown as the cause of the exception."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


def revive(pickled: bytes) -> BaseException:
    """The exception of a worker; its traceback there is told as its cause."""
    error, told = pickle.loads(pickled)
    error.__cause__ = _InWorker(told)
    assert isinstance(error, BaseException)
    return error


def places_of(request: bytes) -> list[int]:
    """The places that a request for a configuration names."""
    places = array.array("I")
    places.frombytes(request)
    return places.tolist()


def is_single_threaded() -> bool:
    """Whether forking is safe."""
    return threading.active_count() == 1
