#!/bin/sh
# sucrase 3.20.0 and TypeScript 5.9.3 disagree: exit 0 iff TypeScript parses the candidate, and sucrase expects a `;` in it.
npm=$(dirname "$(readlink -f "$0")")/../.tools/npm
NODE_PATH=$npm/sucrase@3.20.0/node_modules:$npm/typescript@5.9.3/node_modules
export NODE_PATH
exec timeout 20 node -e '
const text = require("fs").readFileSync(process.argv[1], "utf8");
try { require("sucrase").transform(text, {transforms: ["typescript"]}); process.exit(1) }
catch (e) { if (!e.message.includes("Unexpected token, expected \";\"")) process.exit(1) }
const ts = require("typescript");
process.exit(ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest).parseDiagnostics.length ? 1 : 0)' "${1:?}" 2>/dev/null
