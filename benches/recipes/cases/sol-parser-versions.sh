#!/bin/sh
# @solidity-parser/parser: exit 0 iff version 0.18.0 accepts the candidate, and 0.12.0 rejects a `(` or a `{` in it.
npm="$(dirname "$(readlink -f "$0")")/../.tools/npm/@solidity-parser+parser"
exec timeout 20 node -e '
const text = require("fs").readFileSync(process.argv[2], "utf8");
const load = version => require(`${process.argv[1]}@${version}/node_modules/@solidity-parser/parser`);
try { load("0.12.0").parse(text); process.exit(1) }
catch (e) { if (!/^mismatched input .[({]. expecting/.test(e.message)) process.exit(1) }
try { load("0.18.0").parse(text) } catch (e) { process.exit(1) }' "$npm" "${1:?}" 2>/dev/null
