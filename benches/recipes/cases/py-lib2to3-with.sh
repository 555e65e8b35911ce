#!/bin/sh
# lib2to3 of CPython 3.11 does not support a `with` in parentheses: exit 0 iff the candidate compiles and its parser
# stops at a token `as`.
exec timeout 20 python3 -S -W ignore -c '
import ast, sys
try: text = open(sys.argv[1], encoding="utf-8").read(); compile(text, "x", "exec")
except Exception: sys.exit(1)
from lib2to3 import pygram, pytree
from lib2to3.pgen2 import driver, parse
grammar = pygram.python_grammar_no_print_and_exec_statement
try: driver.Driver(grammar, convert=pytree.convert).parse_string(text if text.endswith("\n") else text + "\n")
except parse.ParseError as error: sys.exit(0 if error.msg == "bad input" and error.value == "as" else 1)
except Exception: pass
sys.exit(1)' "${1:?}"
