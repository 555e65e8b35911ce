#!/bin/sh
# Exit 0 iff javac 17 reports that a collection cannot be converted to one whose type looks the same, and no syntax error.
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
out=$(timeout 30 javac -J-XX:TieredStopAtLevel=1 -proc:none -XDrawDiagnostics -d "$d" "${1:?}" 2>&1) && exit 1
case $out in *compiler.err.expected* | *compiler.err.illegal.start* | *compiler.err.premature.eof*) exit 1 ;; esac
printf '%s\n' "$out" | grep -q 'inconvertible.types: \(java.util.Collection<[A-Z]>\), \1)'
