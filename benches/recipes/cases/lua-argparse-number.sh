#!/bin/sh
# Exit 0 iff the program reports that the argument 12x is malformed (Lua 5.4).
ulimit -t 2
ulimit -v 1000000
timeout 20 lua5.4 "${1:?}" 2>&1 >/dev/null </dev/null | grep -q "malformed argument '12x'"
