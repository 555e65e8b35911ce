#!/bin/sh
# A missed optimisation: exit 0 iff gcc 12.2 -O3 keeps the call of dead4, which clang 14 -O2 proves unreachable,
# the program finishes under ASan and UBSan without reaching it, and gcc has no serious warning.
f=${1:?usage: interesting.sh CANDIDATE.c}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 20 gcc -std=gnu17 -x c -w -O3 -S -o $d/g.s "$f" 2>/dev/null || exit 1
grep -q "\(call\|jmp\).*\<dead4\>" $d/g.s || exit 1
timeout 20 clang-14 -std=gnu17 -x c -w -O2 -S -o $d/c.s "$f" 2>/dev/null || exit 1
grep -q "\(call\|jmp\).*\<dead4\>" $d/c.s && exit 1
gcc -std=gnu17 -x c -fsyntax-only -Wall "$f" 2>&1 |
    grep -q -e '\[-W\(implicit\|int-conversion\|incompatible-pointer\|return-type\|main\|uninitialized\|maybe-uninitialized\|builtin-decl\)' && exit 1
echo 'void dead4(void) { __builtin_abort(); }' >$d/dead.c
for i in $(grep -o 'dead[0-9]*' "$f" | sort -u); do [ $i = dead4 ] || echo "void $i(void) { }"; done >>$d/dead.c
gcc -std=gnu17 -w -O0 -fsanitize=undefined,address -fno-sanitize-recover=all -o $d/a -x c "$f" -x c $d/dead.c 2>/dev/null || exit 1
ASAN_OPTIONS=detect_leaks=0 timeout 5 $d/a >/dev/null 2>&1
