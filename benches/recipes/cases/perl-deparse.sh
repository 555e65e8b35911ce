#!/bin/sh
# perl 5.36: exit 0 iff the candidate compiles and the output of B::Deparse has a syntax error near `%{{`.
f=${1:?usage: interesting.sh CANDIDATE.pm}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 10 perl -c "$f" >/dev/null 2>&1 || exit 1
timeout 10 perl -MO=Deparse "$f" >$d/out.pl 2>/dev/null || exit 1
timeout 10 perl -c $d/out.pl 2>&1 | grep -q '^syntax error at .* near "%{{}'
