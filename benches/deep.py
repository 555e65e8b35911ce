#!/usr/bin/env python3
"""Reduces deeply nested Python files with tests that require most of the depth.

    deep.py --nubbin target/release/nubbin [--runs 384] [--tools creduce,cvise] [--seconds 60]

`operators` is an expression of 650 operands; `brackets` nests 150 calls, lists, dictionaries, lambdas and conditional
expressions. The test parses the file with Python's `ast` and requires a minimum depth. The rows are JSON lines on standard
output with the remaining tokens and the runs of the test. Nubbin is stopped after `--runs` candidates, the other tools after
`--seconds`.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

TOKEN = re.compile(rb"[A-Za-z_0-9\x80-\xff]+|[^\sA-Za-z_0-9\x80-\xff]")
TOOLS = {
    "creduce": ["creduce", "--not-c", "--n", "1", "{oracle}", "{name}"],
    "cvise": ["cvise", "--not-c", "--n", "1", "{oracle}", "{name}"],
}
TEST = '''#!/usr/bin/env python3
import ast, os, sys
with open({log!r}, "a") as log:
    log.write(".")
try:
    tree = ast.parse(open(sys.argv[1] if len(sys.argv) > 1 else {name!r}).read())
except Exception:
    sys.exit(1)
deepest, waiting = 0, [(tree, 1)]
while waiting:
    node, depth = waiting.pop()
    deepest = max(deepest, depth)
    waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
sys.exit(deepest < {depth})
'''


def operators(rng):
    """A file of 2,304 tokens and 131 levels."""
    text = "a0"
    for _ in range(1, 650):
        text += f' {rng.choice(["+", "-", "*", "|", "&"])} {rng.choice(["b", "c.d", "e(1)", "7", "x[2]"])}'
    return f"import os\nvalue = {text}\nprint(value)\n", 110


def brackets(rng):
    """A file of 668 tokens and 154 levels."""
    forms = ["f{0}({1})", "[{0}, {1}]", "{{{0}: {1}}}", "(lambda q{0}: {1})", "({1} if {0} else 3)"]
    text = "z"
    for level in range(150):
        text = rng.choice(forms).format(level, text)
    return f"import os\nvalue = {text}\nprint(value)\n", 120


def run(words, place, seconds):
    """Runs a tool, and ends it with all of its processes after a number of seconds; returns whether it was ended."""
    process = subprocess.Popen(
        words, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def measure(tool, words, make, seconds):
    """Returns the row of a tool on a file."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as logs:
        place, log = pathlib.Path(folder), pathlib.Path(logs, "runs")
        text, depth = make(random.Random(3))
        source, oracle = place / "case.py", pathlib.Path(logs, "oracle")
        source.write_text(text)
        oracle.write_text(TEST.format(log=str(log), name=source.name, depth=depth))
        oracle.chmod(0o755)
        result = place / "result.py" if tool == "nubbin" else source
        filled = {"oracle": str(oracle), "name": source.name, "result": result.name, "logs": logs}
        start = time.monotonic()
        is_stopped = run([word.format(**filled) for word in words], place, seconds)
        return {
            "tool": tool,
            "file": make.__name__,
            "before": len(TOKEN.findall(text.encode())),
            "tokens": len(TOKEN.findall(result.read_bytes())),
            "runs": log.stat().st_size,
            "seconds": round(time.monotonic() - start, 1),
            "stopped": is_stopped,
            "load": round(os.getloadavg()[0], 1),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nubbin", required=True, type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=384)
    parser.add_argument("--tools", type=lambda text: [name for name in text.split(",") if name], default=[])
    parser.add_argument("--seconds", type=float, default=60)
    asked = parser.parse_args()
    unknown = [tool for tool in asked.tools if tool not in TOOLS]
    if unknown:
        sys.exit(f"unknown tool `{unknown[0]}`; known tools: {', '.join(TOOLS)}")
    words = [str(asked.nubbin.resolve()), "-j1", "-q", "--no-config", "--no-journal", "--formatter", "none", "--writable", "{logs}"]
    words += ["--max-candidates", str(asked.runs), "-o", "{result}", "{oracle}", "{name}"]
    for make in (operators, brackets):
        rows = [("nubbin", words, 3600)] + [(tool, TOOLS[tool], asked.seconds) for tool in asked.tools]
        for tool, line, seconds in rows:
            print(json.dumps(measure(tool, line, make, seconds)), flush=True)


if __name__ == "__main__":
    main()
