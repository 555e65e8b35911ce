#!/usr/bin/env python3
"""Measures the effect of a file of rules: reduces cases with and without it.

    rule_files.py --nubbin target/release/nubbin LANGUAGE/FILE.scm[,…] CASE [CASE…]

A case is a directory with `input.EXT` and an oracle (`oracle` or `interesting.sh`), as in `corpus/` or written by
`recipes/make.py`. Both runs have one job, no formatter and no preprocessor. The rows are JSON lines; `with` and `without`
contain tokens, bytes and probes.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def reduced(nubbin, case, left_out, limit):
    """Returns the tokens, bytes and probes of a run, and its outcome."""
    source = next(case.glob("input.*"))
    oracle = next(case / name for name in ("oracle", "interesting.sh") if (case / name).exists())
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / f"result{source.suffix}"
        words = [nubbin, "-j1", "-q", "--no-config", "--no-journal", "--formatter", "none", "--preprocessor", "none"]
        words += ["--json", "--max-time", f"{limit}s", "-o", out, oracle, source]
        environment = os.environ | {"NUBBIN_RULES": ",".join(f"-{name}" for name in left_out)}
        run = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             env=environment)
        said = run.stdout + run.stderr
        if not out.exists():
            sys.exit(f"{case.name}: {said}")
        summary = json.loads(said[said.index("{"):said.rindex("}") + 1])
        return [summary["after"]["tokens"], out.stat().st_size, summary["probes"]["all"]], summary["outcome"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nubbin", default="target/release/nubbin", type=pathlib.Path)
    parser.add_argument("--limit", default=1800, type=int, help="seconds for each run")
    parser.add_argument("files", help="such as `go/late.scm`, comma-separated; each is disabled in a separate run")
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    nubbin = asked.nubbin.resolve()
    for case in (case.resolve() for case in asked.cases):
        whole, outcome = reduced(nubbin, case, [], asked.limit)
        for name in asked.files.split(","):
            without, other = reduced(nubbin, case, [name], asked.limit)
            row = {"file": name, "case": case.name, "with": whole, "without": without, "outcomes": [outcome, other]}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
