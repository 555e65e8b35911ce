#!/bin/sh
# Exit 0 iff g++ 12.2 crashes with a segmentation fault on an alias for the type of a lambda, and has no error.
f=${1:?usage: interesting.sh CANDIDATE.cc}
out=$(LC_ALL=C timeout 20 g++ -std=c++20 -x c++ -w -fsyntax-only "$f" 2>&1) && exit 1
case $out in *'internal compiler error: Segmentation fault'*) ;; *) exit 1 ;; esac
case $out in *': error: '*) exit 1 ;; esac
