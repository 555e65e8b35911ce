#!/bin/sh
# MLIR 16: exit 0 iff the only error of mlir-opt is that a called function has the type of another value.
out=$(timeout 20 mlir-opt-16 -o /dev/null "${1:?usage: interesting.sh CANDIDATE.mlir}" 2>&1) && exit 1
[ "$(printf '%s\n' "$out" | grep -c ' error: ')" = 1 ] &&
    printf '%s\n' "$out" | grep -q "expects different type than prior uses: '!llvm.ptr<func<.*>>' vs '!llvm.ptr'"
