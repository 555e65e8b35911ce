#!/bin/sh
# An oracle for `input.c`, made by: nubbin init -o oracle.sh --wrong-code 'gcc -O0 {}' input.c -- gcc -O3 {}
# It exits with 0 if the failure reproduces, with 1 if it does not, and with 125 if that cannot be decided.
# It runs in a private, writable directory; "$1" is the path of the candidate.

# Time limit of a command, in seconds.
limit=10

# Time limit of a program, in seconds.
patience=2

export ASAN_OPTIONS=exitcode=86:detect_leaks=0:detect_stack_use_after_return=1:detect_invalid_pointer_pairs=2
export UBSAN_OPTIONS=exitcode=86 MSAN_OPTIONS=exitcode=86

no() {
    echo "oracle: $1 ($what)" >&2
    exit 1
}

# If a compiler or a program is too slow (124) or cannot be started (126, 127), the candidate is unresolved.
judge() {
    case $1 in 124 | 126 | 127)
        echo "oracle: nothing can be said, with status $1 ($what)" >&2
        exit 125
        ;;
    esac
}

# build REASON COMMAND...: a compiler must succeed.
build() {
    reason=$1
    shift
    timeout "$limit" "$@"
    status=$?
    judge "$status"
    [ "$status" -eq 0 ] || no "$reason"
}

# run NAME COMMAND...: writes the output and the status of a program to NAME.txt.
run() {
    name=$1
    shift
    timeout "$patience" "$@" >"$name.txt"
    status=$?
    judge "$status"
    echo "status $status" >>"$name.txt"
}

# clean NAME: the run found no undefined behaviour and did the same as the second program.
clean() {
    [ "$status" -ne 86 ] || no 'there is undefined behaviour'
    cmp -s second.txt "$1.txt" || no 'it does something else than the second program'
}

# Guard: warnings without optimization; most candidates are rejected here.
# Left out because the input violates it: overflow
what='warnings of gcc'
build 'a warning tells of undefined code, or it does not compile' \
    gcc -O0 "$1" -fsyntax-only \
    -Wno-overflow -Werror=implicit-function-declaration -Werror=implicit-int \
    -Werror=int-conversion -Werror=incompatible-pointer-types -Werror=discarded-qualifiers \
    -Werror=int-to-pointer-cast -Werror=pointer-to-int-cast -Werror=return-type \
    -Werror=return-local-addr -Werror=main -Werror=format \
    -Werror=nonnull -Werror=shift-count-overflow -Werror=shift-count-negative \
    -Werror=shift-negative-value -Werror=shift-overflow -Werror=div-by-zero \
    -Werror=builtin-declaration-mismatch -Werror=strict-prototypes -Werror=old-style-definition \
    -Werror=sequence-point -Werror=uninitialized -Werror=null-dereference \
    -Werror=array-bounds -Werror=array-parameter -Werror=sizeof-pointer-memaccess \
    -Werror=sizeof-array-argument -Werror=sizeof-array-div -Werror=cast-function-type \
    -Werror=infinite-recursion -Werror=varargs -Werror=init-self \
    -Werror=absolute-value -Werror=c11-c2x-compat -Werror=pedantic \
    -Werror=extra -Wno-unused-parameter -Wno-unused-but-set-parameter \
    -Wno-sign-compare -Wno-type-limits -Wno-missing-field-initializers \
    -Wno-empty-body -Wno-implicit-fallthrough -Wno-ignored-qualifiers \
    -Wno-override-init -Wno-clobbered -Wno-enum-conversion

# Guard: warnings without optimization; most candidates are rejected here.
# Left out because the input violates it: compare-distinct-pointer-types
what='warnings of clang'
build 'a warning tells of undefined code, or it does not compile' \
    clang "$1" -fsyntax-only \
    -Wno-compare-distinct-pointer-types -Werror=implicit-function-declaration -Werror=implicit-int \
    -Werror=int-conversion -Werror=incompatible-pointer-types -Werror=incompatible-pointer-types-discards-qualifiers \
    -Werror=incompatible-function-pointer-types -Werror=int-to-pointer-cast -Werror=pointer-to-int-cast \
    -Werror=pointer-integer-compare -Werror=return-type -Werror=return-stack-address \
    -Werror=main -Werror=main-return-type -Werror=format \
    -Werror=format-extra-args -Werror=format-insufficient-args -Werror=nonnull \
    -Werror=shift-count-overflow -Werror=shift-count-negative -Werror=shift-negative-value \
    -Werror=shift-overflow -Werror=div-by-zero -Werror=division-by-zero \
    -Werror=overflow -Werror=integer-overflow -Werror=builtin-requires-header \
    -Werror=incompatible-library-redeclaration -Werror=strict-prototypes -Werror=old-style-definition \
    -Werror=sequence-point -Werror=unsequenced -Werror=uninitialized \
    -Werror=sometimes-uninitialized -Werror=uninitialized-const-reference -Werror=null-dereference \
    -Werror=array-bounds -Werror=array-bounds-pointer-arithmetic -Werror=excess-initializers \
    -Werror=sizeof-pointer-memaccess -Werror=sizeof-array-argument -Werror=sizeof-array-div \
    -Werror=cast-function-type -Werror=infinite-recursion -Werror=varargs \
    -Werror=undefined-internal -Werror=dangling -Werror=delete-incomplete \
    -Werror=delete-non-virtual-dtor -Werror=init-self -Werror=absolute-value \
    -Werror=c2x-extensions -Werror=pedantic

