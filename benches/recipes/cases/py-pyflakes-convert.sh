#!/bin/sh
# A false alarm of pyflakes 3.0.1: exit 0 iff it calls CERT_REQUIRED undefined, although the candidate, when imported,
# has that name as an enumeration that `_convert_` created, and uses it in a function.
here=$(dirname "$(readlink -f "$0")")
exec timeout 10 "$here/../.tools/venv/bin/python" -W ignore -c '
import ast, enum, sys, types
try:
    text = open(sys.argv[1], encoding="utf-8").read()
    tree = ast.parse(text)
    module = sys.modules["ssl"] = types.ModuleType("ssl")
    exec(compile(tree, "ssl.py", "exec"), module.__dict__)
    if not isinstance(module.CERT_REQUIRED, enum.IntEnum): sys.exit(1)
    if not any(isinstance(f, ast.FunctionDef) and any(isinstance(n, ast.Name) and n.id == "CERT_REQUIRED" for n in ast.walk(f)) for f in ast.walk(tree)): sys.exit(1)
except Exception: sys.exit(1)
from pyflakes import checker
said = [str(m.message_args[0]) for m in checker.Checker(tree, "ssl.py").messages if type(m).__name__ == "UndefinedName"]
sys.exit(0 if "CERT_REQUIRED" in said else 1)' "${1:?}"
