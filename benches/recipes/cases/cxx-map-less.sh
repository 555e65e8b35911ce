#!/bin/sh
# Exit 0 iff g++ 12.2 has exactly one error, the well-known one deep inside the library for a key without `<`,
# reached through a template's instantiation.
f=${1:?usage: interesting.sh CANDIDATE.cc}
out=$(LC_ALL=C timeout 20 g++ -std=c++14 -x c++ -w -fsyntax-only "$f" 2>&1) && exit 1
errors=$(printf '%s\n' "$out" | grep 'error: ')
case $errors in *"error: no match for 'operator<' (operand types are 'const point' and 'const point')"*) ;; *) exit 1 ;; esac
case $out in *'required from here'*) ;; *) exit 1 ;; esac
[ "$(printf '%s\n' "$errors" | wc -l)" -eq 1 ]
