#!/bin/sh
# Exit 0 iff the only error of Go 1.19 is an initialization loop, which goes from a variable through three functions or more.
# Go reports one of several loops at random, so it runs twelve times.
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    out=$(timeout 20 go tool compile -e -p x -o "$d/x.o" "${1:?}" 2>&1) && exit 1
    case $out in *'initialization loop for '*) ;; *) exit 1 ;; esac
    [ "$(printf '%s\n' "$out" | grep -c '^[^	]')" -eq 1 ] || exit 1
    [ "$(printf '%s\n' "$out" | grep -c ' refers to$')" -ge 4 ] || exit 1
done
