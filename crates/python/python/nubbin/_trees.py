"""Syntax trees."""

from dataclasses import dataclass
from typing import Optional, Union

from . import _nubbin
from ._nubbin import Node
from ._reduce import encoded

__all__ = ["Language", "Node", "languages", "parse"]


@dataclass(frozen=True)
class Language:
    """A built-in language."""

    name: str
    title: str
    extensions: tuple[str, ...]
    """The extensions of its files, without a dot."""


def languages() -> list[Language]:
    """Returns the built-in languages, whose texts are reduced by their syntax."""
    return [Language(name, title, tuple(endings)) for name, title, endings in _nubbin.languages()]


def parse(text: Union[str, bytes], language: Optional[str] = None) -> Node:
    """Returns the root of the syntax tree of a text, in this language or in the detected one."""
    is_text = isinstance(text, str)
    return _nubbin.parse(encoded(text) if isinstance(text, str) else bytes(text), is_text, language)
