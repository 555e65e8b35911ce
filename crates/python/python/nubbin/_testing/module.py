"""A test file whose text differs from that on disk, or whose name is not the name of a module."""

import ast
import importlib
import importlib.util
import linecache
import sys
from importlib.abc import InspectLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Optional

import pytest

__all__ = ["TextModule", "collect", "make_importable"]


def collect(parent: Any, path: Path, source: Optional[bytes] = None) -> "TextModule":
    """Returns the collector of a test file with this text, by default that on disk."""
    module: TextModule = TextModule.from_parent(parent, path=path)
    module.nubbin_source = source
    return module


class TextModule(pytest.Module):
    """A test module that is compiled from a text."""

    nubbin_source: Optional[bytes] = None

    def _getobj(self) -> ModuleType:
        if self.nubbin_source is None:
            return _load(self.config, self.path, self.path.read_bytes())
        try:
            return _load(self.config, self.path, self.nubbin_source)
        except Exception as error:
            # The traceback is not needed, and formatting it takes longer than everything else.
            raise self.CollectError(str(error)) from None


def make_importable(config: pytest.Config, path: Path) -> str:
    """Adds the directory of a test file to `sys.path` as pytest does, and returns the name of its module."""
    names, root = [path.stem.replace(".", "_")], path.parent
    while (root / "__init__.py").is_file():
        names, root = [root.name, *names], root.parent
    mode = config.getoption("importmode", "prepend")
    if mode == "append" and str(root) not in sys.path:
        sys.path.append(str(root))
    elif mode == "prepend" and sys.path[:1] != [str(root)]:
        sys.path.insert(0, str(root))
    return ".".join(names)


def _load(config: pytest.Config, path: Path, source: bytes) -> ModuleType:
    name = make_importable(config, path)
    package, _, last = name.rpartition(".")
    outer = _package(package, str(path.parents[name.count(".")])) if package else None
    # Tracebacks and `inspect` then use this text.
    text = importlib.util.decode_source(source)
    linecache.cache[str(path)] = (len(source), None, text.splitlines(keepends=True), str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(config, path, source))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    if outer is not None:
        setattr(outer, last, module)
    return module


def _package(name: str, root: str) -> ModuleType:
    """Returns a package of tests, which is not on `sys.path` if `--import-mode` is `importlib`."""
    try:
        return importlib.import_module(name)
    except ImportError:
        sys.path.insert(0, root)
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(root)


class _Loader(InspectLoader):
    """Compiles a text as pytest does, with rewritten assertions."""

    def __init__(self, config: pytest.Config, path: Path, source: bytes) -> None:
        self._config, self._path, self._source = config, path, source

    def get_filename(self, fullname: str) -> str:
        return str(self._path)

    def get_source(self, fullname: str) -> str:
        return importlib.util.decode_source(self._source)

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self._source, filename=str(self._path))
        if self._config.getoption("assertmode", "rewrite") == "rewrite":
            from _pytest.assertion.rewrite import rewrite_asserts

            rewrite_asserts(tree, self._source, str(self._path), self._config)
        return compile(tree, str(self._path), "exec", dont_inherit=True)

    def is_package(self, fullname: str) -> bool:
        return False
