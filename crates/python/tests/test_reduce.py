"""Reductions by functions and commands."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import nubbin
from nubbin import Verdict

from conftest import Case

PROGRAM = """\
import os

def helper(items):
    for item in items:
        if item % 2:
            yield item + 1

def main():
    print(list(helper(range(10))), os.name)
"""


def has(needle):
    return lambda text: needle in text


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_current_best_has_the_type_of_the_input(jobs, tmp_path):
    text = nubbin.reduce(PROGRAM, has("yield"), language="python", jobs=jobs)
    data = nubbin.reduce(PROGRAM.encode(), has(b"yield"), language="python", jobs=jobs)
    assert text.best.encode() == data.best
    assert text.best.split() == ["yield"]
    assert (text.after.tokens, text.before.lines) == (1, 7)
    assert text.input == PROGRAM
    assert text.proof and text.proof.kind == "1-minimal"
    assert text.language == "python"
    assert text.steps[-1].size == text.after
    assert text.probes >= len(text.steps) > 0
    assert sum(one.tokens for one in text.passes) > 0
    assert text.save(tmp_path / "result.py").read_bytes() == data.data
    assert "1-minimal over" in str(text)


def test_a_file_is_passed_with_its_name_and_the_result_is_next_to_it(tmp_path):
    path = tmp_path / "input.json"
    path.write_text('{"a": [1, 2, {"b": "needle"}], "c": null}')
    seen = set()

    def test(candidate):
        seen.add(candidate.name)
        assert candidate.parent != tmp_path
        return "needle" in candidate.read_text()

    result = nubbin.reduce(path, test)
    assert seen == {"input.json"}
    assert result.best == tmp_path / "input.reduced.json"
    assert result.best.read_text().strip() in ("needle", '"needle"')
    assert result.language == "json"
    elsewhere = nubbin.reduce(path, test, output=tmp_path / "here.json")
    assert elsewhere.best == tmp_path / "here.json"
    assert elsewhere.best.read_bytes() == result.best.read_bytes() == result.data
    assert path.read_text().startswith('{"a"')


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_directory_is_passed_as_a_directory_with_the_same_name(tmp_path, jobs):
    folder = tmp_path / "project"
    (folder / "inner").mkdir(parents=True)
    (folder / "main.py").write_text(PROGRAM)
    (folder / "inner" / "notes.txt").write_text("one\ntwo\nneedle\n")
    (folder / "drop.json").write_text("[1, 2, 3]")

    def test(candidate):
        assert candidate.name == "project"
        notes = candidate / "inner" / "notes.txt"
        return notes.is_file() and "needle" in notes.read_text()

    result = nubbin.reduce(folder, test, jobs=jobs)
    assert result.best == tmp_path / "project.reduced"
    assert [path.name for path in result.best.rglob("*") if path.is_file()] == ["notes.txt"]
    assert (result.best / "inner" / "notes.txt").read_text().strip() == "needle"
    copy = result.save(tmp_path / "copy")
    assert (copy / "inner" / "notes.txt").is_file()


def test_a_function_has_the_same_result_as_the_program(case, program, tmp_path):
    expected = case.by_program(program, tmp_path)
    for jobs in (1, 3):
        result = nubbin.reduce(case.input, case.asked, jobs=jobs, output=tmp_path / f"{jobs}{case.input.suffix}")
        assert result.best.read_bytes() == expected
        assert result.proof


def test_a_command_has_the_same_result_as_the_program(case, program, tmp_path):
    expected = case.by_program(program, tmp_path)
    result = nubbin.reduce(case.input, str(case.oracle), jobs=2, output=tmp_path / f"own{case.input.suffix}")
    assert result.best.read_bytes() == expected
    assert result.probes > 10
    data = nubbin.reduce(case.input.read_bytes(), str(case.oracle), jobs=2, language=result.language)
    assert data.best == expected


def test_the_failure_of_a_command_is_learned(program, tmp_path):
    path = tmp_path / "bug.py"
    path.write_text(PROGRAM + "main()\n1 / 0\n")
    result = nubbin.reduce(path, ["python3", path])
    assert "ZeroDivisionError" in result.kept
    assert "/ 0" in result.best.read_text() or "%0" in result.best.read_text().replace(" ", "")
    with pytest.raises(nubbin.NotFailing, match="no failure to keep"):
        nubbin.reduce("print(1)", ["python3", "{}"], language="python")


def test_options_mean_what_they_mean_for_the_program(program, tmp_path):
    case = Case("log-lost-worker")
    for options, given in [
        (["--objective", "bytes"], {"objective": "bytes"}),
        (["--unit", "line"], {"unit": "line"}),
        (["--max-candidates", "20"], {"max_probes": 20}),
        (["--skip", "delete-blocks,delete-columns"], {"skip": ["delete-blocks", "delete-columns"]}),
    ]:
        expected = case.by_program(program, tmp_path, *options)
        result = nubbin.reduce(case.input, case.asked, output=tmp_path / f"own{case.input.suffix}", **given)
        assert result.data == expected, options


def test_limits_end_a_reduction_and_are_reported():
    few = nubbin.reduce(PROGRAM, has("yield"), language="python", max_probes=8)
    assert (few.proof.kind, few.probes, bool(few.proof)) == ("probes", 8, False)
    small = nubbin.reduce(PROGRAM, has("yield"), language="python", stop_at=(20, "bytes"))
    assert small.proof.kind == "size" and small.after.bytes <= 20

    def slow(text):
        time.sleep(0.02)
        return "yield" in text

    late = nubbin.reduce(PROGRAM, slow, language="python", max_time=0.3)
    assert late.proof.kind == "time"


def test_kept_parts_stay():
    result = nubbin.reduce(PROGRAM, has("yield"), language="python", keep=r"import os\n")
    assert "import os\n" in result.best


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_of_the_test_is_raised_with_the_current_best(jobs):
    def test(text):
        if "yield" in text and len(text) < 60:
            raise ZeroDivisionError("as it happens")
        return "yield" in text

    with pytest.raises(ZeroDivisionError, match="as it happens") as raised:
        nubbin.reduce(PROGRAM, test, language="python", jobs=jobs)
    best = raised.value.reduction
    assert len(best.best) < len(PROGRAM) and "yield" in best.best
    assert not best.proof
    if jobs == 1:
        assert raised.traceback[-1].name == "test"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_is_raised_with_the_current_best(jobs, tmp_path):
    def test(text):
        if (tmp_path / "found").exists():
            (tmp_path / "slow").touch()
            time.sleep(60)
        return "yield" in text

    def progress(told):
        if told.event == "accepted":
            (tmp_path / "found").touch()

    def interrupt():
        while not (tmp_path / "slow").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    begun = time.monotonic()
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt) as raised:
        nubbin.reduce(PROGRAM, test, language="python", jobs=jobs, progress=progress)
    assert time.monotonic() - begun < 30
    assert len(raised.value.reduction.best) < len(PROGRAM)


def is_alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def comes_true(condition):
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < 30, "it does not come true"
        time.sleep(0.01)
    return True


def test_a_cancelled_test_is_killed_with_its_children(tmp_path):
    waits, started = tmp_path / "waits", tmp_path / "started"
    started.mkdir()

    def test(text):
        if not text or len(text) == len(PROGRAM):
            return "yield" in text
        if "yield" in text:
            # Its answer ends the reduction as soon as another test runs at the same time.
            waits.touch()
            return comes_true(lambda: list(started.iterdir()))
        if waits.exists():
            child = subprocess.Popen(["sleep", "60"])
            (started / f"{child.pid}").touch()
            child.wait()
        return False

    begun = time.monotonic()
    result = nubbin.reduce(PROGRAM, test, language="python", jobs=3, stop_at=(len(PROGRAM) - 1, "bytes"))
    assert time.monotonic() - begun < 30
    assert result.proof.kind == "size"
    processes = [int(path.name) for path in started.iterdir()]
    assert processes
    assert comes_true(lambda: not any(is_alive(process) for process in processes))


def test_a_caller_that_is_killed_leaves_no_process(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import nubbin, os, pathlib, sys, time\n"
        "def test(text):\n"
        "    pathlib.Path(sys.argv[1], str(os.getpid())).touch()\n"
        "    if text and len(text) < 20: time.sleep(60)\n"
        "    return 'needle' in text\n"
        "nubbin.reduce('one two three four needle', test, jobs=2)\n"
    )
    seen = tmp_path / "seen"
    seen.mkdir()
    caller = subprocess.Popen([sys.executable, script, seen])
    comes_true(lambda: len(list(seen.iterdir())) == 2)
    caller.kill()
    caller.wait()
    processes = [int(path.name) for path in seen.iterdir()]
    assert comes_true(lambda: not any(is_alive(process) for process in processes))


def test_an_interrupt_ends_a_command(program, tmp_path):
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    oracle = tmp_path / "oracle"
    oracle.write_text("#!/bin/sh\ngrep -q yield \"$1\" && sleep 0.2\n")
    oracle.chmod(0o755)
    with pytest.raises(KeyboardInterrupt) as raised:
        nubbin.reduce(PROGRAM * 20, str(oracle), language="python", jobs=2)
    assert raised.value.reduction.best


def test_other_threads_continue_while_rust_works():
    counted = []
    going = threading.Event()

    def count():
        while not going.is_set():
            counted.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    # Rust waits some seconds for a process, so that the thread gets to run even on a very busy machine.
    command = ["sh", "-c", "sleep 0.2; grep -q yield $1", "sh", "{}"]
    nubbin.reduce(PROGRAM, command, language="python", exit_code=0)
    going.set()
    thread.join()
    assert len(counted) > 5


def test_a_verdict_has_more_than_two_values():
    def test(text):
        if "yield" in text:
            return Verdict.INTERESTING
        return Verdict.UNRESOLVED if "def" in text else Verdict.UNINTERESTING

    result = nubbin.reduce(PROGRAM, test, language="python")
    assert result.best.split() == ["yield"]
    assert result.counts["unresolved"] > 0


def test_failed_reductions_raise_exceptions(tmp_path):
    with pytest.raises(nubbin.NotFailing, match="does not find the failure"):
        nubbin.reduce("abc", lambda text: False)
    with pytest.raises(nubbin.AcceptsEmpty):
        nubbin.reduce("abc", lambda text: True)
    assert nubbin.reduce("abc", lambda text: True, allow_empty=True).best == ""
    with pytest.raises(nubbin.Failure, match="language"):
        nubbin.reduce("abc", has("b"), language="klingon")
    with pytest.raises(ValueError, match="unknown objective"):
        nubbin.reduce("abc", has("b"), objective="beauty")
    with pytest.raises(nubbin.Failure):
        nubbin.reduce(tmp_path / "nothing.py", lambda path: True)
    flips = iter(range(10**9))
    with pytest.raises(nubbin.Flaky):
        nubbin.reduce("abc", lambda text: next(flips) % 2 == 0)


def test_progress_is_reported_in_order():
    told = []
    result = nubbin.reduce(PROGRAM, has("yield"), language="python", progress=told.append)
    assert told[0].event == "started" and told[0].size == result.before
    assert [one.size for one in told if one.event == "accepted"] == [step.size for step in result.steps]
    assert told[-1].probes == result.probes
    again = []
    nubbin.reduce(PROGRAM, has("yield"), language="python", progress=again.append, jobs=2)
    assert [one.size for one in again if one.event == "accepted"] == [step.size for step in result.steps]

    def breaks(moment):
        if moment.event == "accepted":
            raise LookupError("enough")

    for jobs in (1, 2):
        with pytest.raises(LookupError, match="enough"):
            nubbin.reduce(PROGRAM, has("yield"), language="python", progress=breaks, jobs=jobs)


def test_progress_is_shown(capsys):
    nubbin.reduce(PROGRAM, has("yield"), language="python", progress=True)
    assert "nubbin" in capsys.readouterr().err


def test_a_notebook_shows_sizes_a_curve_and_the_result():
    result = nubbin.reduce("a < b\n" * 20 + "needle < 1", has("needle <"))
    shown = result._repr_html_()
    assert "<svg" in shown and "needle &lt;" in shown and "1-minimal" in shown


def test_a_result_can_be_pickled_and_copied():
    result = nubbin.reduce("one two needle", has("needle"))
    assert pickle.loads(pickle.dumps(result)) == result


def test_non_ascii_text_and_bytes_that_are_not_text():
    assert nubbin.reduce("grün\nüber\nnadel ß\n", has("ß")).best.strip() == "ß"
    assert nubbin.reduce(b"\xff\xfe\x00needle\xff", has(b"needle")).best == b"needle"
    assert nubbin.reduce("a\ud800b c", has("\ud800")).best == "\ud800"


def test_the_difference_of_two_texts():
    failing = "int a;\nint b = 1;\nint c;\n"
    for jobs in (1, 2):
        found = nubbin.isolate(failing, has("b = 1"), "int a;\n", language="c", jobs=jobs)
        assert "b = 1" in found.failing and "b = 1" not in found.passing
        assert len(found.failing) - len(found.passing) < 12
    found = nubbin.isolate(b"one\ntwo\n", has(b"two"))
    assert isinstance(found.passing, bytes)
    with pytest.raises(nubbin.NotPassing):
        nubbin.isolate("abc", lambda text: True)
    with pytest.raises(nubbin.NotFailing):
        nubbin.isolate("abc", lambda text: False)
    with pytest.raises(KeyError):
        nubbin.isolate("abc", lambda text: {}["no"])


def test_an_earlier_run_is_continued(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "input.txt"
    path.write_text("".join(f"line {number}\n" for number in range(64)) + "needle\n")

    def reduce(**options):
        return nubbin.reduce(path, "grep -q needle", resume=True, **options)

    first = reduce(max_probes=2)
    assert not first.proof and first.probes == 2
    whole = nubbin.reduce(path, "grep -q needle", output=tmp_path / "other.txt")
    second = reduce()
    assert second.proof and second.best.read_bytes() == whole.data
    assert second.counts["runs"] == whole.counts["runs"] - 2
    third = reduce()
    assert (third.proof.kind, third.probes, third.data) == ("earlier", 0, whole.data)
    assert third.best == second.best and third.after == whole.after
    with pytest.raises(ValueError, match="needs a path"):
        nubbin.reduce("a needle", "grep -q needle", resume=True)
    with pytest.raises(ValueError, match="is for a command"):
        nubbin.reduce(path, has("needle"), resume=True)


def test_the_difference_of_two_texts_by_a_command():
    failing, passing = "int a;\nint b = 1;\nint c;\n", "int a;\n"
    by_function = nubbin.isolate(failing, has("b = 1"), passing, language="c")
    assert nubbin.isolate(failing, "grep -q 'b = 1'", passing, language="c") == by_function
    by_command = nubbin.isolate(failing, ["grep", "b = 1", "{}"], passing, language="c", exit_code=0)
    assert by_command == by_function
    said = nubbin.isolate(b"one\ntwo\n", ["cat", "{}"], stdout="two", jobs=2)
    assert said.failing.strip() == b"two" and not said.passing.strip()
    with pytest.raises(nubbin.NotPassing, match="which should pass"):
        nubbin.isolate("abc", "true", "b")
    with pytest.raises(nubbin.NotPassing, match="is unresolved on"):
        nubbin.isolate("abc", "sh -c 'grep a $1 || exit 125' sh", "b")
    with pytest.raises(nubbin.NotFailing):
        nubbin.isolate("abc", "false")
    # The hint uses the names of the Python parameters.
    with pytest.raises(nubbin.NotFailing, match="`stdout=REGEX`, `stderr=REGEX` or `exit_code=N`"):
        nubbin.isolate("abc", ["true", "{}"])
    with pytest.raises(nubbin.Failure, match="the time limit was reached"):
        nubbin.isolate("a\nb\nc\n" * 99, "sh -c 'sleep 0.3; grep -q c $0'", max_time=2)
    with pytest.raises(ValueError, match="is for a command"):
        nubbin.isolate("abc", has("b"), max_time=3)
    with pytest.raises(TypeError, match="read a file first"):
        nubbin.isolate(Path("x"), "false")


def test_the_largest_passing_part_of_a_text():
    for jobs in (1, 2):
        assert nubbin.maximize("1, 2x, 3, 4\n", has("x"), unit="char", jobs=jobs) == "1, 2, 3, 4\n"
    assert nubbin.maximize("1, 2x, 3, 4\n", ["grep", "x", "{}"], unit="char", exit_code=0) == "1, 2, 3, 4\n"


def test_a_tree_can_be_inspected():
    root = nubbin.parse("x = f(1)  # why\n", "python")
    call = next(node for node in root.walk() if node.type == "call")
    assert (call.text, call.start, call.end, call.field, call.named) == ("f(1)", 4, 8, "right", True)
    assert [child.type for child in call.children] == ["identifier", "argument_list"]
    assert call.parent.children[-1] == call
    assert root.parent is None and root.language == "python"
    assert any(node.is_extra for node in root.walk())
    assert nubbin.parse(b'{"a": 1}', "json").text == b'{"a": 1}'
    with pytest.raises(nubbin.Failure, match="klingon"):
        nubbin.parse("x", "klingon")
    assert {"python", "c", "json"} <= {language.name for language in nubbin.languages()}


def test_a_path_given_as_a_string_is_detected(tmp_path):
    path = tmp_path / "bug.txt"
    path.write_text("needle\n")
    with pytest.raises(nubbin.NotFailing, match=r"a string is used as the text: for the file, give `pathlib\.Path\('.*bug\.txt'\)`"):
        nubbin.reduce(str(path), lambda text: "needle" in text)


def test_the_failure_of_a_command_can_be_specified(program, tmp_path):
    script = tmp_path / "tool.py"
    script.write_text(
        "import sys\n"
        "text = open(sys.argv[1]).read()\n"
        "print('first needle' if 'needle' in text else 'nothing')\n"
        "sys.exit(3 if 'thread' in text else 0)\n"
    )
    words = ["python3", str(script), "{}"]
    data = "one\nneedle\nthread\nlast\n"
    assert nubbin.reduce(data, words, stdout="first .*le").best.strip() == "needle"
    assert nubbin.reduce(data, words, exit_code=3).best.strip() == "thread"
    with pytest.raises(nubbin.NotFailing):
        nubbin.reduce(data, words, signal="SEGV")
    with pytest.raises(ValueError, match="`stdout`"):
        nubbin.reduce(data, words, stdout="(")
    with pytest.raises(ValueError, match="`signal`"):
        nubbin.reduce(data, words, signal="NOSUCH")
    with pytest.raises(ValueError, match="`exit_code` is for a command"):
        nubbin.reduce(data, lambda text: True, exit_code=3)


def test_other_commands_must_also_succeed(program, tmp_path):
    given = tmp_path / "given.json"
    given.write_text('{"a": [1, 2, {"b": "needle"}], "c": null}')
    words = ["sh", "-c", 'grep -q needle "$0" && exit 3', "{}"]
    plain = nubbin.reduce(given, words, exit_code=3, output=tmp_path / "plain.json")
    assert plain.best.read_text().strip() == "needle"
    check = "python3 -c 'import json, sys; json.load(open(sys.argv[1]))' {}"
    for more in ({"also": check}, {"valid": True}):
        found = nubbin.reduce(given, words, exit_code=3, output=tmp_path / "valid.json", **more)
        assert found.best.read_text().strip() == '"needle"'
    with pytest.raises(ValueError, match="`also` is for a command"):
        nubbin.reduce("text", lambda text: True, also="true {}")
    with pytest.raises(ValueError, match="cannot parse the"):
        nubbin.reduce(given, words, exit_code=3, also="'")


def test_included_files_are_inlined(program, tmp_path):
    (tmp_path / "part.h").write_text("int needle;\nint other;\n")
    given = tmp_path / "main.c"
    given.write_text('#include "part.h"\nint main(void) { return needle; }\n')
    oracle = tmp_path / "oracle"
    oracle.write_text('#!/bin/sh\ncc -E -I"$(dirname "$0")" "$1" | grep -q "int needle"\n')
    oracle.chmod(0o755)
    found = nubbin.reduce(given, str(oracle), inline=True)
    assert "needle" in found.best.read_text() and "include" not in found.best.read_text()
