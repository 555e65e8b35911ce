"""The examples of the guide."""

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nubbin

from test_pytest_plugin import is_installed

GUIDE = Path(os.environ.get("NUBBIN_GUIDE") or Path(__file__).parents[3] / "docs" / "guide")

TESTING = (GUIDE / "python-testing.md").read_text()


@pytest.mark.parametrize("page, least", [("python-module.md", 6), ("python-testing.md", 1)])
def test_the_examples_of_the_guide_show_what_it_says(page, least, program, capsys):
    text = (GUIDE / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= least
    names = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for number, block in enumerate(blocks, 1):
        test = parser.get_doctest(block, names, f"block {number}", page, 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out


def pattern(shown):
    """Returns a pattern for the output of a command: `…` matches anything in a line, and alone in a line any
    lines.
    """
    lines = [r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r"\n" for line in shown]
    return "".join(lines)


def test_the_commands_of_the_guide_print_what_it_says(tmp_path, monkeypatch):
    flags = [] if is_installed() else ["-p", "nubbin.pytest_plugin"]
    for name in ("hypothesispytest", "asyncio", "anyio", "xdist", "pytest_cov"):
        flags += ["-p", f"no:{name}"]
    programs = {"pytest": [sys.executable, "-m", "pytest", *flags], "python3": [sys.executable], "cat": ["cat"]}
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "CI", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(Path(nubbin.__file__).parents[1]))
    parts = re.findall(r"^```(\S+)(?: (\S+))?\n(.*?)^```$|<!-- needs: (.*?) -->", TESTING, re.MULTILINE | re.DOTALL)
    commands = 0
    for language, more, block, needed in parts:
        if "atheris" in needed and importlib.util.find_spec("atheris") is None:
            break
        if more.startswith("file="):
            (tmp_path / more[5:]).write_text(block)
        elif (language, more) == ("console", "python"):
            for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                first, *shown = command.splitlines()
                name, *words = first.split()
                run = subprocess.run(
                    [*programs[name], *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120
                )
                printed = run.stdout.decode()
                assert re.fullmatch(pattern(shown), printed if printed.endswith("\n") else printed + "\n"), printed
                commands += 1
    assert commands >= 4
