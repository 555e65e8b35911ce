#!/bin/sh
# js-beautify 1.10.0: exit 0 iff the candidate is a valid script and beautifying the result again changes it.
export NODE_PATH=$(dirname "$(readlink -f "$0")")/../.tools/node_modules
exec timeout 20 node -e '
const beautify = require("js-beautify").js;
try {
    const text = require("fs").readFileSync(process.argv[1], "utf8");
    new Function(text);
    const once = beautify(text);
    new Function(once);
    process.exit(beautify(once) !== once ? 0 : 1);
} catch (e) { process.exit(1) }' "${1:?}" 2>/dev/null
