#!/bin/sh
# Checks that gcc compiles a program wrongly, with checks that its reduction did not use:
#   judge.sh FILE LEVEL
# Exits with 0 if gcc LEVEL differs from gcc -O0; tcc, clang at two levels, clang's sanitizers and valgrind agree with
# gcc -O0 and report nothing; and frama-c raises no alarm. CLANG is the command of clang with its libraries. A missing tool
# counts as a failed check.
file=$(realpath "$1") level=$2 clang=${CLANG:-clang}
cd "$(mktemp -d)" || exit 2
failed=0
# shellcheck disable=SC2317
check() {
    what=$1
    shift
    if "$@" >log.txt 2>&1; then echo "ok      $what"; else
        echo "FAILED  $what"
        head -n 3 log.txt
        failed=1
    fi
}
# agrees COMMAND...: its status and output are those of gcc -O0.
agrees() {
    timeout 60 "$@" >out.txt 2>err.txt
    echo "status $?" >>out.txt
    cat err.txt
    cmp out.txt expected.txt
}
built() {
    program=$1
    shift
    "$@" -w -o "./$program" "$file" && agrees "./$program"
}
gcc -w -O0 -o right "$file" && gcc -w "$level" -o wrong "$file" || exit 2
timeout 10 ./right >expected.txt
echo "status $?" >>expected.txt
timeout 10 ./wrong >got.txt
echo "status $?" >>got.txt
check "gcc $level differs" sh -c '! cmp -s expected.txt got.txt'
# $clang may contain options.
# shellcheck disable=SC2086
{
    check 'clang: no suspicious warning' $clang -fsyntax-only -Weverything -Werror -Wno-unused -Wno-unused-parameter -Wno-missing-field-initializers -Wno-missing-prototypes \
        -Wno-missing-variable-declarations -Wno-strict-prototypes -Wno-sign-conversion -Wno-sign-compare -Wno-reserved-identifier \
        -Wno-implicit-int-conversion -Wno-shorten-64-to-32 -Wno-padded -Wno-unreachable-code -Wno-c2x-extensions \
        -Wno-missing-noreturn -Wno-constant-logical-operand -Wno-bad-function-cast -Wno-empty-body -Wno-shadow \
        -Wno-declaration-after-statement -Wno-unused-value -Wno-comma -Wno-implicit-fallthrough -Wno-constant-conversion \
        -Wno-float-equal -Wno-pedantic -Wno-language-extension-token -Wno-incompatible-library-redeclaration "$file"
    for at in -O0 -O2; do check "clang $at" built clang $clang $at; done
    for at in -O0 -O1; do
        check "clang $at, address, undefined" built sane $clang $at -g -fno-sanitize-recover=all \
            -fsanitize=address,undefined,float-cast-overflow,local-bounds
        check "clang $at, memory" built memory $clang $at -g -fno-sanitize-recover=all -fsanitize=memory
    done
}
check tcc built small tcc
check 'valgrind, gcc -O0' agrees valgrind -q --error-exitcode=86 --track-origins=yes ./right
check frama-c sh -c "frama-c -eva -eva-precision 11 -eva-slevel 1000000 -eva-no-show-progress '$file' | tee eva.txt; grep -q '^ *0 alarms generated' eva.txt"
exit $failed
