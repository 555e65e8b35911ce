#!/bin/sh
# shfmt 3.6.0: exit 0 iff bash can parse the candidate, and minifying the result again changes it.
f=${1:?usage: interesting.sh CANDIDATE.sh}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 10 shfmt -ln bash -mn "$f" >"$d/once" 2>/dev/null || exit 1
timeout 10 shfmt -ln bash -mn "$d/once" >"$d/twice" 2>/dev/null || exit 1
cmp -s "$d/once" "$d/twice" && exit 1
timeout 10 bash -n "$f" 2>/dev/null
