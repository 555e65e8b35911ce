#!/bin/sh
# Exit 0 iff z3 4.8.10 accepts the candidate, and the output of PySMT 0.9.6 has a definition whose name lost its bars.
f=${1:?usage: interesting.sh CANDIDATE.smt2}
tools="$(dirname "$(readlink -f "$0")")/../.tools/pip/pysmt==0.9.6/bin"
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 20 "$tools/python" -W ignore -c '
import sys
from pysmt.smtlib.parser import SmtLibParser
try: SmtLibParser().get_script_fname(sys.argv[1]).to_file(sys.argv[2], daggify=True)
except Exception: sys.exit(1)' "$f" "$d/x.smt2" || exit 1
timeout 20 "$tools/z3" "$d/x.smt2" 2>&1 | grep -q "invalid list of sorted variables, '(' expected got" || exit 1
timeout 20 "$tools/z3" "$f" >/dev/null 2>&1
