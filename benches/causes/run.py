"""Runs `nubbin causes` on each program, and reports whether the line of the fix is in a transition.

    python3 benches/causes/run.py NUBBIN [CASE…]

A row has the runs, the seconds, the number of transitions, the remaining share of the differences between the states, and the
rank of the first transition with the line of the fix.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def measure(nubbin: str, case: Path) -> dict:
    about = tomllib.loads((case / "case.toml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / case.name
        shutil.copytree(case, work)
        if "build" in about:
            subprocess.run(about["build"], shell=True, cwd=work, check=True)
        words = [nubbin, "causes", "-j1", "--quiet", "--json", "--", *about["passing"], "--", *about["failing"]]
        start = time.monotonic()
        run = subprocess.run(words, cwd=work, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
    row = {"case": case.name, "seconds": round(seconds, 1), "status": run.returncode}
    if run.returncode:
        return row | {"error": run.stderr.strip()}
    found = json.loads(run.stdout)
    links, transitions = found["links"], found["transitions"]
    fixes = about.get("fix_lines", [about["fix_line"]])
    ranked = [transitions[at] for at in found["ranking"]]
    lines = [[place["line"] for place in one["places"]] for one in ranked]
    hits = [at + 1 for at, one in enumerate(lines) if set(one) & set(fixes)]
    after = [links[one["links"][1]]["place"]["line"] for one in ranked]
    near = [at + 1 for at, one in enumerate(after) if one in fixes]
    shares = [len(link["words"]) / link["differences"] for link in links]
    return row | {
        "runs": found["runs"],
        "moments": found["moments"],
        "examined": found["examined"],
        "links": len(links),
        "transitions": len(transitions),
        "effects": {effect: sum(one["effect"] == effect for one in transitions) for effect in ("same", "other", "nothing", None)},
        "share_left": round(sum(shares) / len(shares), 3) if shares else None,
        "fix_in_transition": hits[0] if hits else None,
        "fix_next_to_transition": near[0] if near else None,
        "failure": found["failure"],
    }


def main() -> None:
    nubbin, *names = sys.argv[1:]
    nubbin = str(Path(nubbin).resolve()) if Path(nubbin).exists() else shutil.which(nubbin)
    cases = sorted(path.parent for path in HERE.glob("*/case.toml") if not names or path.parent.name in names)
    for case in cases:
        print(json.dumps(measure(nubbin, case)), flush=True)


if __name__ == "__main__":
    main()
