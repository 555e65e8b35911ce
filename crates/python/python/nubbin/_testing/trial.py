"""A failed test, and the runs of its candidates."""

import ast
import warnings
from pathlib import Path
from typing import Any, Optional

import pytest

from . import fresh
from .run import Answered, Question
from .server import Server
from .symptom import Expected, Symptom

__all__ = ["Stop", "Trial"]


class Stop(Exception):
    """The reason why a test is not reduced, for the summary."""


class Trial:
    """A test, the failure that it must keep, and the processes that run it."""

    def __init__(self, config: pytest.Config, server: Server, path: Path, test: str, places: list[str]) -> None:
        self.config, self.path, self.test = config, path, test
        self.source = path.read_bytes()
        self.runs = 0
        self.is_interrupted = False
        self.seen = Answered()
        self._bare, self._places = server, places
        self._loaded: Optional[Server] = None
        self._limit = 600.0
        self._trusted: set[str] = set()
        self._has_function = False
        self._expected: Optional[Expected] = None

    def learn(self, crash: Optional[str], budget: float) -> None:
        """Runs the unchanged test: in a separate process, in a fork, and in forks with its modules loaded.

        `crash` is the message of the failure in the session. Raises `Stop` if the test does not fail when it
        is run alone, or not always in the same way.
        """
        limit = max(60.0, 2 * budget)
        alone = fresh.run(self.config, self.path, self.test, limit, self._places)
        if alone is None:
            raise Stop(f"not reduced: it takes more than {limit:.0f} s")
        first = self._failing(alone, "it does not fail again when it is run alone")
        if crash is not None and not _is_like(first, crash):
            raise Stop(f"not reduced: run alone it fails in another way, with {first.type}; nothing was written")
        self.seen = self._bare.run(self._question(self.source, is_watched=True), limit)
        seen = [first, self._failing(self.seen.symptoms, "it does not fail every time")]
        # Computed from a run that imports everything, with a margin for a busier machine.
        self._limit = max(2.0, 5 * self.seen.seconds + 1)
        self._loaded = self._bare.load(self.seen.modules, self.path)
        again = self._loaded.run(self._question(self.source), limit)
        if again.symptoms:
            seen.append(again.symptoms[0])
        else:
            # The imported modules have changed, or the test is flaky: the next run decides.
            self.forget_modules()
        seen.append(self._failing(self._run(self._question(self.source)).symptoms, "it does not fail every time"))
        try:
            self._expected = Expected(seen)
        except ValueError:
            raise Stop("not reduced: it fails in different ways; nothing was written") from None
        self.runs = 0
        tree = ast.parse(self.source)
        self._trusted, self._has_function = {_imports(tree)}, _has_function(tree, self.test)

    def _failing(self, symptoms: list[Symptom], otherwise: str) -> Symptom:
        if not symptoms:
            raise Stop(f"not reduced: {otherwise}; nothing was written")
        return symptoms[0]

    def forget_modules(self) -> None:
        """From now on each candidate imports its modules itself."""
        if self._loaded is not None:
            self._loaded.end()
            self._loaded = None

    @property
    def has_modules(self) -> bool:
        """Returns whether modules were imported before the candidates run."""
        return self._loaded is not None

    def fails(self, source: bytes) -> bool:
        """Returns whether a test file has the same failure."""
        tree = self._compiled(source)
        if tree is None:
            return False
        if not self._has_failure(self._run(self._question(source))):
            return False
        imports = _imports(tree)
        if self._loaded is not None and imports not in self._trusted:
            # The module may exist only because it was imported before.
            self.runs += 1
            if not self._has_failure(self._bare.run(self._question(source), self._limit)):
                return False
        self._trusted.add(imports)
        return True

    def _compiled(self, source: bytes) -> Optional[ast.Module]:
        """Returns the tree of a test file if it compiles and still contains the test's function, or if the
        original did not contain it.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
                compile(tree, str(self.path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return tree if self._has_function <= _has_function(tree, self.test) else None

    def fails_with(self, arguments: dict[str, Any], files: dict[str, bytes]) -> bool:
        """Returns whether the test has the same failure with these arguments, and these contents of files.

        The values in the message are ignored, since they come from these inputs.
        """
        question = self._question(self.source)
        question.arguments, question.files = arguments, files
        symptoms = self._run(question).symptoms
        return self._expected is not None and self._expected.is_with_other_values_in(symptoms)

    def fails_alone(self, path: Path) -> bool:
        """Returns whether a test file on disk has the same failure in a separate process."""
        found = fresh.run(self.config, path, self.test, 10 * self._limit + 60, self._places)
        return self._expected is not None and self._expected.is_in(found or [])

    def end(self) -> None:
        """Ends the processes for this test."""
        self.forget_modules()

    def _question(self, source: bytes, is_watched: bool = False) -> Question:
        return Question(self.path, self.test, source, is_watched=is_watched)

    def _run(self, question: Question) -> Answered:
        self.runs += 1
        return (self._loaded or self._bare).run(question, self._limit)

    def _has_failure(self, answered: Answered) -> bool:
        return self._expected is not None and self._expected.is_in(answered.symptoms)


def _imports(tree: ast.AST) -> str:
    """Returns everything that a file imports, in order."""
    return "\n".join(ast.dump(node) for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))


def _has_function(tree: ast.AST, test: str) -> bool:
    name = test.partition("[")[0].rpartition("::")[2]
    return any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name for node in ast.walk(tree))


def _is_like(symptom: Symptom, crash: str) -> bool:
    """Returns whether a message of pytest is about an exception of the same type."""
    kind = symptom.type.rpartition(".")[2]
    if kind == "AssertionError" and crash.startswith("assert"):
        return True
    return not kind or kind in crash.partition(":")[0]
