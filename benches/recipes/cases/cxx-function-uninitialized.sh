#!/bin/sh
# A false alarm: exit 0 iff g++ 12.2 with the address sanitizer reports that `_M_invoker` may be used uninitialized,
# and neither g++ without the sanitizer nor clang 14 has such a warning.
f=${1:?usage: interesting.sh CANDIDATE.cc}
G='timeout 20 g++ -std=c++14 -x c++ -O2 -S -o /dev/null'
$G -fsanitize=address -Wmaybe-uninitialized "$f" 2>&1 | grep -q '_M_invoker.* may be used uninitialized \[-Wmaybe-uninitialized\]' || exit 1
out=$($G -Wuninitialized -Wmaybe-uninitialized "$f" 2>&1) || exit 1
case $out in *-Wuninitialized* | *-Wmaybe-uninitialized*) exit 1 ;; esac
out=$($G -Wall -Wextra -fsyntax-only "$f" 2>&1)
case $out in *-Wreturn-type* | *-Wuninitialized*) exit 1 ;; esac
out=$(timeout 20 clang++-14 -std=c++14 -x c++ -fsyntax-only -w -Wuninitialized "$f" 2>&1) || exit 1
case $out in *-Wuninitialized* | *-Wmaybe-uninitialized*) exit 1 ;; esac
exit 0
