#!/bin/sh
# Exit 0 iff PyYAML 6.0.1 reads different values from the candidate and from ruamel.yaml 0.17.21's output for it.
here=$(dirname "$(readlink -f "$0")")
exec timeout 20 "$here/../.tools/pip/ruamel.yaml==0.17.21/bin/python" -W ignore -c '
import io, sys
import yaml
from ruamel.yaml import YAML
try:
    text = open(sys.argv[1], encoding="utf-8").read()
    before = yaml.safe_load(text)
    made = io.StringIO()
    tool = YAML()
    tool.dump(tool.load(text), made)
    after = yaml.safe_load(made.getvalue())
except Exception: sys.exit(1)
sys.exit(0 if after != before else 1)' "${1:?}" 2>/dev/null
