#!/usr/bin/env python3
"""Measures how probes, time and memory grow with the input: C and Python of 100 kB, 1 MB and 10 MB, reduced to three
distant statements.

usage: benches/scale.py [NUBBIN]        (default: target/release/nubbin)
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NUBBIN = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "target/release/nubbin").resolve()
SIZES = [100_000, 1_000_000, 10_000_000]
NEEDLES = ["needle_one = 1", "needle_two = 2", "needle_three = 3"]


def function_in_c(i: int, k: int) -> str:
    return (f"static int f{i}(int a, int *b)\n{{\n  int x = a * {k}, i;\n  for (i = 0; i < {k % 17}; i++) {{\n"
            f"    if (b[i] > {k}) x += b[i]; else x -= g{k}[i];\n  }}\n  return x + {i};\n}}\n")


def function_in_python(i: int, k: int) -> str:
    return (f"def f{i}(a, b):\n    x = a * {k}\n    for i in range({k % 17}):\n        if b[i] > {k}:\n"
            f"            x += b[i]\n        else:\n            x -= g{k}[i]\n    return x + {i}\n\n")


def generated(ending: str, size: int) -> str:
    """Returns functions that are not needed, with the needles after a tenth, a half and nine tenths."""
    rng = random.Random(7)
    function, form = (function_in_c, "int {};\n") if ending == "c" else (function_in_python, "{}\n")
    needles = list(zip([size // 10, size // 2, 9 * size // 10], NEEDLES))
    parts, length = [], 0
    while length < size:
        if needles and length >= needles[0][0]:
            parts.append(form.format(needles.pop(0)[1]))
        parts.append(function(len(parts), rng.randrange(1000)))
        length += len(parts[-1])
    return "".join(parts)


def measured(ending: str, size: int) -> dict:
    with tempfile.TemporaryDirectory() as place:
        source, oracle = Path(place, f"input.{ending}"), Path(place, "oracle.sh")
        source.write_text(generated(ending, size))
        oracle.write_text("#!/bin/sh\n" + " && ".join(f'grep -q "{needle}" "$1"' for needle in NEEDLES) + "\n")
        oracle.chmod(0o755)
        command = [NUBBIN, "--no-journal", "-j", "1", "--json", "-o", f"out.{ending}", oracle, source.name]
        start = time.monotonic()
        with open(Path(place, "messages"), "w+") as messages:
            process = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=messages, text=True,
                                       env={**os.environ, "NUBBIN_FORMATTER": "none", "NUBBIN_PREPROCESSOR": "none"})
            summary = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        assert status == 0, Path(place, "messages").read_text()
        return {"language": ending, "bytes": size, "probes": json.loads(summary)["probes"]["all"], "seconds": round(seconds, 1),
                "memory_mb": usage.ru_maxrss // 1024, "result_bytes": Path(place, f"out.{ending}").stat().st_size}


def main() -> None:
    rows = []
    for ending in ["c", "py"]:
        for size in SIZES:
            rows.append(measured(ending, size))
            print(json.dumps(rows[-1]), flush=True)


if __name__ == "__main__":
    main()
