#!/bin/sh
# Exit 0 iff the only error of rustc 1.95 is that `*items` is borrowed as mutable while another borrow of it is in use.
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
out=$(timeout 20 rustc --edition 2021 --crate-type lib --emit metadata --cap-lints allow --error-format short -o "$d/x" "${1:?}" 2>&1) && exit 1
errors=$(printf '%s\n' "$out" | grep 'error\(\[.*\]\)\?: ' | grep -v 'aborting due to')
case $errors in *'error[E0502]: cannot borrow `*items` as mutable because it is also borrowed as immutable'*) ;; *) exit 1 ;; esac
[ "$(printf '%s\n' "$errors" | wc -l)" -eq 1 ]
