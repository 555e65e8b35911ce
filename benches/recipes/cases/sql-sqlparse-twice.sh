#!/bin/sh
# sqlparse 0.4.3: exit 0 iff indenting the result again changes it.
here=$(dirname "$(readlink -f "$0")")
exec timeout 30 "$here/../.tools/pip/sqlparse==0.4.3/bin/python" -W ignore -c '
import sys
import sqlparse
pretty = lambda text: sqlparse.format(text, reindent_aligned=True)
try: once = pretty(open(sys.argv[1], encoding="utf-8").read())
except Exception: sys.exit(1)
sys.exit(0 if pretty(once) != once else 1)' "${1:?}" 2>/dev/null
