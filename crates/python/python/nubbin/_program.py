"""The program `nubbin` that was installed with this module."""

import functools
import os
import shutil
import subprocess
from pathlib import Path
from typing import Optional

from . import _nubbin

__all__ = ["program"]


@functools.lru_cache(maxsize=None)
def program() -> Optional[Path]:
    """Returns the program of the same version, which runs a command in a sandbox: next to this module, or in
    `PATH`.
    """
    for path in _places():
        if path.is_file() and os.access(path, os.X_OK) and _version(path) == _nubbin.VERSION:
            return path.resolve()
    return None


def _places() -> list[Path]:
    import importlib.metadata  # takes longer than the rest of the module

    places = []
    named = os.environ.get("NUBBIN_PROGRAM")
    if named:
        places.append(Path(named))
    try:
        files = importlib.metadata.files("nubbin") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    places += [Path(str(file.locate())) for file in files if file.name == "nubbin"]
    found = shutil.which("nubbin")
    return places + ([Path(found)] if found else [])


def _version(path: Path) -> Optional[str]:
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    words = said.split()
    return words[1] if len(words) > 1 else None
