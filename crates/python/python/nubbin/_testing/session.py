"""The failed tests of a pytest session, and the final line about each."""

import os
from pathlib import Path
from typing import Any, Optional

import pytest

from .._failure import Failure
from .._verdict import NotFailing
from .server import Server, ServerGone, start
from .trial import Stop, Trial

__all__ = ["begin"]


def begin(config: pytest.Config, places: list[str]) -> None:
    """Starts the server, and records failing tests from now on. `places` is the original `sys.path`."""
    config.pluginmanager.register(Failing(config, places, start(config)), "nubbin-failing")


class Failing:
    """The plugin that reduces failed tests."""

    def __init__(self, config: pytest.Config, places: list[str], server: Server) -> None:
        self._config, self._places, self._server = config, places, server
        self._failed: dict[str, Any] = {}
        self._functions: dict[str, str] = {}
        self._is_interrupted = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Records a failed test; with pytest-xdist, from any process."""
        if report.failed:
            self._failed.setdefault(report.nodeid, report)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Reduces the tests, and prints a line for each."""
        if not self._failed:
            return
        terminalreporter.write_sep("=", "nubbin")
        left = dict(self._failed)
        try:
            for node, report in self._failed.items():
                said = self._like(node) or self._reduced(node, report, terminalreporter)
                terminalreporter.write_line(f"{node}: {said}")
                del left[node]
                if self._is_interrupted:
                    break
        except KeyboardInterrupt:
            self._is_interrupted = True
        if self._is_interrupted and left:
            tests = "tests were" if len(left) > 1 else "test was"
            terminalreporter.write_line(f"interrupted: {len(left)} {tests} not reduced")

    def pytest_unconfigure(self) -> None:
        """Ends the server."""
        self._server.end()

    def _like(self, node: str) -> Optional[str]:
        """Returns the reason why a test is skipped: the same function was reduced with other parameters."""
        known = self._functions.get(node.partition("[")[0])
        return None if known is None else f"not reduced, because {known} was"

    def _reduced(self, node: str, report: pytest.TestReport, reporter: Any) -> str:
        name, _, test = node.partition("::")
        path = Path(os.path.realpath(self._config.rootpath / name))
        if path.suffix != ".py" or not test or not path.is_file():
            return "not reduced: it is not a test in a Python file"
        trial = Trial(self._config, self._server, path, test, self._places)
        budget: float = self._config.option.nubbin_budget or 60.0
        show = _progress(reporter, node)
        try:
            trial.learn(_crash(report), budget)
            if self._config.getoption("nubbin_what") == "input":
                from .inputs import reduce_input

                said = reduce_input(trial, budget, show)
            else:
                from .files import reduce_file

                said = reduce_file(trial, budget, show)
                self._functions[node.partition("[")[0]] = node
        except Stop as stop:
            return str(stop)
        except ServerGone as error:
            # The process of the server may have been killed, or may be out of memory.
            return f"not reduced: {error}"
        except OSError as error:
            return f"cannot write the result: {error}"
        except (NotFailing, Failure):
            return "not reduced: it does not fail every time; nothing was written"
        finally:
            show(None)
            trial.end()
            self._is_interrupted = trial.is_interrupted
        return said


def _crash(report: pytest.TestReport) -> Optional[str]:
    """Returns the message of a failure in a report, if it has one."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return None if crash is None else str(crash.message)


def _progress(reporter: Any, node: str) -> Any:
    """Returns a function that shows the current size, or clears it, on a terminal."""
    shown: list[Optional[int]] = []

    def show(tokens: Optional[int]) -> None:
        if getattr(reporter, "isatty", False) and (tokens is not None or shown):
            shown[:] = [tokens]
            reporter.rewrite("" if tokens is None else f"{node}: {tokens} tokens", erase=True)

    return show
