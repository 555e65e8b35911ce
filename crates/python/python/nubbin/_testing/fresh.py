"""A run of pytest in a separate process, as started by a user."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Optional

import pytest

from .run import Answered, Question, Recorder, prepare
from .symptom import Symptom

__all__ = ["VARIABLE", "answer", "run"]

VARIABLE = "NUBBIN_PYTEST_RUN"
"""The environment variable with the directory of the question and the answer."""

_BEGIN = "import sys; sys.path[:] = {path!r}; import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def run(config: pytest.Config, path: Path, test: str, seconds: float, places: list[str]) -> Optional[list[Symptom]]:
    """Returns the failures of a test in a file, with the options of this pytest and this module path.

    Returns `None` if the run was ended after this number of seconds.
    """
    typed = [str(word) for word in config.invocation_params.args]
    for word in getattr(config.option, "file_or_dir", None) or ():
        if word in typed:
            typed.remove(word)
    with tempfile.TemporaryDirectory(prefix="nubbin-") as folder:
        place = Path(os.path.realpath(folder))
        (place / "question").write_bytes(pickle.dumps(Question(path, test)))
        process = subprocess.Popen(
            [sys.executable, "-c", _BEGIN.format(path=places), *typed, str(path)],
            cwd=config.invocation_params.dir,
            env={**os.environ, VARIABLE: str(place)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        answer = place / "answer"
        return list(pickle.loads(answer.read_bytes())) if answer.is_file() else []


def answer(config: pytest.Config) -> None:
    """Runs the question for which this pytest was started."""
    place = os.environ.pop(VARIABLE)
    question: Question = pickle.loads(Path(place, "question").read_bytes())
    prepare(config, question.path, place)
    config.pluginmanager.register(Recorder(question, place, lambda answered: _write(place, answered)), "nubbin-recorder")


def _write(place: str, answered: Answered) -> None:
    Path(place, "answer").write_bytes(pickle.dumps(answered.symptoms))
