"""Helper of check.py: compiles the programs of this directory and sends requests to the gdb agent."""

import json
import os
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.normpath(os.path.join(HERE, "..", "..", "..", "src", "debugger", "gdb.py"))
FLAGS = ["-g", "-O0", "-w", "-pthread"]


def build(directory):
    """Compile all programs of this directory into another one, each named after its source without the
    extension.
    """
    for source in sorted(os.listdir(HERE)):
        name, extension = os.path.splitext(source)
        if extension in (".c", ".cpp"):
            compiler = "g++" if extension == ".cpp" else "gcc"
            command = [compiler, *FLAGS, "-o", os.path.join(directory, name), source]
            subprocess.run(command, check=True, cwd=HERE)


class Agent:
    """Sends requests for programs of one directory to the agent."""

    def __init__(self, directory):
        self.directory = directory

    def ask(self, task, program, **more):
        """Return the answer to a request. Its "seconds" are the duration of the gdb run."""
        request = {"task": task, "program": program, "directory": self.directory, "stdin": None,
                   "sources": [], "most_events": 100000, "most_vertices": 100000,
                   "most_stops": 200000, **more}
        path = os.path.join(self.directory, "request.json")
        with open(path, "w") as file:
            json.dump(request, file)
        start = time.time()
        gdb = subprocess.Popen(["gdb", "-nx", "-q", "-batch", "-x", AGENT],
                               env={**os.environ, "NUBBIN_REQUEST": path}, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            stdout, stderr = gdb.communicate(timeout=120)
        except BaseException:
            os.killpg(gdb.pid, signal.SIGKILL)
            gdb.wait()
            raise
        try:
            answer = json.loads(stdout)
        except ValueError:
            text = (stdout[:3000] + stderr[:3000]).decode()
            raise SystemExit(f"no answer to {task} {program}:\n{text}") from None
        answer["seconds"] = time.time() - start
        return answer

    def partial(self, program, trace, events, **more):
        """Execute only the given events of a trace."""
        kept = [event[:2] for event in events]
        return self.ask("partial", program, places=trace["places"], kept=kept, **more)
