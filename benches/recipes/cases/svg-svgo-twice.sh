#!/bin/sh
# svgo 1.3.2: exit 0 iff xmllint accepts the candidate, and optimizing the result again makes it shorter.
NODE_PATH="$(dirname "$(readlink -f "$0")")/../.tools/npm/svgo@1.3.2/node_modules"
export NODE_PATH
timeout 10 xmllint --noout "${1:?usage: interesting.sh CANDIDATE.svg}" 2>/dev/null || exit 1
exec timeout 20 node -e '
const svgo = new (require("svgo"))();
const small = text => svgo.optimize(text).then(made => made.data);
small(require("fs").readFileSync(process.argv[1], "utf8"))
    .then(once => small(once).then(twice => process.exit(twice.length < once.length ? 0 : 1)))
    .catch(() => process.exit(1))' "$1" 2>/dev/null
