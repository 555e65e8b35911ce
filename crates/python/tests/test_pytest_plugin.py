"""`pytest --nubbin`, as run by its users."""

import importlib.metadata
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import nubbin

pytest_plugins = "pytester"

ROOT = Path(nubbin.__file__).parents[1]


def is_installed():
    """Returns whether pytest finds the plugin automatically."""
    try:
        points = importlib.metadata.distribution("nubbin").entry_points
    except importlib.metadata.PackageNotFoundError:
        return False
    return any(point.group == "pytest11" for point in points)


class Project:
    """A directory with tests, in which pytest runs in a separate process."""

    def __init__(self, pytester, monkeypatch):
        self.path, self._pytester = pytester.path, pytester
        (self.path / "temporary").mkdir()
        monkeypatch.setenv("TMPDIR", str(self.path / "temporary"))
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "CI"):
            monkeypatch.delenv(name, raising=False)
        self.words = [] if is_installed() else ["-p", "nubbin.pytest_plugin"]
        # Other installed plugins take time to start.
        for name in ("hypothesispytest", "asyncio", "anyio", "xdist", "pytest_cov"):
            self.words += ["-p", f"no:{name}"]

    def write(self, **files):
        for name, text in files.items():
            path = self.path / (re.sub("__", "/", name, count=1) + ".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(textwrap.dedent(text))

    def allow(self, name):
        place = self.words.index(f"no:{name}")
        del self.words[place - 1 : place + 1]

    def run(self, *words):
        """Returns the lines that pytest prints about reductions."""
        self.result = self._pytester.runpytest_subprocess(*self.words, *words, timeout=120)
        lines = self.result.outlines
        sections = [number for number, line in enumerate(lines) if re.fullmatch("=+ nubbin =+", line)]
        if not sections:
            return []
        rest = lines[sections[0] + 1 :]
        return rest[: next(number for number, line in enumerate(rest) if line.startswith("===="))]

    def read(self, name):
        return (self.path / name).read_text()

    def results(self):
        return sorted(path.name for path in self.path.rglob("*.reduced*"))


@pytest.fixture
def project(pytester, monkeypatch):
    found = Project(pytester, monkeypatch)
    yield found
    left = [path.name for path in (found.path / "temporary").iterdir() if path.name.startswith("nubbin-")]
    deadline = time.monotonic() + 10
    # A server ends a moment after its client.
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = [path.name for path in (found.path / "temporary").iterdir() if path.name.startswith("nubbin-")]
    assert left == []


SHOP = """\
    import json

    def total(prices):
        return sum(prices)

    def test_good():
        assert total([1, 2]) == 3

    def test_total():
        print(json.dumps(1))
        found = total([1])
        assert found == 3
    """


def test_a_failing_test_is_reduced_to_the_same_assertion(project):
    project.write(test_shop=SHOP)
    original = project.read("test_shop.py")
    (line,) = project.run("--nubbin")
    assert line == "test_shop.py::test_total: 57 -> 18 tokens, 106 runs, test_shop.reduced.py"
    reduced = project.read("test_shop.reduced.py")
    assert reduced == "def test_total():\n    found = sum([1])\n    assert found == 3\n"
    assert project.read("test_shop.py") == original
    # An existing result is not overwritten.
    (again,) = project.run("--nubbin", "--nubbin-budget=1")
    assert "test_shop.reduced-2.py" in again
    assert project.read("test_shop.reduced.py") == reduced


def test_a_result_file_runs_by_name_and_is_otherwise_ignored(project):
    project.write(test_one="def test_one():\n    assert 1 == 2\n", helper="VALUE = 1\n")
    (project.path / "test_one.reduced.py").write_text("from helper import VALUE\n\ndef test_one():\n    assert VALUE == 2\n")
    assert project.run("test_one.reduced.py") == []
    project.result.assert_outcomes(failed=1)
    project.result.stdout.fnmatch_lines(["E*assert 1 == 2", "test_one.reduced.py:4: AssertionError"])
    project.run()
    project.result.assert_outcomes(failed=1)
    project.run("test_one.reduced.py", "test_one.py")
    project.result.assert_outcomes(failed=2)


def test_the_plugin_costs_nothing_without_its_option(project):
    project.write(
        test_it="""\
        import sys
        def test_it():
            assert sorted(name for name in sys.modules if name.startswith("nubbin")) == ["nubbin", "nubbin.pytest_plugin"]
        """
    )
    project.run()
    project.result.assert_outcomes(passed=1)


def test_fixtures_parameters_classes_markers_and_conftest_files_are_those_of_the_test(project):
    project.write(
        tests__conftest="""\
        import pytest

        @pytest.fixture(scope="session")
        def base():
            return 10
        """,
        tests__test_it="""\
        import pytest

        @pytest.fixture
        def doubled(base):
            return 2 * base

        class TestThings:
            @pytest.mark.parametrize("number", [1, 40, 30])
            def test_sum(self, doubled, number):
                assert doubled + number < 50
        """,
    )
    lines = project.run("--nubbin", "--nubbin-budget=2", "tests")
    first, second = lines
    assert first.startswith("tests/test_it.py::TestThings::test_sum[40]: ") and "by itself" not in first
    function = "tests/test_it.py::TestThings::test_sum"
    assert second == f"{function}[30]: not reduced, because {function}[40] was"
    reduced = project.read("tests/test_it.reduced.py")
    assert "assert doubled + number < 50" in reduced
    project.run("tests/test_it.reduced.py")
    project.result.stdout.fnmatch_lines(["E*assert (20 + 40) < 50"])


@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_async_tests_run_under_their_plugin(project, name):
    pytest.importorskip({"asyncio": "pytest_asyncio", "anyio": "anyio"}[name])
    project.allow(name)
    backend = "@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n" if name == "anyio" else ""
    project.path.joinpath("test_later.py").write_text(
        f"import asyncio\nimport pytest\n{backend}\n@pytest.mark.{name}\n"
        "async def test_later():\n    print()\n    found = await asyncio.sleep(0, 3)\n    assert found == 4\n"
    )
    (line,) = project.run("--nubbin", "--nubbin-budget=2")
    assert "test_later.reduced.py" in line and "by itself" not in line
    reduced = project.read("test_later.reduced.py")
    assert f"mark.{name}" in reduced and "await asyncio.sleep(0, 3)" in reduced


def test_tests_of_unittest_are_reduced(project):
    project.write(
        test_case="""\
        import unittest

        class Case(unittest.TestCase):
            def setUp(self):
                self.value = 1

            def test_value(self):
                self.assertTrue(self.value)
                self.assertEqual(self.value, 2)
        """
    )
    (line,) = project.run("--nubbin", "--nubbin-budget=2")
    assert "test_case.reduced.py" in line and "by itself" not in line
    assert "assertEqual" in project.read("test_case.reduced.py")


def test_an_exception_must_come_from_the_same_place(project):
    project.write(
        library="""\
        def first(items):
            return items[0]

        def second(items):
            return items[1]
        """,
        test_it="""\
        import library

        def test_it():
            items = ["a"]
            assert library.first(items) == "a"
            library.second(items)
        """,
    )
    (line,) = project.run("--nubbin")
    reduced = project.read("test_it.reduced.py")
    # An `IndexError` of `first` would have the same type and message.
    assert "library.second" in reduced and "library.first" not in reduced


def test_differences_between_runs_are_ignored(project):
    project.write(
        test_it="""\
        import os
        import time

        def test_it(tmp_path):
            raise ValueError(f"{time.time_ns()} {tmp_path} {object()} is wrong")
        """
    )
    (line,) = project.run("--nubbin", "--nubbin-budget=2")
    assert "by itself" not in line
    reduced = project.read("test_it.reduced.py")
    assert "is wrong" in reduced and "{tmp_path}" in reduced


def test_a_test_that_does_not_fail_again_is_reported(project):
    project.write(
        test_it="""\
        import os
        import pathlib

        def test_once():
            place = pathlib.Path("counter")
            place.write_text(place.read_text() + "x" if place.exists() else "x")
            assert len(place.read_text()) > 1

        def test_alternating():
            place = pathlib.Path("other")
            place.write_text(place.read_text() + "x" if place.exists() else "x")
            assert len(place.read_text()) > 2
        """
    )
    assert project.run("--nubbin") == [
        "test_it.py::test_once: not reduced: it does not fail again when it is run alone; nothing was written",
        "test_it.py::test_alternating: not reduced: it does not fail every time; nothing was written",
    ]
    assert project.results() == []


def test_a_test_that_fails_differently_when_run_alone_is_reported(project):
    project.write(
        test_it="""\
        import builtins

        def test_first():
            builtins.thing = {}

        def test_second():
            thing["key"]
        """
    )
    assert project.run("--nubbin") == [
        "test_it.py::test_second: not reduced: run alone it fails in another way, with builtins.NameError; nothing was written"
    ]


def test_modules_and_conftest_files_are_imported_once(project):
    project.write(
        heavy="""\
        with open("imports", "a") as file:
            file.write("heavy\\n")
        """,
        conftest="""\
        with open("imports", "a") as file:
            file.write("conftest\\n")
        """,
        test_it="""\
        import heavy

        def test_it():
            first = heavy.__name__
            second = 2
            assert first == "x"
        """,
    )
    (line,) = project.run("--nubbin")
    runs = int(re.search(r"(\d+) runs", line)[1])
    words = project.read("imports").split()
    assert runs > 10
    # pytest itself, before it has forked the server, and one separate process at the start and one at the
    # end.
    assert words.count("conftest") == 3
    # Once in each of these runs, once in the first fork, once to keep it, and once for each candidate with
    # different imports.
    assert 5 <= words.count("heavy") <= 8


def test_a_module_that_was_imported_by_another_test_is_not_used(project):
    project.write(
        test_it="""\
        import xml
        import xml.dom.minidom

        def test_it():
            text = xml.dom.minidom.parseString("<a/>").toxml()
            assert xml.dom.Node.TEXT_NODE == 4
        """
    )
    (line,) = project.run("--nubbin")
    assert "by itself" not in line
    assert "import xml.dom" in project.read("test_it.reduced.py")


def test_a_hanging_candidate_is_killed_with_its_children(project):
    project.write(
        test_it="""\
        import subprocess
        import sys
        import time

        def test_it():
            waiting = False
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)  # of-" + "nubbins-test"])
            while not waiting:
                waiting = True
            time.sleep(0.01)
            assert waiting == 2
        """
    )
    (line,) = project.run("--nubbin", "--nubbin-budget", "20s")
    assert "test_it.reduced.py" in line
    assert "assert waiting == 2" in project.read("test_it.reduced.py")
    time.sleep(0.1)
    found = subprocess.run(["pgrep", "-f", "of-nubbins-test"], capture_output=True, text=True).stdout.split()
    # The session's own run has left one process, for which its author is responsible.
    for process in found:
        os.kill(int(process), signal.SIGKILL)
    assert len(found) <= 1


@pytest.mark.parametrize("mode", ["importlib"])
def test_a_test_in_a_package_can_import_neighbouring_modules(project, mode):
    project.write(
        tests____init__="",
        tests__helpers="def three():\n    return 3\n",
        tests__test_it="""\
        from . import helpers

        def test_it():
            found = helpers.three()
            assert found == 4
        """,
    )
    (line,) = project.run("--nubbin", f"--import-mode={mode}", "--nubbin-budget=2")
    assert "tests/test_it.reduced.py" in line and "by itself" not in line
    assert "helpers.three()" in project.read("tests/test_it.reduced.py")


def test_failures_in_setup_and_teardown_and_of_strict_marks_are_kept(project):
    project.write(
        test_it="""\
        import pytest

        @pytest.fixture
        def early():
            raise KeyError("early")

        @pytest.fixture
        def late():
            yield
            raise KeyError("late")

        def test_early(early):
            pass

        def test_late(late):
            pass

        @pytest.mark.xfail(strict=True)
        def test_strict():
            pass
        """
    )
    lines = project.run("--nubbin", "--nubbin-budget=2")
    results = [project.read(re.search(r"test_it.reduced\S*py", line)[0]) for line in lines]
    assert ["yield" in result for result in results] == [False, True, False]
    assert ["raise" in result for result in results] == [True, True, False]
    assert "strict=True" in results[2]
    assert not any("by itself" in line for line in lines)


def test_options_without_nubbin_are_usage_errors(project):
    for option in ("--nubbin-budget=5", "--nubbin-what=input"):
        assert project.run(option) == []
        assert project.result.ret == pytest.ExitCode.USAGE_ERROR
    project.result.stderr.fnmatch_lines(["*`--nubbin-what` requires `--nubbin`"])


@pytest.mark.parametrize("budget, seconds", [("1", 1.0), ("0.5s", 0.5), ("1.5m", 90.0)])
def test_a_budget_has_units(budget, seconds):
    from nubbin.pytest_plugin import _seconds

    assert _seconds(budget) == seconds


def test_an_invalid_budget_is_a_usage_error(project):
    assert project.run("--nubbin", "--nubbin-budget", "soon") == []
    assert project.result.ret == pytest.ExitCode.USAGE_ERROR
    project.result.stderr.fnmatch_lines(["*--nubbin-budget*`soon` is not a time: write for example 90s or 5m"])


SLOW = """\
    def test_slow():
        one = 1
        two = 2
        three = 3
        assert one == 2
    """

CONFTEST = """\
    import time
    import pytest

    @pytest.fixture(autouse=True)
    def slow():
        time.sleep(0.3)
    """


def test_a_budget_ends_a_reduction_with_the_current_best(project):
    project.write(test_slow=SLOW, conftest=CONFTEST)
    (line,) = project.run("--nubbin", "--nubbin-budget", "1s")
    assert line.endswith("test_slow.reduced.py, stopped after 1 s")
    assert "assert one == 2" in project.read("test_slow.reduced.py")


def test_an_interrupt_keeps_the_current_best(project):
    project.write(test_slow=SLOW + "\n    def test_other():\n        assert 1 == 2\n", conftest=CONFTEST)
    words = [sys.executable, "-m", "pytest", *project.words, "--nubbin", "--nubbin-budget", "60s"]
    process = subprocess.Popen(words, cwd=project.path, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout:
        lines.append(line)
        if re.fullmatch("=+ nubbin =+\n", line):
            # The first runs take about three seconds, and all runs more than fifteen.
            time.sleep(4)
            process.send_signal(signal.SIGINT)
            break
    rest = process.communicate(timeout=60)[0]
    assert re.search(r"test_slow.py::test_slow: \d+ -> \d+ tokens, \d+ runs, test_slow.reduced.py, interrupted", rest), rest
    assert "interrupted: 1 test was not reduced" in rest
    assert "short test summary info" in rest
    assert "assert one == 2" in project.read("test_slow.reduced.py")


def test_xdist_is_supported(project):
    pytest.importorskip("xdist")
    project.allow("xdist")
    project.write(test_shop=SHOP)
    (line,) = project.run("--nubbin", "--nubbin-budget=2", "-n", "1")
    assert line.startswith("test_shop.py::test_total: 57 -> ") and "by itself" not in line
    assert project.results() == ["test_shop.reduced.py"]


def test_a_session_is_reported_as_without_the_plugin(project):
    project.write(test_shop=SHOP, test_other="def test_other():\n    assert 0\n")
    project.run("--junitxml=plain.xml", "-k", "shop", "-x")
    cache = project.read(".pytest_cache/v/cache/lastfailed")
    (line,) = project.run("--nubbin", "--nubbin-budget=2", "--junitxml=report.xml", "-k", "shop", "-x")
    assert "test_shop.reduced.py" in line

    def without_times(name):
        return re.sub(r'(time|timestamp)="[^"]*"', "", project.read(name))

    assert without_times("report.xml") == without_times("plain.xml")
    assert project.read(".pytest_cache/v/cache/lastfailed") == cache
    project.result.assert_outcomes(passed=1, failed=1, deselected=1)


def test_the_argument_of_a_test_is_reduced_as_its_input(project):
    project.write(
        test_it="""\
        import pytest

        @pytest.fixture
        def numbers():
            return [5, 3, 900, 20, 1000]

        @pytest.mark.parametrize("text", ["short", "a longer <b> text </b> of many words"])
        def test_text(text):
            assert "<" not in text

        def test_numbers(numbers):
            assert max(numbers) < 500

        def test_data():
            assert False
        """
    )
    lines = project.run("--nubbin", "--nubbin-what", "input")
    assert re.fullmatch(
        r"test_it.py::test_text\[.*\]: `text` 13 -> 1 tokens, \d+ runs, test_it.test_text.text.reduced.txt", lines[0]
    )
    assert lines[1] == "    `text` = '<'"
    assert re.fullmatch(
        r"test_it.py::test_numbers: `numbers` 11 -> 3 tokens, \d+ runs, test_it.test_numbers.numbers.reduced.txt", lines[2]
    )
    assert lines[3] == "    `numbers` = [500]"
    assert lines[4] == (
        "test_it.py::test_data: not reduced: it has no string, bytes or collection as an argument, and reads no file next to it"
    )
    assert project.read("test_it.test_text.text.reduced.txt") == "<"
    assert project.read("test_it.test_numbers.numbers.reduced.txt") == "[500]\n"


def test_the_file_that_a_test_reads_is_reduced_as_its_input(project):
    project.write(
        test_it="""\
        import json
        import os
        import pathlib

        def test_data():
            data = json.loads(pathlib.Path(__file__).with_name("data.json").read_text())
            assert "bad" not in data

        def test_made(tmp_path):
            place = tmp_path / "made.json"
            place.write_text('{"a": [1, 2], "bad": {"c": 3}}')
            with open(os.fspath(place), encoding="utf-8") as file:
                assert "bad" not in json.load(file)

        def test_always():
            data = pathlib.Path(__file__).with_name("data.json").read_text()
            raise ValueError("always")
        """
    )
    data = '{"a": [1, 2, 3], "bad": {"c": [4]}, "d": null}'
    (project.path / "data.json").write_text(data)
    lines = project.run("--nubbin", "--nubbin-what=input")
    assert re.fullmatch(r"test_it.py::test_data: data.json 33 -> \d tokens, \d+ runs, data.reduced.json", lines[0])
    assert "bad" in project.read("data.reduced.json") and "4" not in project.read("data.reduced.json")
    assert re.fullmatch(
        r"test_it.py::test_made: made.json \d+ -> \d tokens, \d+ runs, test_it.test_made.made.reduced.json", lines[2]
    )
    assert lines[4] == "test_it.py::test_always: not reduced: it also fails without its input (data.json)"
    assert project.read("data.json") == data


def test_pytest_finds_the_plugin_by_its_entry_point(project):
    if not is_installed():
        folder = project.path / "nubbin-0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: nubbin\nVersion: 0\n")
        (folder / "entry_points.txt").write_text("[pytest11]\nnubbin = nubbin.pytest_plugin\n")
        project.words = project.words[2:]
        os.environ["PYTHONPATH"] += os.pathsep + str(project.path)
    project.write(test_one="def test_one():\n    other = 3\n    assert 1 == 2\n")
    (line,) = project.run("--nubbin")
    assert "test_one.reduced.py" in line and "by itself" not in line
