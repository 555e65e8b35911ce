#!/bin/sh
# Exit 0 iff the only error of Go 1.19 is an initialization loop, which goes from a variable through three functions or more.
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
out=$(timeout 20 go tool compile -e -p x -o "$d/x.o" "${1:?}" 2>&1) && exit 1
case $out in *'initialization loop for '*) ;; *) exit 1 ;; esac
[ "$(printf '%s\n' "$out" | grep -c '^[^	]')" -eq 1 ] && [ "$(printf '%s\n' "$out" | grep -c ' refers to$')" -ge 4 ]
