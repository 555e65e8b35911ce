#!/bin/sh
# Exit 0 iff Icarus Verilog 11 rejects a parameter that is a type, and Verilator 5.006 has no error.
f=${1:?usage: interesting.sh CANDIDATE.sv}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 20 iverilog -g2012 -t null -o "$d/x" "$f" 2>&1 |
    grep -q 'sorry: cannot currently create a parameter of type' || exit 1
timeout 20 verilator --lint-only -Wno-fatal --Mdir "$d" "$f" >/dev/null 2>&1
