#!/bin/sh
# Exit 0 iff the only error of ghc 9.0 is that a type variable would escape its scope.
out=$(LC_ALL=C.UTF-8 timeout 20 ghc -v0 -fno-code -w "${1:?usage: interesting.sh CANDIDATE.hs}" 2>&1) && exit 1
[ "$(printf '%s\n' "$out" | grep -c ' error:')" = 1 ] && printf '%s\n' "$out" | grep -q 'would escape its scope'
