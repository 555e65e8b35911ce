#!/bin/sh
# wgsl_reflect 1.6.0: exit 0 iff it reports a missing `{` of a block, and naga accepts the candidate.
tools="$(dirname "$(readlink -f "$0")")/../.tools"
timeout 20 "$tools/installed/naga-cli-23.0.0/bin/naga" "${1:?}" >/dev/null 2>&1 || exit 1
exec timeout 20 node -e '
const [place, path] = process.argv.slice(1);
const text = require("fs").readFileSync(path, "utf8");
import(place).then(module => {
    try { new module.WgslReflect(text); process.exit(1) }
    catch (e) { process.exit(/^Expected .\{. for block/.test(e.message) ? 0 : 1) } })' \
    "$tools/npm/wgsl_reflect@1.6.0/node_modules/wgsl_reflect/wgsl_reflect.module.js" "$1" 2>/dev/null
