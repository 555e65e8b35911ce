#!/bin/sh
# Exit 0 iff the only error of rustc 1.95 is that a closure cannot be sent to another thread, because of an enum in a struct.
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
out=$(timeout 20 rustc --edition 2021 --emit metadata --cap-lints allow --cfg 'feature="std"' -o "$d/x" "${1:?}" 2>&1) && exit 1
printf '%s\n' "$out" | grep -q 'aborting due to 1' || exit 1
printf '%s\n' "$out" | grep -q '^error\[E0277\]: .* cannot be sent between threads safely' || exit 1
within=$(printf '%s\n' "$out" | grep -A4 'required because it appears within the type')
printf '%s\n' "$within" | grep -Eq '^ *[0-9]+ \|.*\benum ' && printf '%s\n' "$within" | grep -Eq '^ *[0-9]+ \|.*\bstruct ' || exit 1
printf '%s\n' "$out" | grep -q "required because it's used within this closure"
