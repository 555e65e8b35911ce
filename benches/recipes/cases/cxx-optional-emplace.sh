#!/bin/sh
# Exit 0 iff g++ 12.2 accepts and clang 14 rejects, its only error being that `emplace` has no match
# (clang 14 lacks C++20's aggregates from parentheses).
f=${1:?usage: interesting.sh CANDIDATE.cc}
timeout 20 g++ -std=c++20 -x c++ -w -fsyntax-only "$f" 2>/dev/null || exit 1
out=$(timeout 20 clang++-14 -std=c++20 -x c++ -w -fno-color-diagnostics -fsyntax-only "$f" 2>&1) && exit 1
errors=$(printf '%s\n' "$out" | grep 'error: ')
case $errors in *'no matching member function for call to '"'emplace'"*) ;; *) exit 1 ;; esac
[ "$(printf '%s\n' "$errors" | wc -l)" -eq 1 ]
