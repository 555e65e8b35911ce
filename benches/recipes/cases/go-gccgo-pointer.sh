#!/bin/sh
# Go 1.19 and gccgo 12.2 disagree: exit 0 iff Go compiles the candidate, and gccgo stops at a type with arguments.
f=${1:?usage: interesting.sh CANDIDATE.go}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 20 go tool compile -p x -o "$d/x.o" "$f" >/dev/null 2>&1 || exit 1
LC_ALL=C timeout 20 gccgo-12 -c -o "$d/y.o" "$f" 2>&1 | grep -q "error: expected ';' or '}' or newline"
