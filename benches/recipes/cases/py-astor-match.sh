#!/bin/sh
# astor 0.8.1 has no code for `match`: exit 0 iff the candidate compiles and `to_source` raises this AttributeError.
here=$(dirname "$(readlink -f "$0")")
exec timeout 10 "$here/../.tools/venv/bin/python" -W ignore -c '
import ast, sys
try: tree = ast.parse(open(sys.argv[1], encoding="utf-8").read()); compile(tree, "x", "exec")
except Exception: sys.exit(1)
import astor
try: astor.to_source(tree)
except AttributeError as error: sys.exit(0 if str(error) == "No defined handler for node of type Match" else 1)
except Exception: pass
sys.exit(1)' "${1:?}"
