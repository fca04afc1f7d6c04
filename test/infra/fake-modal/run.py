"""Runs a script of infra/modal as Modal would import it, then one expression over it, and prints
what was asked of Modal and what the expression gave, as JSON."""
import json
import runpy
import sys

import modal

script, expression = sys.argv[1:]
names = runpy.run_path(script)
value = eval(expression, names)  # noqa: S307
print(json.dumps({"asked": modal.asked, "value": value}))
