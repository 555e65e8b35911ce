#!/bin/sh
# TypeScript 5.9.3 checks JavaScript: exit 0 iff it reports that a variable is redeclared with another type.
tools=$(dirname "$(readlink -f "$0")")/../.tools
timeout 20 "$tools/node_modules/.bin/tsc" --noEmit --allowJs --checkJs --skipLibCheck --noLib "$tools/globals.d.ts" "${1:?}" |
    grep -q TS2403
