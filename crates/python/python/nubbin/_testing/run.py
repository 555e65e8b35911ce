"""One run of one test under pytest, and its observed result.

It takes a configuration of pytest before a session, and leaves no trace: nothing that a session writes for
the next one, and no report.
"""

import os
import sys
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

from .module import collect
from .symptom import Symptom, symptom_of
from .watch import Watch, redirect

__all__ = ["Answered", "Question", "Recorder", "prepare", "run_session"]


@dataclass
class Question:
    """A candidate to run."""

    path: Path
    """The test file."""
    test: str
    """The name of the test in the file: the part of the node ID after the path and `::`."""
    source: Optional[bytes] = None
    """The text of the test file; by default the text on disk."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """Replacements for arguments of the test."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Replacements for the contents of files."""
    is_watched: bool = False
    """Whether the answer contains the imports, the arguments and the files read."""


@dataclass
class Answered:
    """The observed result of a run."""

    symptoms: list[Symptom] = field(default_factory=list)
    """The failures; several if the test's parameters have been renamed."""
    seconds: float = 0.0
    modules: list[str] = field(default_factory=list)
    """The imported modules, in order."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments of the test that can be reduced."""
    files: dict[str, bytes] = field(default_factory=dict)
    """The files read, with their contents."""
    is_late: bool = False
    """Whether the run exceeded its time limit."""


#: Options that make pytest run something else than the one test, or write what outlives the session.
_OPTIONS: dict[str, Any] = {
    "keyword": "", "markexpr": "", "deselect": None, "maxfail": 0, "usepdb": False, "trace": False, "lf": False,
    "failedfirst": False, "newfirst": False, "stepwise": False, "cacheclear": False, "xmlpath": None, "pastebin": None,
    "tbstyle": "no", "durations": None, "setupplan": False, "setuponly": False, "setupshow": False,
    # The options of pytest-xdist, pytest-rerunfailures, pytest-html, pytest-reportlog and pytest-json-report.
    "numprocesses": None, "dist": "no", "tx": [], "looponfail": False, "reruns": None, "htmlpath": None, "report_log": None,
    "json_report": False,
}  # fmt: skip

#: Plugins that write what outlives the session.
_PLUGINS = ("lfplugin", "nfplugin", "stepwiseplugin", "_cov")


class Recorder:
    """The plugin that runs the one test, and records how it fails."""

    def __init__(self, question: Question, scratch: str, told: Callable[[Answered], object]) -> None:
        self.question, self.answered = question, Answered()
        self._scratch, self._told = scratch, told
        self._before = set(sys.modules)
        self._watch = Watch(question.path.parent, scratch)

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Unregisters plugins that write files that outlive the session."""
        for name in _PLUGINS:
            if config.pluginmanager.has_plugin(name):
                config.pluginmanager.unregister(name=name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path, parent: Any) -> Any:
        """Supplies the text of the test file."""
        if self.question.source is None or module_path != self.question.path:
            return None
        return collect(parent, module_path, self.question.source)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Answers immediately if the file cannot be collected, since reporting the error takes longer than
        everything else.
        """
        if report.failed:
            self._told(self.answered)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Selects the one test; or, if its parameters have other names now, all tests of the same function."""
        same = [item for item in items if item.nodeid.partition("::")[2] == self.question.test]
        function = self.question.test.partition("[")[0].rpartition("::")[2]
        items[:] = same[:1] or [item for item in items if _function(item) == function][:20]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, None, None]:
        """Observes what the test imports and reads."""
        with self._watch.reading() if self.question.is_watched else redirect(self.question.files, self._scratch):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, None, None]:
        """Supplies the arguments of the test."""
        wanted = getattr(pyfuncitem, "_fixtureinfo").argnames
        if self.question.is_watched:
            self.answered.arguments = {name: pyfuncitem.funcargs[name] for name in wanted if name in pyfuncitem.funcargs}
        for name, value in self.question.arguments.items():
            if name in pyfuncitem.funcargs:
                pyfuncitem.funcargs[name] = value
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, None]:
        """Records a failure."""
        outcome = yield
        report = outcome.get_result()
        if not report.failed:
            return
        if call.excinfo is None:
            # A test that is marked as failing, but passes.
            self.answered.symptoms.append(Symptom(report.when, "", str(report.longrepr), ""))
            return
        self.answered.symptoms.append(
            symptom_of(
                call.excinfo.value,
                call.excinfo.tb,
                report.when,
                path=str(item.path),
                module=getattr(getattr(item, "module", None), "__name__", ""),
                source=self.question.path.read_bytes() if self.question.source is None else self.question.source,
                scratch=[self._scratch],
            )
        )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Answers without the summary, which takes time and is not displayed."""
        if self.question.is_watched:
            self.answered.modules = [name for name in sys.modules if name not in self._before]
            self.answered.files = self._watch.files
        self._told(self.answered)


def prepare(config: pytest.Config, path: Path, scratch: str) -> None:
    """Configures this pytest to collect the one file, and to write only below a directory."""
    for name, value in _OPTIONS.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    config.option.basetemp = os.path.join(scratch, "tmp")
    config.args = [str(path)]


def run_session(config: pytest.Config, path: Path, scratch: str) -> None:
    """Runs a session with one file in this process, whose pytest has read its settings."""
    prepare(config, path, scratch)
    ours = [plugin for _, plugin in config.pluginmanager.list_name_plugin() if _is_ours(plugin)]
    config.pluginmanager.subset_hook_caller("pytest_cmdline_main", ours)(config=config)


def _is_ours(plugin: Any) -> bool:
    return getattr(plugin, "__name__", "") == "nubbin.pytest_plugin"


def _function(item: pytest.Item) -> str:
    return str(getattr(item, "originalname", None) or item.name)
