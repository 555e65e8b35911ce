"""The corpus and the program, which several tests need."""

import os
import subprocess
from pathlib import Path

import pytest

CORPUS = Path(os.environ.get("NUBBIN_CORPUS") or Path(__file__).parents[3] / "corpus")


@pytest.fixture(scope="session")
def program():
    """Returns the program of the same version."""
    from nubbin._program import program

    found = program()
    if found is None:
        pytest.skip("needs the program: NUBBIN_PROGRAM names it")
    return found


class Case:
    """A case of the corpus."""

    def __init__(self, name):
        self.folder = CORPUS / name
        self.oracle = self.folder / "oracle"
        (self.input,) = self.folder.glob("input.*")

    def asked(self, path):
        """Runs the oracle on a file."""
        return subprocess.run([self.oracle, path], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0

    def by_program(self, program, tmp_path, *options):
        """Returns the result of the program."""
        place = tmp_path / f"by-program{self.input.suffix}"
        words = [program, "--output", place, "--no-config", "--formatter", "none", "--preprocessor", "none", "--no-journal"]
        subprocess.run([*words, *options, self.oracle, self.input], check=True, capture_output=True)
        return place.read_bytes()


def _names():
    """Returns small cases whose oracles need only Python; with NUBBIN_WHOLE_CORPUS all cases, which take half
    an hour.
    """
    if os.environ.get("NUBBIN_WHOLE_CORPUS"):
        return sorted(found.parent.name for found in CORPUS.glob("*/oracle"))
    return ["json-infinity", "log-lost-worker", "python-unparse-with"]


@pytest.fixture(params=_names())
def case(request):
    """Returns a case of the corpus whose oracle finds its failure here."""
    found = Case(request.param)
    if not found.asked(found.input):
        pytest.skip(f"the oracle of {request.param} does not find its failure here")
    return found
