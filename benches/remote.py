#!/usr/bin/env python3
"""Runs one reduction with increasing numbers of jobs on a local cluster, and once with a cluster that is killed repeatedly.

The cluster is `buildbox-casd`, one process that stores, schedules and runs actions (`.ci/setup` installs it). The oracle
sleeps and then requires some words of the input, so the schedule and the round trips are measured. All runs must end with
the same bytes.

  benches/remote.py [--nubbin PROGRAM] [--jobs 1,16,64] [--sleep 0.3] [--words 8] [--kills 50] [--json FILE] [CASE]
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """A server that can be killed with all of its workers and started again with its stored blobs."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs, self.port = folder, jobs, free_port()
        self.program = Path(shutil.which("buildbox-casd"))
        self.process = None

    def start(self):
        runner = self.program.parent / "buildbox-run"
        mounts = ["/usr:/usr", "/usr/lib:/lib", "/usr/lib64:/lib64", "/usr/bin:/bin"]
        words = [self.program, f"--bind=127.0.0.1:{self.port}", "--log-level=error", f"--buildbox-run={runner}"]
        words += [f"--runner-arg=--ro-bind-mount={mount}" for mount in mounts]
        words += ["--runner-arg=--staging-mode=copy-or-link", "--runner-arg=--log-level=error"]
        words += [f"--jobs={self.jobs}", self.folder / "cache"]
        # Its children close every possible descriptor, so the limit is lowered.
        shell = ["sh", "-c", 'ulimit -n 2048; exec "$@"', "sh", *words]
        self.process = subprocess.Popen(shell, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def oracle(folder, text, number, sleep):
    """Writes a test that requires `number` words of the text from evenly spaced places."""
    words = re.findall(r"[A-Za-z]{4,}", text)
    wanted = [words[(2 * at + 1) * len(words) // (2 * number)] for at in range(number)]
    conditions = " && ".join(f'index(all, "{word}")' for word in dict.fromkeys(wanted))
    # The real path, because workers may lack the link in /etc.
    awk = os.path.realpath(shutil.which("awk"))
    script = folder / "oracle.sh"
    script.write_text(f"""#!/bin/sh
sleep {sleep}
exec {awk} '{{ all = all $0 "\\n" }} END {{ exit !({conditions}) }}' "$1"
""")
    script.chmod(0o755)
    return script


def reduce(nubbin, folder, script, source, options, during=None):
    """Returns the result, the seconds, the summary and the messages of a run."""
    work = Path(tempfile.mkdtemp(dir=folder))
    shutil.copy(source, work / source.name)
    words = [nubbin, "--no-config", "--no-journal", "--formatter", "none", "--json", "-o", "result", *options, script, source.name]
    start = time.monotonic()
    process = subprocess.Popen(words, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if during:
        thread = threading.Thread(target=during, args=(process,))
        thread.start()
    said, notes = process.communicate()
    seconds = time.monotonic() - start
    if during:
        thread.join()
    if process.returncode:
        raise SystemExit(f"nubbin ended with status {process.returncode}:\n{notes}")
    return (work / "result").read_bytes(), seconds, json.loads(said), notes


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--nubbin", default=HERE / "target/release/nubbin")
    options.add_argument("--jobs", default="1,16,64")
    options.add_argument("--sleep", default="0.3")
    options.add_argument("--words", type=int, default=8)
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--json")
    options.add_argument("case", nargs="?", default="json-infinity")
    asked = options.parse_args()
    source = next((HERE / "corpus" / asked.case).glob("input.*"))
    rows, results = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        script = oracle(folder, source.read_text(), asked.words, asked.sleep)
        jobs = [int(number) for number in asked.jobs.split(",")]
        cluster = Cluster(folder, max(jobs))
        cluster.start()
        remote = ["--jobs", "0", "--remote", f"grpc://127.0.0.1:{cluster.port}", "--remote-option", "lost=wait"]
        try:
            for number in jobs:
                result, seconds, told, _ = reduce(asked.nubbin, folder, script, source, [*remote, "--remote-jobs", str(number)])
                results.append(result)
                first = rows[0]["seconds"] if rows else seconds
                rows.append({"case": asked.case, "jobs": number, "probes": told["probes"], "seconds": round(seconds, 1), "ratio": round(first / seconds, 2)})
                print(rows[-1], flush=True)
            if asked.kills:
                kills = 0

                def chaos(process):
                    nonlocal kills
                    while process.poll() is None and kills < asked.kills:
                        time.sleep(0.7)
                        if process.poll() is None:
                            cluster.kill()
                            cluster.start()
                            kills += 1

                result, seconds, told, notes = reduce(asked.nubbin, folder, script, source, [*remote, "--remote-jobs", "2"], chaos)
                results.append(result)
                rows.append({"case": asked.case, "jobs": 2, "kills": kills, "probes": told["probes"], "seconds": round(seconds, 1)})
                print(rows[-1], notes, flush=True)
        finally:
            cluster.kill()
    same = all(result == results[0] for result in results)
    print("all runs have the same bytes" if same else "the runs have DIFFERENT bytes")
    if asked.json:
        Path(asked.json).write_text(json.dumps(rows, indent=1) + "\n")
    raise SystemExit(not same)


main()
