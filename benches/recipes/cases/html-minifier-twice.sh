#!/bin/sh
# html-minifier 4.0.0: exit 0 iff a second run changes the output of the first one.
export NODE_PATH=$(dirname "$(readlink -f "$0")")/../.tools/node_modules
exec timeout 20 node -e '
const minify = s => require("html-minifier").minify(s, {collapseWhitespace: true, removeComments: true, removeOptionalTags: true});
try {
    const once = minify(require("fs").readFileSync(process.argv[1], "utf8"));
    process.exit(minify(once) !== once ? 0 : 1);
} catch (e) { process.exit(1) }' "${1:?}" 2>/dev/null
