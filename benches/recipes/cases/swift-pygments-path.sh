#!/bin/sh
# Pygments 2.19.2: exit 0 iff the `\` of a key path is the only unknown token of the candidate.
python="$(dirname "$(readlink -f "$0")")/../.tools/pip/pygments==2.19.2/bin/python"
exec timeout 20 "$python" -c '
import itertools, sys
from pygments.lexers.objective import SwiftLexer
from pygments.token import Error
with open(sys.argv[1], encoding="utf-8") as file:
    tokens = list(SwiftLexer().get_tokens(file.read()))
paths = [text == "\\" and after == "." for (kind, text), (_, after) in itertools.pairwise(tokens) if kind is Error]
sys.exit(0 if paths and all(paths) else 1)' "${1:?}" 2>/dev/null
