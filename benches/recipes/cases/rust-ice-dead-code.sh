#!/bin/sh
# Exit 0 iff rustc 1.95 crashes in `shim.rs`, on code for a method of a trait object, if it keeps dead code, and accepts
# the candidate otherwise.
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
export RUST_BACKTRACE=0 RUSTC_ICE=0
R='timeout 20 rustc --edition 2021 --crate-type lib --cap-lints allow'
$R --emit obj -C link-dead-code -o "$d/x" "${1:?}" 2>&1 |
    grep -q 'internal compiler error: .*rustc_mir_transform/src/shim.rs.*InstanceKind::Virtual' || exit 1
$R --emit mir -o "$d/x" "$1" 2>/dev/null
