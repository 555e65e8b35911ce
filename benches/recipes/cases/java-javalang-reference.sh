#!/bin/sh
# Exit 0 iff javac 17 can read the candidate, and javalang 0.13.0 expects an expression at a `::` in it.
f=${1:?usage: interesting.sh CANDIDATE.java}
here=$(dirname "$(readlink -f "$0")")
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 20 "$here/../.tools/pip/javalang==0.13.0/bin/python" -W ignore -c '
import sys
import javalang
try: javalang.parse.parse(open(sys.argv[1], encoding="utf-8").read())
except javalang.parser.JavaSyntaxError as error:
    sys.exit(0 if error.description == "Expected expression" and error.at.value == "::" else 1)
except Exception: pass
sys.exit(1)' "$f" || exit 1
timeout 20 javac -J-XX:TieredStopAtLevel=1 -proc:none -XDshould-stop.ifNoError=PARSE -d "$d" "$f" >/dev/null 2>&1
