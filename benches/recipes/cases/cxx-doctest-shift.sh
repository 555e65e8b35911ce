#!/bin/sh
# Exit 0 iff clang 14 and g++ 12.2 accept the candidate, and clang warns about a `<<` before a comparison.
f=${1:?usage: interesting.sh CANDIDATE.cc}
out=$(timeout 20 clang++-14 -std=c++17 -x c++ -fno-color-diagnostics -fsyntax-only -Woverloaded-shift-op-parentheses "$f" 2>&1) || exit 1
case $out in *'[-Woverloaded-shift-op-parentheses]'*) ;; *) exit 1 ;; esac
timeout 20 g++ -std=c++17 -x c++ -w -fsyntax-only "$f" 2>/dev/null
