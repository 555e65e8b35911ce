#!/bin/sh
# Reduces installed web pages with `nubbin browser`.
#
# usage: browser.sh OUT [NUBBIN]
#
# The pages are one of rustc's book (component `rust-docs` of rustup), and those of npm's codemirror 5.65.16 and reveal.js
# 4.6.1. Missing pages are named and skipped. For each page the script writes OUT/<name>/ and the run's summary OUT/<name>.json.
set -eu

out=${1:?usage: browser.sh OUT [NUBBIN]}
nubbin=${2:-nubbin}
mkdir -p "$out"

# reduce NAME PAGE OPTION…: reduces a page in its directory.
reduce() {
    name=$1 page=$2
    shift 2
    if [ ! -f "$out/$name/$page" ]; then
        echo "$name: the page is missing" >&2
        return
    fi
    (cd "$out/$name" && "$nubbin" browser --no-journal --json "$@" "$page" >"../$name.json")
    python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))
before, after, probes = run["before"], run["after"], run["probes"]["all"]
each = 1000 * run["oracle_seconds"] / probes
print("%s: %d to %d bytes, %d to %d tokens, %d probes, %.0f ms per probe, %.1f s" % (
    sys.argv[2], before["bytes"], after["bytes"], before["tokens"], after["tokens"], probes, each, run["seconds"]))
' "$out/$name.json" "$name"
}

# A table that is wider than the window.
book=$(rustc --print sysroot)/share/doc/rust/html/rustc/lints/listing/allowed-by-default.html
mkdir -p "$out/lints-wide"
cp "$book" "$out/lints-wide/page.html" 2>/dev/null || true
reduce lints-wide page.html --js 'document.documentElement.scrollWidth > innerWidth'

npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$out/npm" codemirror@5.65.16 reveal.js@4.6.1 || true

# A page whose scripts are missing.
mkdir -p "$out/codemirror-missing"
cp "$out/npm/node_modules/codemirror/mode/rpm/changes/index.html" "$out/codemirror-missing/page.html" 2>/dev/null || true
reduce codemirror-missing page.html

# Slides with their styles and scripts: the first one is shown.
mkdir -p "$out/reveal-slide"
cp -r "$out"/npm/node_modules/reveal.js/demo.html "$out"/npm/node_modules/reveal.js/dist \
    "$out"/npm/node_modules/reveal.js/plugin "$out/reveal-slide" 2>/dev/null || true
reduce reveal-slide demo.html --max-candidates 300 --js 'document.querySelectorAll(".slides > section.present").length'
