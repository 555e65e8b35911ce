#!/bin/sh
# LLVM 14: exit 0 iff the module is valid, and the Hexagon backend cannot select the instruction `extractu` that it made itself.
f=${1:?usage: interesting.sh CANDIDATE.ll}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
grep -q 'llvm.hexagon' "$f" && exit 1
timeout 20 llc-14 -march=hexagon -o "$d/x" "$f" 2>&1 |
    grep -q 'LLVM ERROR: Cannot select: intrinsic %llvm.hexagon.S2.extractu' || exit 1
timeout 20 opt-14 -passes=verify -o "$d/x" "$f" 2>/dev/null
