#!/bin/sh
# Pygments: exit 0 iff version 2.7.0 recognizes every token of the candidate, and 2.19.2 does not recognize a `{`.
tools="$(dirname "$(readlink -f "$0")")/../.tools/pip"
unknown() {
    timeout 20 "$tools/pygments==$1/bin/python" -c '
import sys
from pygments.lexers.jvm import KotlinLexer
from pygments.token import Error
with open(sys.argv[1], encoding="utf-8") as file:
    tokens = KotlinLexer().get_tokens(file.read())
print(*{text for kind, text in tokens if kind is Error}, sep="")' "$2"
}
new=$(unknown 2.19.2 "${1:?}" 2>/dev/null) && [ "$new" = '{' ] || exit 1
old=$(unknown 2.7.0 "$1" 2>/dev/null) && [ -z "$old" ]
