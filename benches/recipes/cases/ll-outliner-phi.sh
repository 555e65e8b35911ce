#!/bin/sh
# LLVM 14: exit 0 iff the module is valid, and the output of the outliner is not, because of a PHI node without an entry.
f=${1:?usage: interesting.sh CANDIDATE.ll}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 20 opt-14 -passes=iroutliner -o "$d/x" "$f" 2>&1 |
    grep -q 'PHINode should have one entry for each predecessor of its parent basic block!' || exit 1
timeout 20 opt-14 -passes=verify -o "$d/x" "$f" 2>/dev/null
