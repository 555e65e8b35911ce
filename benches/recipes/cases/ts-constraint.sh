#!/bin/sh
# TypeScript 5.9.3 without its library: exit 0 iff the candidate has no syntax error, and an error that a type does not
# satisfy the constraint `[string, ...string[]]`.
NODE_PATH="$(dirname "$(readlink -f "$0")")/../.tools/npm/typescript@5.9.3/node_modules"
export NODE_PATH
exec timeout 30 node -e '
const ts = require("typescript");
const types = "interface Array<T> { length: number; [n: number]: T }" +
    ["Boolean", "CallableFunction", "Function", "IArguments", "NewableFunction", "Number", "Object", "RegExp", "String"]
        .map(name => `interface ${name} {}`).join("\n");
const text = require("fs").readFileSync(process.argv[1], "utf8");
const options = {noLib: true, noResolve: true, target: ts.ScriptTarget.Latest, module: ts.ModuleKind.CommonJS, strict: true};
const host = ts.createCompilerHost(options);
const files = {"a.ts": text, "types.d.ts": types};
host.fileExists = name => name in files;
host.getSourceFile = (name, version) => name in files ? ts.createSourceFile(name, files[name], version, true) : undefined;
const program = ts.createProgram(Object.keys(files), options, host);
const said = d => ts.flattenDiagnosticMessageText(d.messageText, " ");
process.exit(!program.getSyntacticDiagnostics().length && program.getSemanticDiagnostics().some(d =>
    d.code === 2344 && /^Type .[A-Z]\w*<\w+>. does not satisfy the constraint .\[string, \.\.\.string\[\]\]./.test(said(d))) ? 0 : 1)' "${1:?}" 2>/dev/null
