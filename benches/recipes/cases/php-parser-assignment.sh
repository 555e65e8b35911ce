#!/bin/sh
# Exit 0 iff PHP 8.2 can parse the candidate, and php-parser 2.2.0 rejects an `=` in it.
f=${1:?usage: interesting.sh CANDIDATE.php}
NODE_PATH="$(dirname "$(readlink -f "$0")")/../.tools/npm/php-parser@2.2.0/node_modules"
export NODE_PATH
timeout 20 node -e '
const parser = require("php-parser");
try { new parser().parseCode(require("fs").readFileSync(process.argv[1], "utf8")) }
catch (e) { process.exit(/syntax error, unexpected .=., expecting .;./.test(e.message) ? 0 : 1) }
process.exit(1)' "$f" 2>/dev/null || exit 1
timeout 10 php -n -l "$f" >/dev/null 2>&1
