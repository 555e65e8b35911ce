#!/bin/sh
# Exit 0 iff the program ends with `ValueError: unsupported format character`, raised in `_expand_help` below
# `print_help`, the effect of a percent sign in a help text.
out=$(timeout 10 python3 -S -W ignore "${1:?}" 2>&1 >/dev/null) && exit 1
case $out in *'ValueError: unsupported format character '*) ;; *) exit 1 ;; esac
functions=$(printf '%s\n' "$out" | sed -n 's/^  File ".*", line [0-9]*, in //p')
case $functions in '<module>
print_help
'*'
_expand_help') ;; *) exit 1 ;; esac
