#!/bin/sh
# csso 3.0.0: exit 0 iff minifying the result again makes it longer.
export NODE_PATH=$(dirname "$(readlink -f "$0")")/../.tools/node_modules
exec timeout 20 node -e '
const minify = s => require("csso").minify(s).css;
try {
    const once = minify(require("fs").readFileSync(process.argv[1], "utf8"));
    process.exit(minify(once).length > once.length ? 0 : 1);
} catch (e) { process.exit(1) }' "${1:?}" 2>/dev/null
