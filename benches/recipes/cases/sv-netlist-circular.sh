#!/bin/sh
# Exit 0 iff Verilator 5.006 reports circular logic (UNOPTFLAT) and no error, and Icarus Verilog 11 prints nothing.
f=${1:?usage: interesting.sh CANDIDATE.v}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
out=$(timeout 20 verilator --lint-only -Wno-fatal -Wwarn-UNOPTFLAT --Mdir "$d" "$f" 2>&1) || exit 1
case $out in *%Error*) exit 1 ;; *%Warning-UNOPTFLAT:*) ;; *) exit 1 ;; esac
[ -z "$(timeout 20 iverilog -g2012 -t null "$f" 2>&1)" ]
