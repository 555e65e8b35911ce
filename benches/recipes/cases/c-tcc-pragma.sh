#!/bin/sh
# Exit 0 iff tcc 0.9.27 rejects with this message a program that gcc 12.2 and clang 14 compile without a warning about
# declarations.
f=${1:?usage: interesting.sh CANDIDATE.c}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 10 tcc -w -c -o $d/x.o "$f" 2>&1 | grep -q "error: ',' expected (got \")\")" || exit 1
out=$(timeout 10 gcc -std=gnu17 -x c -fsyntax-only -Wall -Wno-unused "$f" 2>&1) || exit 1
printf '%s\n' "$out" | grep -q -e '\[-W\(implicit\|return-type\|main\|pragmas\|unknown-pragmas\)' && exit 1
timeout 10 clang-14 -std=gnu17 -x c -w -fsyntax-only "$f" 2>/dev/null
