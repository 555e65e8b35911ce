#!/bin/sh
# scalameta: exit 0 iff version 4.8.7 accepts the candidate, and 4.4.17 rejects the bound of a type.
npm="$(dirname "$(readlink -f "$0")")/../.tools/npm/scalameta-parsers"
exec timeout 20 node -e '
const text = require("fs").readFileSync(process.argv[2], "utf8");
const load = version => require(`${process.argv[1]}@${version}/node_modules/scalameta-parsers`);
if (!/^\] expected but <: found/.test(load("4.4.17").parseSource(text).error)) process.exit(1);
process.exit(load("4.8.7").parseSource(text).error ? 1 : 0)' "$npm" "${1:?}" 2>/dev/null
