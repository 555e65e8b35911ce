#!/bin/sh
# luacheck 1.1.0: exit 0 iff LuaJIT can parse the candidate, and luacheck reports the use of a variable whose name marks it as
# unused.
f=${1:?usage: interesting.sh CANDIDATE.lua}
timeout 10 luacheck --no-config --no-cache --no-color --codes --std luajit "$f" 2>/dev/null | grep -q '(W214)' || exit 1
timeout 10 luajit -bl "$f" >/dev/null 2>&1
