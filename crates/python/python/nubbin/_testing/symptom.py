"""The failure of a test: what is observed, and which part of it must stay the same.

This module does not run tests.
"""

import ast
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Optional

__all__ = ["Expected", "Symptom", "stable", "symptom_of", "without_values"]


@dataclass(frozen=True)
class Symptom:
    """A failure that was observed in one run."""

    when: str
    """`setup`, `call` or `teardown`."""
    type: str
    """The type of the exception, without a module if it is defined in the test file."""
    message: str
    """The message, without addresses and temporary directories."""
    place: str
    """The text of the failed assertion; outside of the test file, the file and function of the innermost frame."""


def symptom_of(
    error: BaseException,
    traceback: Optional[TracebackType],
    when: str,
    *,
    path: str,
    module: str,
    source: bytes,
    scratch: Sequence[str] = (),
) -> Symptom:
    """Returns the failure of an exception.

    `path`, `module` and `source` are those of the test file; `scratch` contains directories that exist for
    one run only.
    """
    names = {path: "TEST", module: "TEST", **{place: "TMP" for place in scratch}}
    return Symptom(
        when=when,
        type=_type(error, module),
        message=stable("\n".join(_messages(error, module)), names),
        place=_place(error, traceback, path, source),
    )


def _type(error: BaseException, module: str) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == module else f"{kind.__module__}.{kind.__qualname__}"


def _messages(error: BaseException, module: str) -> list[str]:
    """Returns the message, and those of all exceptions in a group."""
    try:
        messages = [str(error)]
    except Exception:  # a user class may raise anything
        messages = [""]
    for inner in getattr(error, "exceptions", ()):
        if isinstance(inner, BaseException):
            messages += [f"{_type(inner, module)}: {text}" for text in _messages(inner, module)]
    return messages


def stable(message: str, names: dict[str, str]) -> str:
    """Returns a message without the parts that differ between runs; `names` maps texts to replacements."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        message = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", names[name], message)
    message = re.sub(r"\b0x[0-9a-fA-F]{4,}\b", "0x", message)
    return re.sub(r"[^\s'\"]*pytest-of-[^/\s]+/pytest-\d+", "TMP", message)


def without_values(message: str) -> str:
    """Returns a message without quoted text, numbers, and the items of collections, so that it does not
    depend on values.

    For an assertion that pytest explains, only the text of the test's author is kept.
    """
    lines = message.split("\n")
    explained = next((number for number, line in enumerate(lines) if line.startswith("assert ")), len(lines))
    text = "\n".join(lines[:explained])
    text = re.sub(r"""[bru]?('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")""", "TEXT", text)
    text = re.sub(r"[-+]?\b\d[\w.]*", "0", text)
    before = ""
    while before != text:
        before, text = text, re.sub(r"\[[^][(){}]*\]|\([^][(){}]*\)|\{[^][(){}]*\}", "ITEMS", text)
    return text


def _place(error: BaseException, traceback: Optional[TracebackType], path: str, source: bytes) -> str:
    if traceback is None:
        return ""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    if code.co_filename != path:
        folder, name = os.path.split(code.co_filename)
        return f"{os.path.basename(folder)}/{name}: {code.co_name}"
    return _assertion(source, traceback.tb_lineno) if isinstance(error, AssertionError) else ""


def _assertion(source: bytes, line: int) -> str:
    """Returns the text of the innermost assertion on this line."""
    found = ""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or node.lineno):
            found = "assert " + ast.unparse(node.test)
    return found


def _words(line: str) -> list[str]:
    return re.findall(r"\w+|\s+|.", line)


class Expected:
    """The failure that must stay: the common part of several runs."""

    def __init__(self, seen: Sequence[Symptom]) -> None:
        """Learns the failure from runs of the same test. Raises `ValueError` if they failed in different
        ways.
        """
        first = seen[0]
        if any((one.when, one.type, one.place) != (first.when, first.type, first.place) for one in seen):
            raise ValueError("the test fails in different ways")
        self.first = first
        self._lines = _common([one.message for one in seen])

    def is_in(self, symptoms: Sequence[Symptom]) -> bool:
        """Returns whether one of these is the same failure."""
        return any(self._is(symptom) for symptom in symptoms)

    def is_with_other_values_in(self, symptoms: Sequence[Symptom]) -> bool:
        """Returns whether one of these is the same failure except for the values in its message."""
        return any(_without_values(symptom) == _without_values(self.first) for symptom in symptoms)

    def _is(self, other: Symptom) -> bool:
        if (other.when, other.type, other.place) != (self.first.when, self.first.type, self.first.place):
            return False
        if self._lines is None:
            return True
        lines = other.message.split("\n")
        return len(lines) == len(self._lines) and all(map(_is_like, self._lines, lines))


def _without_values(symptom: Symptom) -> Symptom:
    return replace(symptom, message=without_values(symptom.message))


Pattern = Optional[list[Optional[str]]]
"""The words of a line, with `None` for words that differ between runs; `None` for a line that differs completely."""


def _common(messages: Sequence[str]) -> Optional[list[Pattern]]:
    """Returns the patterns of all lines, if their number is always the same."""
    texts = [message.split("\n") for message in messages]
    if len({len(lines) for lines in texts}) > 1:
        return None
    return [_pattern([_words(line) for line in lines]) for lines in zip(*texts)]


def _pattern(lines: Sequence[list[str]]) -> Pattern:
    if len({len(words) for words in lines}) > 1:
        return None
    return [words[0] if len(set(words)) == 1 else None for words in zip(*lines)]


def _is_like(pattern: Pattern, line: str) -> bool:
    if pattern is None:
        return True
    words = _words(line)
    return len(words) == len(pattern) and all(told in (None, word) for told, word in zip(pattern, words))
