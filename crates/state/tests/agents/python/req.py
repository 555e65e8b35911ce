"""Helper of check.py: creates a request and sends it to the agent."""

import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.normpath(os.path.join(HERE, "..", "..", "..", "src", "debugger", "python.py"))
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def ask(python, task, program, **more):
    """Return the answer to a request, run by the given interpreter."""
    request = {"task": task, "program": program, "directory": HERE, "stdin": None, "sources": [],
               "most_events": 100000, "most_vertices": 100000, **more}
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "request.json")
        with open(path, "w") as file:
            json.dump(request, file)
        agent = subprocess.run([python, AGENT, path], check=False, stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=120, env=ENVIRONMENT)
    errors = agent.stderr.decode()[-3000:]
    assert not errors, f"{python} {task} {program} wrote to the standard error:\n{errors}"
    return json.loads(agent.stdout)
