#!/bin/sh
# Exit 0 iff the only error of rustc 1.95 is that a value is still borrowed when its destructor runs.
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
out=$(timeout 20 rustc --edition 2018 --crate-type lib --emit metadata --cap-lints allow --cfg 'feature="alloc"' --cfg 'feature="std"' -o "$d/x" "${1:?}" 2>&1) && exit 1
printf '%s\n' "$out" | grep -q 'aborting due to 1' || exit 1
printf '%s\n' "$out" | grep -q '^error\[E0713\]' && printf '%s\n' "$out" | grep -q 'because the type `.*<.*>` implements the `Drop` trait'
