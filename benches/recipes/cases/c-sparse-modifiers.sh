#!/bin/sh
# Exit 0 iff sparse 0.6.4 reports `incompatible types in comparison expression (different modifiers)`
# on a program that gcc accepts, without a warning about conversions or declarations.
f=${1:?usage: interesting.sh CANDIDATE.c}
timeout 10 sparse -std=gnu17 -w "$f" 2>&1 | grep -q 'error: incompatible types in comparison expression (different modifiers)' || exit 1
out=$(timeout 10 gcc -std=gnu17 -x c -fsyntax-only -Wall -Wno-unused "$f" 2>&1) || exit 1
printf '%s\n' "$out" | grep -q -e '\[-W\(implicit\|int-conversion\|incompatible-pointer\|discarded\|return-type\|main\)' && exit 1
exit 0
