#!/usr/bin/env python3
"""Gives results of Nubbin to other reducers, and reports which of them can still make a result smaller.

    second_opinion.py --nubbin target/release/nubbin --cases FOLDER [--tools creduce,cvise,shrinkray] [--seconds 60] [NAME…]

A case is a directory with `input.EXT` and an oracle (`oracle` or `interesting.sh`), as in `corpus/` or written by
`recipes/make.py`. Each tool reduces each result for at most `--seconds`. Tokens are counted in the same way for all tools:
an identifier, a number, or any other character that is not whitespace. The rows are JSON lines on standard output.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOKEN = re.compile(rb"[A-Za-z_0-9\x80-\xff]+|[^\sA-Za-z_0-9\x80-\xff]")
# The command of each tool: {oracle} is the script, {file} the path of the input, {name} its file name.
TOOLS = {
    "creduce": ["creduce", "--n", "1", "{oracle}", "{name}"],
    "cvise": ["cvise", "--n", "1", "{oracle}", "{name}"],
    "shrinkray": ["shrinkray", "--ui=basic", "--parallelism=1", "{oracle}", "{name}"],
}
NOT_C = {"creduce": ["--not-c"], "cvise": ["--not-c"]}
C = {".c", ".h", ".cc", ".cpp", ".cxx", ".C"}


def tokens(path):
    """Returns the number of tokens of a file."""
    return len(TOKEN.findall(path.read_bytes()))


def is_interesting(oracle, path):
    """Runs an oracle in a directory that contains only the candidate."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        shutil.copy(path, copy)
        run = subprocess.run([oracle, copy.name], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        return run.returncode == 0


def reduced(nubbin, oracle, source, folder, seconds):
    """Reduces an input with Nubbin and returns the path of the result."""
    out = folder / f"case{source.suffix}"
    words = [nubbin, "-j1", "-q", "--no-config", "--no-journal", "--max-time", f"{seconds}s", "-o", out, oracle, source]
    subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, check=True, capture_output=True)
    return out


def ask(tool, oracle, result, seconds):
    """Reduces a result with a tool; returns the remaining tokens and the text."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
        copy = pathlib.Path(folder) / result.name
        shutil.copy(result, copy)
        # C-Reduce and C-Vise pass no file name: the candidate is in the current directory under its own name.
        script = pathlib.Path(place) / "test.sh"
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(oracle))} "${{1:-{result.name}}}"\n')
        script.chmod(0o755)
        words = [word.format(oracle=script, file=copy, name=copy.name) for word in TOOLS[tool]]
        if result.suffix not in C:
            words[1:1] = NOT_C.get(tool, [])
        start = time.monotonic()
        run = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            run.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGTERM)
            time.sleep(1)
        try:
            os.killpg(run.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        run.wait()
        if not copy.exists() or time.monotonic() - start < 1 and copy.read_bytes() == result.read_bytes():
            print(f"{tool} ended immediately; it may not have run", file=sys.stderr)
        # The file of a stopped tool counts only if it is still interesting.
        left = copy if copy.exists() and is_interesting(oracle, copy) else result
        return tokens(left), left.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nubbin", default="target/release/nubbin", type=pathlib.Path)
    parser.add_argument("--cases", default="corpus", type=pathlib.Path)
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--seconds", default=60, type=int, help="for each tool")
    parser.add_argument("--first", default=600, type=int, help="seconds for Nubbin")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    tools = [tool for tool in asked.tools.split(",") if shutil.which(tool)]
    missing = [tool for tool in asked.tools.split(",") if not shutil.which(tool)]
    if missing:
        print(f"not installed, skipped: {', '.join(missing)}", file=sys.stderr)
    if not tools:
        sys.exit("none of the tools is installed")
    found = 0
    for case in sorted(asked.cases.iterdir()):
        sources = sorted(case.glob("input.*")) if case.is_dir() else []
        oracles = [case / name for name in ("oracle", "interesting.sh") if (case / name).exists()]
        if not sources or not oracles or asked.names and case.name not in asked.names:
            continue
        oracle = oracles[0].resolve()
        with tempfile.TemporaryDirectory() as folder:
            if not is_interesting(oracle, sources[0].resolve()):
                print(f"{case.name}: the input does not fail on this machine", file=sys.stderr)
                continue
            result = reduced(asked.nubbin.resolve(), oracle, sources[0].resolve(), pathlib.Path(folder), asked.first)
            own = tokens(result)
            for tool in tools:
                start = time.monotonic()
                left, text = ask(tool, oracle, result, asked.seconds)
                row = {"case": case.name, "tool": tool, "nubbin": own, "left": left,
                       "seconds": round(time.monotonic() - start, 1)}
                if left < own:
                    found += 1
                    row |= {"before": result.read_text(errors="replace"), "after": text.decode(errors="replace")}
                print(json.dumps(row), flush=True)
    print(f"{found} results became smaller", file=sys.stderr)


if __name__ == "__main__":
    main()
