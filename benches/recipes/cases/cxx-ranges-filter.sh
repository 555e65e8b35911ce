#!/bin/sh
# A wrong rejection: exit 0 iff g++ 12.2 accepts, and clang 14 finds no `__begin` for a view and has no errors except
# its consequences.
f=${1:?usage: interesting.sh CANDIDATE.cc}
timeout 20 g++ -std=c++20 -x c++ -w -fsyntax-only "$f" 2>/dev/null || exit 1
out=$(timeout 20 clang++-14 -std=c++20 -x c++ -w -Wno-invalid-constexpr -fno-color-diagnostics -fsyntax-only "$f" 2>&1) && exit 1
errors=$(printf '%s\n' "$out" | grep 'error: ')
case $errors in *"no matching function for call to '__begin'"*) ;; *) exit 1 ;; esac
printf '%s\n' "$errors" | grep -qv -e "call to '__begin'" -e "constraints not satisfied for alias template 'sentinel_t'" \
    -e 'invalid operands to binary expression' && exit 1
exit 0
