#!/bin/sh
# Exit 0 iff Icarus Verilog 11 fails an assertion about a parameter's ranges, and Verilator 5.006 has no error.
f=${1:?usage: interesting.sh CANDIDATE.sv}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
LC_ALL=C timeout 20 iverilog -g2012 -t null -o "$d/x" "$f" 2>&1 |
    grep -q 'pform_set_parameter.*Assertion `range->size() == 1. failed' || exit 1
timeout 20 verilator --lint-only -Wno-fatal --Mdir "$d" "$f" >/dev/null 2>&1
