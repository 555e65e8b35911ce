#!/bin/sh
# html5lib 1.1: exit 0 iff the tree changes when the document is written out and read again.
here=$(dirname "$(readlink -f "$0")")
exec timeout 20 "$here/../.tools/venv/bin/python" -W ignore -c '
import sys
import xml.etree.ElementTree as E
import html5lib
try:
    tree = html5lib.parse(open(sys.argv[1], encoding="utf-8").read(), treebuilder="etree")
    again = html5lib.parse(html5lib.serialize(tree), treebuilder="etree")
    sys.exit(0 if E.tostring(tree) != E.tostring(again) else 1)
except Exception: sys.exit(1)' "${1:?}"
