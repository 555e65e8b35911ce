#!/bin/sh
# LLVM 14: exit 0 iff the module is valid, and the pass that splits loops at a bound is killed by SIGSEGV on it.
f=${1:?usage: interesting.sh CANDIDATE.ll}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 20 opt-14 -passes=loop-bound-split -o "$d/x" "$f" 2>/dev/null
[ $? -eq 139 ] || exit 1
timeout 20 opt-14 -passes=verify -o "$d/x" "$f" 2>/dev/null
