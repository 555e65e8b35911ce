#!/bin/sh
# Exit 0 iff z3 4.8.10 has no error, says nothing but `unsat`, and needs ten conflicts or more for it.
z3="$(dirname "$(readlink -f "$0")")/../.tools/pip/z3-solver==4.8.10.0/bin/z3"
out=$(timeout 20 "$z3" -st "${1:?usage: interesting.sh CANDIDATE.smt2}") || exit 1
[ "$(printf '%s\n' "$out" | sed '/^(:/,$d')" = unsat ] || exit 1
conflicts=$(printf '%s\n' "$out" | sed -n 's/^[ (]:conflicts  *\([0-9]*\).*/\1/p')
[ "${conflicts:-0}" -ge 10 ]
