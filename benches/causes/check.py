"""Checks the cases of this directory: check.py [NAME]...

For each case the script builds the program, which must give no warnings, and
runs it in a copy of its directory without and with the fix of `case.toml`:

- the passing run must be right, without and with the fix;
- the failing run must fail as described in `case.toml`, and be right with the fix;
- each run must give the same result ten times.

Python 3.11 or newer is needed for `tomllib`; the programs need 3.9.
"""

import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
RUNS = 10
SECONDS = 10


class Wrong(Exception):
    pass


def demand(condition, message):
    if not condition:
        raise Wrong(message)


def build(case, folder):
    if "build" not in case:
        return
    command = shlex.split(case["build"]) + ["-Wall", "-Wextra"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    demand(done.returncode == 0 and not done.stderr, f"the build prints: {done.stderr}")


def ending(status):
    return signal.Signals(-status).name if status < 0 else f"status {status}"


def run(command, folder):
    """Returns the standard output, the ending and the standard error of a run."""
    results = []
    for _ in range(RUNS):
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=SECONDS
        )
        results.append((done.stdout, ending(done.returncode), done.stderr))
    demand(
        all(result == results[0] for result in results),
        f"{shlex.join(command)} gives different results",
    )
    return results[0]


def expect(command, folder, prints, ends="status 0", says=""):
    printed, ended, said = run(command, folder)
    what = shlex.join(command)
    demand(printed == prints, f"{what} prints {printed!r}, not {prints!r}")
    demand(ended == ends, f"{what} ends with {ended}, not {ends}")
    if says:
        demand(says in said, f"{what} writes {said!r} to stderr, not {says!r}")
    else:
        demand(not said, f"{what} writes {said!r} to stderr")


def apply_fix(case, program):
    lines = program.read_text().split("\n")
    index = case["fix_line"] - 1
    demand(lines[index] != case["fix"], "the fix changes nothing")
    demand(
        case["fix_line"] in case.get("fix_lines", [case["fix_line"]]),
        "fix_line is not one of fix_lines",
    )
    lines[index] = case["fix"]
    program.write_text("\n".join(lines))


def check(folder):
    case = tomllib.loads((folder / "case.toml").read_text())
    suffix = ".c" if "build" in case else ".py"
    with tempfile.TemporaryDirectory() as temporary:
        copy = pathlib.Path(temporary) / folder.name
        shutil.copytree(folder, copy)
        program = copy / (folder.name + suffix)
        lines = program.read_text().count("\n")
        demand(40 <= lines <= 200, f"{lines} lines")

        build(case, copy)
        expect(case["passing"], copy, case["passing_prints"])
        expect(
            case["failing"],
            copy,
            case["failing_prints"],
            case["failing_ends"],
            case.get("failing_says", ""),
        )

        apply_fix(case, program)
        shutil.rmtree(copy / "__pycache__", ignore_errors=True)
        build(case, copy)
        expect(case["passing"], copy, case["passing_prints"])
        expect(case["failing"], copy, case["failing_should_print"])
    return f"{lines} lines, line {case['fix_line']}: {case['fails']}"


def main(names):
    folders = [HERE / name for name in names] or sorted(
        path.parent for path in HERE.glob("*/case.toml")
    )
    failed = False
    for folder in folders:
        try:
            print(f"ok     {folder.name:<10} {check(folder)}", flush=True)
        except (Wrong, subprocess.TimeoutExpired) as error:
            failed = True
            print(f"WRONG  {folder.name:<10} {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
