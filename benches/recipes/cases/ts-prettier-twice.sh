#!/bin/sh
# prettier 2.4.1: exit 0 iff formatting the result again changes it.
NODE_PATH="$(dirname "$(readlink -f "$0")")/../.tools/npm/prettier@2.4.1/node_modules"
export NODE_PATH
exec timeout 20 node -e '
const prettier = require("prettier");
const pretty = text => prettier.format(text, {parser: "typescript", printWidth: 100, semi: false, singleQuote: true});
try {
    const once = pretty(require("fs").readFileSync(process.argv[1], "utf8"));
    process.exit(pretty(once) !== once ? 0 : 1);
} catch (e) { process.exit(1) }' "${1:?}" 2>/dev/null
