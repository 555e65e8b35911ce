#!/bin/sh
# toml 0.10.2: exit 0 iff CPython's tomllib accepts the candidate, but not the output of toml for it.
here=$(dirname "$(readlink -f "$0")")
exec timeout 10 "$here/../.tools/pip/toml==0.10.2/bin/python" -W ignore -c '
import sys
import tomllib
import toml
try:
    text = open(sys.argv[1], encoding="utf-8").read()
    tomllib.loads(text)
    again = toml.dumps(toml.loads(text))
except Exception: sys.exit(1)
try: tomllib.loads(again)
except tomllib.TOMLDecodeError as error: sys.exit(0 if str(error).startswith("Unescaped ") else 1)
sys.exit(1)' "${1:?}"
