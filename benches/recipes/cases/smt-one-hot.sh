#!/bin/sh
# Exit 0 iff z3 4.8.10 prints `unsat` and no error, and needs at least ten conflicts.
z3="$(dirname "$(readlink -f "$0")")/../.tools/pip/z3-solver==4.8.10.0/bin/z3"
out=$(timeout 20 "$z3" -st "${1:?usage: interesting.sh CANDIDATE.smt2}") || exit 1
[ "$(printf '%s\n' "$out" | sed '/^(:/,$d')" = unsat ] || exit 1
conflicts=$(printf '%s\n' "$out" | sed -n 's/^[ (]:conflicts  *\([0-9]*\).*/\1/p')
[ "${conflicts:-0}" -ge 10 ]
