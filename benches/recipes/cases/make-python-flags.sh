#!/bin/sh
# GNU make 4.3: exit 0 iff `PY_CORE_CFLAGS` contains flags of four variables that the file sets elsewhere.
out=$(timeout 10 make -rn -f "${1:?}" --eval='show: ; : $(PY_CORE_CFLAGS) end' show 2>/dev/null) || exit 1
case $out in ': '*' -DNDEBUG '*' -O3'*' -Wall '*' -std=c11 '*' -I./Include/internal '*' -DPy_BUILD_CORE end') exit 0 ;; esac
exit 1
