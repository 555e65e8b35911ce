"""A process that has loaded pytest, and forks for each candidate.

It is forked from pytest before there is a session: plugins, settings and conftest files are loaded, and no
test has run. It forks other servers that have imported more modules, and have started a session up to its
collection. Each candidate runs in a fork with its own process group, which is killed together with all
processes that it has started. The servers end when their clients have disconnected.
"""

import contextlib
import gc
import importlib
import os
import pickle
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, Optional

import pytest

from .module import make_importable
from .run import Answered, Question, Recorder, run_session

__all__ = ["Server", "ServerGone", "start"]


class ServerGone(RuntimeError):
    """The server no longer responds."""


class Server:
    """A client's view of a server."""

    def __init__(self, link: socket.socket, process: Optional[int] = None) -> None:
        self._link, self._process = link, process

    def run(self, question: Question, seconds: float) -> Answered:
        """Runs a candidate with a time limit."""
        self._send(("run", question, seconds))
        answered = _receive(self._link)
        if not isinstance(answered, Answered):
            raise ServerGone("the process that runs the candidates has ended")
        return answered

    def load(self, modules: Sequence[str], path: Path) -> "Server":
        """Returns another server, which has imported these modules as the test file would."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._send(("load", list(modules), path))
            socket.send_fds(self._link, [b"+"], [theirs.fileno()])
        return Server(ours)

    def end(self) -> None:
        """Ends the server and its runs."""
        self._link.close()
        if self._process is not None:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._process, 0)
            self._process = None

    def _send(self, message: Any) -> None:
        try:
            _send(self._link, message)
        except OSError as error:
            raise ServerGone("the process that runs the candidates has ended") from error


def start(config: pytest.Config) -> Server:
    """Forks a server from a pytest that has read its settings, and has not started a session."""
    ours, theirs = socket.socketpair()
    process = _fork()
    if process == 0:
        ours.close()
        _live(theirs, config)
    theirs.close()
    return Server(ours, process)


def _fork() -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # An imported module may have started a thread.
        warnings.simplefilter("ignore")
        return os.fork()


def _live(link: socket.socket, config: pytest.Config) -> NoReturn:
    """Runs a server. It never returns to pytest, whatever happens."""
    try:
        # Signals from the terminal are for pytest itself.
        os.setpgid(0, 0)
        _silence(config)
        with _scratch() as scratch:
            _begin(_serve(link, config, scratch), config, scratch)
    except BaseException:  # the client notices that there is no answer
        pass
    finally:
        os._exit(0)


def _live_loaded(link: socket.socket, config: pytest.Config, modules: Sequence[str], path: Path) -> NoReturn:
    """Runs a server that has imported modules and stops before a collection."""
    try:
        _import(modules, path, config)
        with _scratch() as scratch:
            config.pluginmanager.register(_Waiting(link, scratch), "nubbin-waiting")
            run_session(config, path, scratch)
    except BaseException:  # the client notices that there is no answer
        pass
    finally:
        os._exit(0)


class _Waiting:
    """The plugin that stops a session before its collection, and continues in a fork for each candidate."""

    def __init__(self, link: socket.socket, scratch: str) -> None:
        self._link, self._scratch = link, scratch

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Returns only in forks."""
        recorder = _serve(self._link, session.config, self._scratch)
        session.config.pluginmanager.register(recorder, "nubbin-recorder")


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    """Yields a directory for the files that the runs write. The server removes it, but forks that end by
    `os._exit` do not.
    """
    place = os.path.realpath(tempfile.mkdtemp(prefix="nubbin-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _begin(recorder: Recorder, config: pytest.Config, scratch: str) -> None:
    config.pluginmanager.register(recorder, "nubbin-recorder")
    run_session(config, recorder.question.path, scratch)


def _serve(link: socket.socket, config: pytest.Config, scratch: str) -> Recorder:
    """Serves requests until the client disconnects. It returns only in the forks for candidates."""
    gc.freeze()
    while True:
        message = _receive(link)
        if message is None:
            raise EOFError
        if message[0] == "run":
            recorder = _answer(link, message[1], message[2], scratch)
            if recorder is not None:
                return recorder
            continue
        _, descriptors, _, _ = socket.recv_fds(link, 1, 1)
        if _fork() == 0:
            link.close()
            _live_loaded(socket.socket(fileno=descriptors[0]), config, message[1], message[2])
        os.close(descriptors[0])


def _silence(config: pytest.Config) -> None:
    """Discards all output, and separates it from pytest's own capturing."""
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    if capture is not None and getattr(capture, "_global_capturing", None) is not None:
        # Not `stop_global_capturing`, which would take output that the other process is going to show.
        capture._global_capturing.stop_capturing()
        capture._global_capturing = None
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    if capture is not None:
        capture.start_global_capturing()
        capture.suspend_global_capture()


def _import(modules: Sequence[str], path: Path, config: pytest.Config) -> None:
    """Imports the modules that the test file has imported, if they can be found without it."""
    own = make_importable(config, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in modules:
            if name == own or name.endswith("conftest") or name in sys.modules:
                continue
            with contextlib.suppress(BaseException):  # each candidate then imports it itself
                importlib.import_module(name)


def _answer(link: socket.socket, question: Question, seconds: float, scratch: str) -> Optional[Recorder]:
    """Answers with the result of a run in a fork. In the fork it returns the recorder to run, elsewhere
    `None`.
    """
    begun = time.monotonic()
    reader, writer = os.pipe()
    child = _fork()
    if child == 0:
        os.setpgid(0, 0)
        link.close()
        os.close(reader)
        return Recorder(question, scratch, lambda answered: _tell(answered, writer))
    os.close(writer)
    try:
        answered = _read(reader, link, begun + seconds)
    finally:
        os.close(reader)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
        for entry in os.scandir(scratch):
            shutil.rmtree(entry.path, ignore_errors=True) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
    answered.seconds = time.monotonic() - begun
    _send(link, answered)
    return None


def _tell(answered: Answered, writer: int) -> NoReturn:
    """Ends a run and sends its result."""
    answered.arguments = {name: value for name, value in answered.arguments.items() if _can_be_sent(value)}
    message = pickle.dumps(answered)
    with open(writer, "wb", closefd=False) as file:
        file.write(len(message).to_bytes(8, "little") + message)
    os._exit(0)


def _can_be_sent(value: object) -> bool:
    """Returns whether a value has a type that can be reduced."""
    return isinstance(value, (str, bytes, list, tuple, set, frozenset, dict)) and _is_plain(value)


def _is_plain(value: object) -> bool:
    try:
        return bool(pickle.loads(pickle.dumps(value)) == value)
    except Exception:
        return False


def _read(reader: int, link: socket.socket, end: float) -> Answered:
    """Returns the result of the fork, with a time limit. The client may have disconnected; then the result is
    not needed.
    """
    watched: list[Any] = [reader, link]
    data = b""
    while len(data) < 8 or len(data) < 8 + int.from_bytes(data[:8], "little"):
        ready, _, _ = select.select(watched, [], [], max(0.0, end - time.monotonic()))
        if link in ready:
            raise EOFError
        if not ready:
            return Answered(is_late=True)
        more = os.read(reader, 1 << 16)
        if not more:
            return Answered()
        data += more
    answered: Answered = pickle.loads(data[8:])
    return answered


def _send(link: socket.socket, message: Any) -> None:
    data = pickle.dumps(message)
    link.sendall(len(data).to_bytes(8, "little") + data)


def _receive(link: socket.socket) -> Any:
    """Returns the next message, or `None` if the other side has disconnected."""
    size = _exactly(link, 8)
    data = None if size is None else _exactly(link, int.from_bytes(size, "little"))
    return None if data is None else pickle.loads(data)


def _exactly(link: socket.socket, size: int) -> Optional[bytes]:
    data = b""
    while len(data) < size:
        try:
            more = link.recv(min(size - len(data), 1 << 20))
        except ConnectionError:
            return None
        if not more:
            return None
        data += more
    return data
