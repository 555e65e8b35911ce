#!/bin/sh
# Exit 0 iff Ruby ends with InvalidArgument for the number 12x.
ulimit -t 4
ulimit -v 2000000
timeout 20 ruby --disable=gems "${1:?}" 2>&1 >/dev/null </dev/null | grep -q 'invalid argument: --number 12x (.*InvalidArgument)'
