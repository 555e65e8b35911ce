#!/bin/sh
# cadical 1.5, which is strict about the header: exit 0 iff the problem is unsatisfiable after at least 15 conflicts.
out=$(timeout 10 cadical "${1:?}" 2>/dev/null)
[ $? -eq 20 ] || exit 1
printf '%s\n' "$out" | awk '$2 == "conflicts:" { n = $3 } END { exit !(n >= 15) }'
