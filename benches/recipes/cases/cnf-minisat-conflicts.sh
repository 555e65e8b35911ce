#!/bin/sh
# minisat 2.2: exit 0 iff the problem is unsatisfiable, and it needs at least 20 conflicts to see that.
out=$(timeout 10 minisat -verb=1 "${1:?}" 2>/dev/null)
[ $? -eq 20 ] || exit 1
printf '%s\n' "$out" | awk '$1 == "conflicts" { n = $3 } END { exit !(n >= 20) }'
