#!/bin/sh
# Exit 0 iff PostgreSQL's own parser (pglast 8.8) accepts the candidate, and sqlglot 10.0.0 reports a missing type in a
# cast in one of its statements.
here=$(dirname "$(readlink -f "$0")")
exec timeout 30 "$here/../.tools/pip/sqlglot==10.0.0/bin/python" -W ignore -c '
import sys
import pglast
text = open(sys.argv[1], encoding="utf-8").read()
try:
    pglast.parse_sql(text)
    statements = pglast.split(text)
except Exception: sys.exit(1)
import sqlglot
for statement in statements:
    try: sqlglot.parse(statement, read="postgres")
    except sqlglot.ParseError as error:
        if str(error).startswith("Expected TYPE after CAST."): sys.exit(0)
    except Exception: pass
sys.exit(1)' "${1:?}" 2>/dev/null
