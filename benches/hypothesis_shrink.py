#!/usr/bin/env python3
"""Compares the reduction of values by `nubbin.shrink` with the shrinker of Hypothesis.

There are five properties in the style of Hypothesis' examples, each with a fault. Hypothesis searches for a failing value
with a seed; both tools start from the first one, and the search for it is not counted. A row for each property and seed has
the size of the value before and after, in tokens and characters of its `repr`, and the number of calls of the property.

    python3 benches/hypothesis_shrink.py [--seeds 5] [--json FILE]

It needs the packages `hypothesis` and `nubbin`.
"""

import argparse
import ast
import json
import platform
import random
import re
import statistics
import time

import hypothesis
from hypothesis import Phase, settings
from hypothesis import strategies as st

from nubbin._testing.values import smaller


class Broken(Exception):
    """The property does not hold."""


def encode(text):
    """Run-length encoding, with the fault of the quick start: the count is not reset."""
    if not text:
        return []
    count, last, runs = 1, text[0], []
    for character in text[1:]:
        if character == last:
            count += 1
        else:
            runs.append((last, count))
            last = character
    runs.append((last, count))
    return runs


def decodes_what_it_encodes(text):
    if "".join(character * count for character, count in encode(text)) != text:
        raise Broken


def bound5(lists):
    """Five short lists of 16 bits whose sum is not below 5 * 256: from the collection of challenges for shrinkers."""
    if len(lists) != 5 or any(sum(numbers) >= 256 for numbers in lists):
        return
    if wrapped(sum(sum(numbers) for numbers in lists)) >= 5 * 256:
        raise Broken


def wrapped(number):
    return (number + (1 << 15)) % (1 << 16) - (1 << 15)


def sort_keeps_all(numbers):
    """A sort that loses duplicates."""
    if sorted(set(numbers)) != sorted(numbers):
        raise Broken


def json_round_trip(value):
    """A reader that converts every key to lower case."""
    read = json.loads(json.dumps(value), object_hook=lambda found: {key.lower(): one for key, one in found.items()})
    if read != value:
        raise Broken


def reverse_is_the_same(numbers):
    """The first property of many tutorials: a list equals its reverse."""
    if list(reversed(numbers)) != numbers:
        raise Broken


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)
PROPERTIES = {
    "run-length decode": (decodes_what_it_encodes, st.text()),
    "bound5": (bound5, st.lists(st.lists(st.integers(-(1 << 15), (1 << 15) - 1), max_size=10), min_size=5, max_size=5)),
    "sort keeps all": (sort_keeps_all, st.lists(st.integers())),
    "json round trip": (json_round_trip, VALUES),
    "reverse is the same": (reverse_is_the_same, st.lists(st.integers())),
}


def fails(test, value):
    try:
        test(value)
    except Broken:
        return True
    return False


def by_hypothesis(test, strategy, seed):
    """Returns the first failing value, the last one, the calls between them, and the seconds."""
    failing, calls = [], [0]

    def once(value):
        if failing:
            calls[0] += 1
        if fails(test, value):
            failing.append(value)
            raise Broken

    limits = settings(
        max_examples=100_000, database=None, phases=[Phase.generate, Phase.shrink], report_multiple_bugs=False, deadline=None
    )
    begun = time.perf_counter()
    try:
        hypothesis.seed(seed)(limits(hypothesis.given(strategy)(once)))()
    except Broken:
        return failing[0], failing[-1], calls[0], time.perf_counter() - begun
    raise SystemExit(f"no failing value was found for {test.__name__} with seed {seed}")


def by_nubbin(test, value):
    calls = [0]

    def holds(candidate):
        calls[0] += 1
        try:
            return fails(test, candidate)
        except Exception:  # the value does not have the property's type
            return False

    begun = time.perf_counter()
    found = smaller(value, holds)
    return found.value, calls[0], time.perf_counter() - begun


def tokens(value):
    return len(re.findall(r"\w+|[^\w\s]", repr(value)))


def measured(name, seed):
    test, strategy = PROPERTIES[name]
    random.seed(seed)
    first, theirs, their_calls, their_seconds = by_hypothesis(test, strategy, seed)
    if not isinstance(first, str):
        assert ast.literal_eval(repr(first)) == first
    ours, our_calls, our_seconds = by_nubbin(test, first)
    assert fails(test, ours) and fails(test, theirs)
    row = {"property": name, "seed": seed, "before": {"tokens": tokens(first), "characters": len(repr(first))}}
    for tool, value, calls, seconds in [
        ("hypothesis", theirs, their_calls, their_seconds),
        ("nubbin", ours, our_calls, our_seconds),
    ]:
        row[tool] = {
            "value": repr(value),
            "tokens": tokens(value),
            "characters": len(repr(value)),
            "calls": calls,
            "seconds": round(seconds, 3),
        }
    return row


def show(rows):
    """Prints a table of medians."""
    print("| property | before | Hypothesis: tokens, calls | Nubbin: tokens, calls | Hypothesis' value | Nubbin's value |")
    print("|---|---|---|---|---|---|")
    for name in PROPERTIES:
        own = [row for row in rows if row["property"] == name]

        def middle(tool, key):
            return f"{statistics.median_high(row[tool][key] for row in own):,}"

        cells = [name, middle("before", "tokens")]
        cells += [f"{middle(tool, 'tokens')}, {middle(tool, 'calls')}" for tool in ("hypothesis", "nubbin")]
        cells += [f"`{own[0][tool]['value']}`" for tool in ("hypothesis", "nubbin")]
        print("| " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    rows = [measured(name, seed) for name in PROPERTIES for seed in range(options.seeds)]
    show(rows)
    if options.json:
        versions = {"hypothesis": hypothesis.__version__, "python": platform.python_version()}
        with open(options.json, "w") as file:
            file.write(json.dumps(versions) + "\n")
            file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
