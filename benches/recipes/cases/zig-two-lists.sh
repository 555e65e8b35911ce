#!/bin/sh
# Exit 0 iff Zig 0.11.0 checks the candidate without an error, and 0.10.1 rejects a `,` in it.
f=${1:?usage: interesting.sh CANDIDATE.zig}
pip=$(dirname "$(readlink -f "$0")")/../.tools/pip
zig() {
    timeout 10 "$pip/ziglang==$1"/lib/python3*/site-packages/ziglang/zig ast-check "$f" 2>&1
}
zig 0.10.1.post1 | grep -q "error: expected ')', found ','" || exit 1
zig 0.11.0 >/dev/null
