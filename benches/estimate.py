#!/usr/bin/env python3
"""Evaluates the live view's estimate of the remaining probes, and fits its coefficients.

    estimate.py [--nubbin target/release/nubbin] [--fit] LOG…

Each LOG is a file that `nubbin --json-log` wrote for one run. A row has the shares of the run in which the estimate was
within a factor of two, within a factor of three, and within its interval; the last five probes of a run are not counted.
The coefficients are those of `src/show/live/estimate.rs`. With `--fit`, the script prints the coefficients that fit these
runs best (least squares, a hundred moments of each run) and evaluates them by tenfold cross-validation. The rows are JSON
lines; the last one is for all runs.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ["constant", "tokens", "tokens_squared", "probes", "tier"]
LEAST = 5


def numbers():
    """Returns the program's coefficients, the maximum number of tokens that counts, and the interval."""
    text = (HERE.parent / "src/show/live/estimate.rs").read_text().split("const TUNING")[1]
    of = lambda name: float(re.search(rf"\b{name}: (-?[\d.]+)", text)[1])
    interval = re.search(r"interval: \(([\d.]+), ([\d.]+)\)", text)
    return [of(name) for name in NAMES], of("most_tokens"), (float(interval[1]), float(interval[2]))


def tiers(nubbin):
    """Returns the number of stages before each pass, as `nubbin passes` prints them; the proof is after all of them."""
    shown = subprocess.run([nubbin, "passes"], check=True, capture_output=True, text=True).stdout
    before, number = {}, 0
    for line in shown.split("Stages for a file in a known language:")[1].split("proof")[0].splitlines():
        found = re.match(r"\s+(\d+|before)  (.+)", line)
        if found:
            number = 0 if found[1] == "before" else int(found[1])
            before.update(dict.fromkeys(found[2].split(", "), max(number - 1, 0)))
    return before | {"sweep": number}


def moments(path, before):
    """Returns the moments of a run: the values that the estimate depends on, and the remaining probes."""
    tokens, probes, tier, seen = None, 0, 0, []
    for line in path.open():
        event = json.loads(line)
        if event["event"] in ("started", "step") and "size" in event:
            tokens = event["size"]["tokens"]
        elif event["event"] == "pass":
            tier = max(tier, before.get(event["pass"], 0))
        elif event["event"] == "probe":
            probes += 1
            if tokens is not None:
                seen.append((tokens, probes, tier))
    return [(moment, probes - moment[1]) for moment in seen if probes - moment[1] >= LEAST]


def terms(moment, most):
    tokens, probes, tier = moment
    size = math.log(min(max(tokens, 1), most))
    return [1, size, size * size, math.log(probes), tier]


def fitted(runs, most):
    """Returns the coefficients by least squares (normal equations)."""
    size = len(NAMES)
    matrix, right = [[0.0] * size for _ in range(size)], [0.0] * size
    for run in runs:
        for moment, left in run[:: max(1, len(run) // 100)]:
            row, value = terms(moment, most), math.log(left)
            for i in range(size):
                right[i] += row[i] * value
                for j in range(size):
                    matrix[i][j] += row[i] * row[j]
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(matrix[row][i]))
        matrix[i], matrix[pivot], right[i], right[pivot] = matrix[pivot], matrix[i], right[pivot], right[i]
        for row in range(size):
            if row != i:
                factor = matrix[row][i] / matrix[i][i]
                matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[i])]
                right[row] -= factor * right[i]
    return [right[i] / matrix[i][i] for i in range(size)]


def ratios(run, found, most):
    """Returns the estimate divided by the remaining probes, at each moment."""
    return [math.exp(sum(a * b for a, b in zip(terms(moment, most), found))) / left for moment, left in run]


def shares(of, interval):
    least, high = interval
    within = lambda low, top: round(sum(low <= ratio <= top for ratio in of) / len(of), 2)
    return {"within 2": within(1 / 2, 2), "within 3": within(1 / 3, 3), "in its interval": within(1 / high, 1 / least)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nubbin", default=HERE.parent / "target/release/nubbin")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("events", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    found, most, interval = numbers()
    before = tiers(asked.nubbin)
    runs = {path.stem: run for path in asked.events if len(run := moments(path, before)) >= 10}
    if not runs:
        sys.exit("no run of at least ten probes")
    estimates = {name: ratios(run, found, most) for name, run in runs.items()}
    if asked.fit:
        print(json.dumps(dict(zip(NAMES, (round(number, 3) for number in fitted(runs.values(), most))))))
        for part in range(min(10, len(runs))):
            inside = list(runs)[part::10]
            others = fitted([run for name, run in runs.items() if name not in inside], most)
            estimates |= {name: ratios(runs[name], others, most) for name in inside}
    for name, of in estimates.items():
        print(json.dumps({"case": name, "probes": len(of) + LEAST} | shares(of, interval)))
    every = {key: [shares(of, interval)[key] for of in estimates.values()] for key in ("within 2", "within 3", "in its interval")}
    print(json.dumps({"case": "all", "runs": len(estimates)} | {key: round(sum(of) / len(of), 2) for key, of in every.items()}))


if __name__ == "__main__":
    main()
