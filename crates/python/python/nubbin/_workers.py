"""Processes that run a test, several at a time.

A nursery is forked from this process before it has any other thread of Nubbin, and forks the workers. The
test and everything that it references therefore need not be pickled, and a worker whose answer is no longer
needed can be replaced at any time. Each worker leads its own process group, and is killed together with it.
When this process ends, all of them end.
"""

import array
import contextlib
import os
import pickle
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import Any, Callable, NoReturn, Optional

from . import _nubbin
from ._verdict import Unresolved, code

__all__ = ["places_of", "revive", "workers"]

Test = Callable[[bytes], object]


@contextlib.contextmanager
def workers(jobs: int, test: Test) -> Iterator[Optional["_nubbin.Workers"]]:
    """Yields workers that call `test` with the bytes of each request, or `None` for one job, which runs in
    the caller.
    """
    if jobs < 2:
        yield None
        return
    nursery = _Nursery(test)
    try:
        yield _nubbin.Workers(jobs, nursery.replace)
    finally:
        nursery.end()


class _Nursery:
    """A parent's view of a process that forks workers."""

    def __init__(self, test: Test) -> None:
        self._socket, theirs = socket.socketpair()
        self._lock = threading.Lock()
        sys.stdout.flush()
        sys.stderr.flush()
        self._process = os.fork()
        if self._process == 0:
            self._socket.close()
            _nurse(theirs, test)
        theirs.close()

    def replace(self, process: int, descriptor: int) -> int:
        """Ends a worker, if the number is not 0, and starts another one, which receives requests through this
        socket.
        """
        with self._lock:
            socket.send_fds(self._socket, [process.to_bytes(4, "little")], [descriptor])
            started = self._socket.recv(4)
        if len(started) < 4:
            raise RuntimeError("cannot start a process for the test")
        return int.from_bytes(started, "little")

    def end(self) -> None:
        """Ends all workers."""
        self._socket.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)


def _nurse(control: socket.socket, test: Test) -> NoReturn:
    """Runs the nursery. It never returns to the caller's code, whatever happens."""
    processes: set[int] = set()
    try:
        # Signals from the terminal are for the caller.
        os.setpgid(0, 0)
        while True:
            message, descriptors, _, _ = socket.recv_fds(control, 4, 1)
            if len(message) < 4 or not descriptors:
                break
            _finish(processes, int.from_bytes(message, "little"))
            process = os.fork()
            if process == 0:
                control.close()
                processes.clear()
                _work(descriptors[0], test)
            processes.add(process)
            os.close(descriptors[0])
            control.sendall(process.to_bytes(4, "little"))
    except BaseException:  # the error is printed, and the caller notices that no worker starts
        traceback.print_exc()
    finally:
        for process in list(processes):
            _finish(processes, process)
        os._exit(0)


def _finish(processes: set[int], process: int) -> None:
    """Kills a worker and all processes that it has started."""
    if process not in processes:
        return
    processes.discard(process)
    # The group exists only after the worker has created it.
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(process, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)


def _work(descriptor: int, test: Test) -> NoReturn:
    """Runs a worker."""
    try:
        os.setpgid(0, 0)
        with open(descriptor, "rb", buffering=0, closefd=False) as reader:
            while request := _read(reader, 4):
                candidate = _read(reader, int.from_bytes(request, "little"))
                if candidate is None:
                    break
                _write(descriptor, _answer(test, candidate))
    except BaseException:  # the error is printed, and the caller notices that the worker has ended
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(0)


def _read(reader: Any, size: int) -> Optional[bytes]:
    """Returns this number of bytes, or `None` if the caller has disconnected."""
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


def _answer(test: Test, candidate: bytes) -> bytes:
    """Returns the encoded answer of the test."""
    try:
        verdict, payload = code(test(candidate)), b""
    except Unresolved:
        verdict, payload = ord("?"), b""
    except BaseException as error:  # any exception is raised in the caller
        verdict, payload = ord("e"), _pickled(error)
    return bytes([verdict]) + len(payload).to_bytes(4, "little") + payload


def _pickled(error: BaseException) -> bytes:
    told = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        pickled = pickle.dumps((error, told))
        pickle.loads(pickled)
        return pickled
    except Exception:  # an exception with a special constructor, or of a class that is not in a module
        return pickle.dumps((RuntimeError(f"the test raised {type(error).__name__}: {error}"), told))


class _InWorker(Exception):
    """Carries the traceback of a worker; it is shown as the cause of the exception."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


def revive(pickled: bytes) -> BaseException:
    """Returns the exception of a worker, with its traceback there as the cause."""
    error, told = pickle.loads(pickled)
    error.__cause__ = _InWorker(told)
    assert isinstance(error, BaseException)
    return error


def places_of(request: bytes) -> list[int]:
    """Returns the positions in a request for a configuration."""
    places = array.array("I")
    places.frombytes(request)
    return places.tolist()
