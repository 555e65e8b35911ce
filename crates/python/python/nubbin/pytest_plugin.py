"""The pytest plugin: its options, and the result files.

It imports nothing else of this package before `--nubbin` is given, since pytest loads it at each start.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any, Optional

import pytest

_PATH = list(sys.path)
_RESULT = re.compile(r".+\.reduced(-\d+)?\.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("nubbin", "reduction of failing tests")
    group.addoption(
        "--nubbin",
        action="store_true",
        help="reduce each failing test to the smallest one with the same failure",
    )
    group.addoption(
        "--nubbin-what",
        choices=["test", "input"],
        help="what to reduce: the test file, or the argument or file that the test reads (default: test)",
    )
    group.addoption(
        "--nubbin-budget",
        type=_seconds,
        metavar="TIME",
        help="time for each test, such as 90s or 5m (default: 60s)",
    )


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|h|)", text.strip())
    if found is None or float(found[1]) == 0:
        import argparse

        raise argparse.ArgumentTypeError(f"`{text}` is not a time: write for example 90s or 5m")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Starts the server before there is a session."""
    if "NUBBIN_PYTEST_RUN" in os.environ:
        from ._testing import fresh

        fresh.answer(config)
        return
    for name in ("what", "budget"):
        if config.getoption(f"nubbin_{name}") is not None and not config.getoption("nubbin"):
            raise pytest.UsageError(f"`--nubbin-{name}` requires `--nubbin`")
    if config.getoption("nubbin") and not hasattr(config, "workerinput") and not config.getoption("collectonly"):
        from ._testing.session import begin

        begin(config, _PATH)


def pytest_ignore_collect(collection_path: Path) -> Optional[bool]:
    """Ignores result files that the user has not named."""
    return True if _RESULT.fullmatch(collection_path.name) else None


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> Any:
    """Collects a result file, whose name is not the name of a module."""
    if not _RESULT.fullmatch(module_path.name):
        return None
    from ._testing.module import collect

    return collect(parent, module_path)
