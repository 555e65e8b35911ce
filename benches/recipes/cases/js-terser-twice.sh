#!/bin/sh
# terser 3.8.1: exit 0 iff it makes its own output longer.
NODE_PATH="$(dirname "$(readlink -f "$0")")/../.tools/node_modules"
export NODE_PATH
exec timeout 20 node -e '
const terser = require("terser");
const small = text => { const made = terser.minify(text); if (made.error) process.exit(1); return made.code };
const once = small(require("fs").readFileSync(process.argv[1], "utf8"));
process.exit(small(once).length > once.length ? 0 : 1)' "${1:?}" 2>/dev/null
