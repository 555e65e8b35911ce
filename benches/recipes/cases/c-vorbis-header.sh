#!/bin/sh
# Exit 0 iff gcc 12.2 at -O2 reports that `header[6]` may be used uninitialized, and clang 14 accepts the file.
f=${1:?usage: interesting.sh CANDIDATE.c}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
out=$(LC_ALL=C timeout 20 gcc -x c -O2 -Wall -c -o "$d/x.o" "$f" 2>&1) || exit 1
printf '%s\n' "$out" | grep -q 'header\[6\].* may be used uninitialized' || exit 1
timeout 20 clang-14 -x c -w -Werror=implicit-function-declaration -fsyntax-only "$f" 2>/dev/null