# The two programs, whose output or status must differ.
what='the first command'
build 'it does not build' gcc -O3 "$1" -w -o ./first
run first ./first
[ "$status" -lt 128 ] || no 'the program is killed now'
what='the second command'
build 'it does not build' gcc -O0 "$1" -w -o ./second
run second ./second
[ "$status" -lt 128 ] || no 'the program is killed now'
if cmp -s first.txt second.txt; then no 'both programs do the same'; fi

# Left out because the input violates them: the first command with -fwrapv, sanitizers of clang at -O1, frama-c.

# The following guards take longer.
patience=$((patience * 10))

# Guard: warnings without a name, such as a comparison of a pointer with a number.
what='unnamed warnings of gcc'
LC_ALL=C timeout "$limit" gcc -O0 "$1" -fsyntax-only 2>unnamed.txt
sed "/warning: .*[^]]$/!d; s/.*warning: /unnamed: /; s/'[^']*'/''/g; s/[0-9][0-9]*/0/g" unnamed.txt >texts.txt
if grep -vxF -e 'unnamed: comparison of distinct pointer types lacks a cast' texts.txt >&2; then no 'there is such a warning'; fi

# Guard: warnings that need data-flow analysis.
what='warnings of the optimisers of gcc'
for level in -O1 -O2; do
    build 'a warning tells of undefined code, or it does not compile' \
    gcc -O0 "$1" "$level" -c -o guard.o \
    -Werror=uninitialized -Werror=maybe-uninitialized -Werror=return-type \
    -Werror=array-bounds -Werror=zero-length-bounds -Werror=stringop-overflow \
    -Werror=stringop-overread -Werror=format -Werror=format-overflow \
    -Werror=aggressive-loop-optimizations -Werror=return-local-addr -Werror=dangling-pointer \
    -Werror=use-after-free -Werror=free-nonheap-object -Werror=mismatched-dealloc \
    -Werror=strict-aliasing=2 -Werror=restrict -Werror=nonnull
done

# Guard: warnings without a name, such as a comparison of a pointer with a number.
what='unnamed warnings of clang'
LC_ALL=C timeout "$limit" clang "$1" -fsyntax-only 2>unnamed.txt
sed "/warning: .*[^]]$/!d; s/.*warning: /unnamed: /; s/'[^']*'/''/g; s/[0-9][0-9]*/0/g" unnamed.txt >texts.txt
if grep . texts.txt >&2; then no 'there is such a warning'; fi

# Guard: a run under the sanitizers, which must be clean and do the same as the second program.
what='sanitizers of gcc at -O0'
build 'it does not build with sanitizers' \
    gcc -O0 "$1" -O0 -w -g -o ./sane \
    -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize=float-cast-overflow \
    -fsanitize=bounds-strict -fsanitize=pointer-compare,pointer-subtract -fsanitize-address-use-after-scope \
    -ftrivial-auto-var-init=pattern
run sane ./sane
clean sane

# Guard: a run under the sanitizers, which must be clean and do the same as the second program.
what='sanitizers of gcc at -O2'
build 'it does not build with sanitizers' \
    gcc -O0 "$1" -O2 -w -g -o ./sane \
    -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize=float-cast-overflow \
    -fsanitize=bounds-strict -fsanitize=pointer-compare,pointer-subtract -fsanitize-address-use-after-scope
run sane ./sane
clean sane

# Guard: a run that detects uninitialized values.
what='memory sanitizer of clang'
build 'it does not build' clang "$1" -O1 -w -g -fsanitize=memory -fno-sanitize-recover=all -o ./memory
run memory ./memory
clean memory

# Guard: a run that detects uninitialized values.
what='valgrind'
run valgrind valgrind -q --error-exitcode=86 ./second
clean valgrind

# Guard: options that define undefined behaviour; a compiler bug remains with them.
what='the first command with defined behaviour'
build 'it does not build' \
    gcc -O3 "$1" \
    -fno-strict-aliasing -fno-aggressive-loop-optimizations -fno-delete-null-pointer-checks \
    -fno-finite-loops -ffp-contract=off -w -o ./defined
run defined ./defined
if cmp -s defined.txt second.txt; then no 'the difference is gone'; fi
exit 0
