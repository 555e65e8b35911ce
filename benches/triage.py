#!/usr/bin/env python3
"""Creates a directory of files that crash gcc, and measures `nubbin triage` on it.

    benches/triage.py make SUITE FOLDER     mutates programs of GCC's testsuite until FOLDER has enough files that crash
                                            gcc; `--also FILE…` are programs that are known to crash it
    benches/triage.py truth FOLDER          separates bugs with the same message by the function in which gdb finds the crash
    benches/triage.py run FOLDER OUT        runs triage once: groups, probes, and times until the small files exist
    benches/triage.py each FOLDER OUT       reduces files separately, to check that no bug is lost

SUITE is the directory `gcc/testsuite` of GCC's sources (`apt-get install gcc-12-source` has them as an archive). The files
are the same for the same seed and gcc, unless a program reaches the time limit.
A bug is the place of a crash: the function and line that gcc prints, or else the function in which gdb finds the crash.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

COMMAND = ["gcc", "-O3", "-g", "-w", "-std=c++20", "-S", "-o", "/dev/null"]
LIMIT = 10  # seconds for a run
LARGEST = 20_000  # maximum bytes of a program that is mutated
OF_A_BUG = 20  # maximum number of files of one bug
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\.?\d[\w.]*|\s+|//[^\n]*|/\*.*?\*/|.', re.S)
NUMBERS = ["0", "1", "-1", "2", "3", "7", "8", "31", "32", "33", "63", "64", "65", "127", "128", "255", "256", "0x7fffffff",
           "0x80000000u", "-2147483648", "0xffffffffffffffffull", "0.0", "-0.0", "1e308"]
TYPES = ["char", "short", "int", "long", "long long", "float", "double", "_Bool", "unsigned", "__int128", "_Complex double",
         "_Complex int", "unsigned char", "void *", "long double"]
OPERATORS = [["+", "-", "*", "/", "%", "&", "|", "^"], ["<", ">"], ["=", "+"], ["!", "~", "-"], ["&", "*"]]
ATTRIBUTES = ["__attribute__((vector_size(16)))", "__attribute__((noinline))", "__attribute__((always_inline)) inline",
              "__attribute__((packed))", "__attribute__((aligned(64)))", "__attribute__((const))", "__attribute__((pure))",
              "__attribute__((noreturn))", "__attribute__((optimize(3)))", "__attribute__((optimize(0)))", "volatile",
              "static", "const", "register", "_Atomic", "__restrict", "__attribute__((mode(DI)))",
              "__attribute__((target(\"avx2\")))", "__attribute__((transparent_union))", "__attribute__((may_alias))",
              "__attribute__((scalar_storage_order(\"big-endian\")))", "__attribute__((vector_size(3)))"]
STATEMENTS = ["return;", "goto out; out:;", "__builtin_unreachable();", "__builtin_trap();", "while (1);", "asm volatile(\"\");",
              "if (1)", "switch (0) default:", "for (;;)", "return 0;", "break;"]
STEP = 200  # programs between two reports
CROSSED = 0.25  # share of programs that contain one that has crashed gcc
OF_C = 0.6  # share of C among the others; the rest is C++
KEYWORDS = set("""auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while class template
typename namespace using public private protected virtual operator new delete this try catch throw true false bool constexpr
auto decltype friend explicit mutable asm include define ifdef ifndef endif elif undef pragma defined line error""".split())


def tokens(text):
    return TOKEN.findall(text)


def is_word(token):
    return re.match(r"[A-Za-z_]", token) is not None


def change(parts, others, rng):
    """Changes a list of tokens in place, once."""
    at = rng.randrange(len(parts))
    for _ in range(20):
        if parts[at].strip():
            break
        at = rng.randrange(len(parts))
    token = parts[at]
    kind = rng.random()
    if re.match(r"\.?\d", token):
        parts[at] = rng.choice(NUMBERS)
    elif kind < 0.15:
        parts.insert(at, f" {rng.choice(ATTRIBUTES)} ")
    elif kind < 0.3 and token in (";", "{", "}"):
        parts.insert(at + 1, f" {rng.choice(STATEMENTS)} ")
    elif token in TYPES:
        parts[at] = rng.choice(TYPES)
    elif is_word(token):
        words = [part for part in parts if is_word(part)]
        parts[at] = rng.choice(words)
    elif any(token in group for group in OPERATORS):
        parts[at] = rng.choice(next(group for group in OPERATORS if token in group))
    elif kind < 0.6:
        end = min(len(parts), at + rng.randrange(1, 12))
        del parts[at:end]
    elif kind < 0.8:
        end = min(len(parts), at + rng.randrange(1, 30))
        where = rng.randrange(len(parts))
        parts[where:where] = parts[at:end]
    else:
        start = rng.randrange(len(others))
        parts[at:at] = others[start:start + rng.randrange(1, 40)]


def mutant(seeds, rng):
    """Returns a mutated program and its file extension."""
    path = rng.choice(seeds)
    parts = tokens(path.read_text("utf-8", "replace"))
    alike = rng.choice(seeds)
    others = tokens(alike.read_text("utf-8", "replace")) or [" "]
    if not parts:
        return None, path.suffix
    for _ in range(rng.choice([1, 1, 2, 3, 5])):
        change(parts, others, rng)
        if not parts:
            return None, path.suffix
    return "".join(parts), path.suffix


def place(said):
    """Returns the place where gcc crashed, or None if it did not."""
    died = re.search(r"internal compiler error: (.*)", said)
    if died is None:
        return None
    found = re.search(r"in (\S+), at (\S+)", died[1])
    if found:
        return f"{found[1]} {found[2].split('/')[-1]}"
    phase = re.search(r"during (?:RTL|GIMPLE|IPA) pass: (\S+)", said)
    return f"{died[1]} {phase[1] if phase else ''}".strip()


def gcc(path):
    try:
        ran = subprocess.run([*COMMAND, path], capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    return place(ran.stderr.decode("utf-8", "replace"))


def renamed(text, ending):
    """Appends `ending` to all names of a program, so that it can be joined with another one."""
    def rename(part):
        is_name = is_word(part) and not part.startswith("__") and part not in KEYWORDS
        return part + ending if is_name else part
    return "".join(rename(part) for part in tokens(text))


def crossing(text, seeds, rng):
    """Returns a program that crashes gcc, joined with one or two others and slightly mutated."""
    around = [renamed(path.read_text("utf-8", "replace"), f"_{at}") for at, path in enumerate(seeds)]
    parts = tokens("\n".join([around[0], text, around[1]][rng.randrange(2):rng.choice([2, 3])]))
    for _ in range(rng.choice([0, 1, 2])):
        change(parts, parts[:], rng)
    return "".join(parts)


def attempt(job):
    seeds, seed, dead = job
    rng = random.Random(seed)
    if dead is None:
        text, suffix = mutant(seeds, rng)
    else:
        text, suffix = crossing(dead[0], seeds, rng), dead[1]
    if text is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, f"m{suffix}")
        try:
            path.write_text(text)
            found = gcc(path)
        except (OSError, UnicodeEncodeError):
            return None
    return (seed, suffix, text, found) if found else None


def make(options):
    suite, folder = pathlib.Path(options.suite), pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    places = ["gcc.c-torture", "gcc.dg", "c-c++-common", "g++.dg"]
    seeds = sorted(path for name in places for path in (suite / name).rglob("*")
                   if path.suffix in (".c", ".C") and path.stat().st_size <= LARGEST)
    of_language = {suffix: [path for path in seeds if path.suffix == suffix] for suffix in (".c", ".C")}
    found, count, done, start = {}, 0, 0, time.time()
    dead = [(path.read_text("utf-8", "replace"), path.suffix.replace(".cpp", ".C")) for path in map(pathlib.Path, options.also)]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        while count < options.files and time.time() - start < options.seconds:
            jobs = []
            for seed in range(options.seed * 10_000_000 + done, options.seed * 10_000_000 + done + STEP):
                rng = random.Random(~seed)
                one = rng.choice(dead) if dead and rng.random() < CROSSED else None
                jobs.append((rng.sample(of_language[one[1] if one else ".c" if rng.random() < OF_C else ".C"], 2), seed, one))
            done += STEP
            for result in pool.map(attempt, jobs, chunksize=10):
                if result is None:
                    continue
                seed, suffix, text, where = result
                files = found.setdefault(where, [])
                if not files:
                    dead.append((text, suffix))
                if len(files) < OF_A_BUG and count < options.files:
                    name = f"{seed:09}{'.cc' if suffix == '.C' else suffix}"
                    files.append(name)
                    count += 1
                    (folder / name).write_text(text)
            told = f"{done} programs, {count} files, {len(found)} bugs, {time.time() - start:.0f} s"
            print(told, flush=True)
            truth = {"seed": options.seed, "programs": done, "bugs": found}
            (folder.parent / f"{folder.name}.truth.json").write_text(json.dumps(truth, indent=1))


def address(path):
    """Returns the function in which gdb finds the crash of the compiler proper, for messages without a place."""
    dry = subprocess.run([*COMMAND, "-###", path], capture_output=True, text=True)
    line = next(line for line in dry.stderr.splitlines() if "/cc1" in line)
    words = shlex.split(line)
    script = ["-ex", "set confirm off", "-ex", "run", "-ex", "x/i $pc", "-ex", "kill"]
    ran = subprocess.run(["gdb", "-batch", *script, "--args", *words], capture_output=True, text=True, timeout=60)
    found = re.search(r"=> (?:0x[0-9a-f]+ <(\w+)|(0x[0-9a-f]+))", ran.stdout)
    return f"{pathlib.Path(words[0]).name} {found[1] or found[2] if found else 'unknown'}"


def truth_of(folder):
    return folder.parent / f"{folder.name}.truth.json"


def truth(options):
    """Separates bugs with the same message by the address of the crash."""
    path = truth_of(pathlib.Path(options.folder))
    known = json.loads(path.read_text())
    bugs = {}
    for where, names in known["bugs"].items():
        for name in names:
            bugs.setdefault(bug_of(pathlib.Path(options.folder, name)), []).append(name)
    known["bugs"] = bugs
    path.write_text(json.dumps(known, indent=1))
    print("\n".join(f"{len(names):>4} {where}" for where, names in bugs.items()))


def bug_of(path):
    """Returns the bug that a file shows."""
    where = gcc(path)
    return f"{where} {address(path)}" if where and where.startswith("Segmentation fault") else where


def run(options):
    folder, out = pathlib.Path(options.folder), pathlib.Path(options.out)
    known = json.loads(truth_of(folder).read_text())["bugs"]
    bug_of_file = {name: where for where, names in known.items() for name in names}
    start = time.time()
    words = [options.nubbin, "triage", f"-j{options.jobs}", "-o", out, *options.more, folder, "--", *COMMAND, "{}"]
    subprocess.run(words, check=True)
    seconds = time.time() - start
    state = json.loads((out / "triage.json").read_text())
    own = [bug for bug in state["bugs"] if "merged" not in bug["state"]]
    rows, first, extra = [], {}, {}
    for bug in own:
        members = [member["path"] for member in bug["members"] if member["found"] is None]
        of_members = sorted({bug_of_file[name] for name in members})
        small = out / bug["folder"] / (bug["name"] or "")
        shown = bug_of(small) if small.is_file() else None
        rows.append({"number": bug["number"], "title": bug["title"], "members": len(members), "bugs_of_members": of_members,
                     "small_file_shows": shown, "before": bug["before"], "after": bug["after"], "probes": bug["probes"],
                     "small_after": bug["small_after"], "found": bug["found"], "state": bug["state"]})
        if shown and bug["small_after"]:
            times = first if shown in known else extra
            times[shown] = min(times.get(shown, 1e9), bug["small_after"])
    times = sorted(first.values())
    figures = {
        "files": len(state["files"]), "bugs": len(known), "groups": len(own),
        "groups_of_files": sum(1 for row in rows if row["members"]),
        "groups_with_files_of_several_bugs": sum(1 for row in rows if len(row["bugs_of_members"]) > 1),
        "bugs_with_a_small_file": len(first), "lost": sorted(set(known) - set(first)),
        "bugs_that_no_file_shows": sorted(extra), "runs": state["runs"], "shared_runs": state["shared_runs"],
        "seconds": round(seconds, 1), "first": times[0], "half": times[(len(times) - 1) // 2], "all": times[-1],
        "jobs": options.jobs, "rows": rows,
    }
    report(options, "triage", figures)


def each(options):
    """Reduces every n-th file of each bug separately."""
    folder, out = pathlib.Path(options.folder), pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    known = json.loads(truth_of(folder).read_text())["bugs"]
    rows = []
    for where, names in known.items():
        for name in names[::options.every]:
            result = out / name
            start = time.time()
            words = [options.nubbin, f"-j{options.jobs}", "-q", "--json", "-o", result, folder / name,
                     "--", *COMMAND, "{}"]
            ran = subprocess.run(words, stdout=subprocess.PIPE, text=True)
            told = json.loads(ran.stdout) if ran.returncode == 0 else {}
            rows.append({"file": name, "bug": where, "ends_with": bug_of(result) if result.is_file() else None,
                         "seconds": round(time.time() - start, 1), "probes": told.get("probes", {}).get("all"), "after": told.get("after")})
            print(rows[-1], flush=True)
    seconds, probes = sum(row["seconds"] for row in rows), sum(row["probes"] or 0 for row in rows)
    report(options, "each", {
        "files": len(rows), "bugs": len({row["ends_with"] for row in rows if row["ends_with"]}),
        "lost": sorted(set(known) - {row["ends_with"] for row in rows}), "seconds": round(seconds, 1), "probes": probes,
        "of_all_files": {"seconds": round(seconds * options.every, 1), "probes": probes * options.every}, "rows": rows,
    })


def report(options, name, figures):
    if options.json:
        path = pathlib.Path(options.json)
        all_figures = json.loads(path.read_text()) if path.is_file() else {}
        path.write_text(json.dumps({**all_figures, name: figures}, indent=1) + "\n")
    print(json.dumps({key: value for key, value in figures.items() if key != "rows"}, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("make")
    one.add_argument("suite")
    one.add_argument("folder")
    one.add_argument("--also", nargs="*", default=[])
    one.add_argument("--files", type=int, default=200)
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--jobs", type=int, default=2)
    one.add_argument("--seconds", type=float, default=3600)
    one.set_defaults(run=make)
    one = commands.add_parser("truth")
    one.add_argument("folder")
    one.set_defaults(run=truth)
    for name, function in (("run", run), ("each", each)):
        one = commands.add_parser(name)
        one.add_argument("folder")
        one.add_argument("out")
        one.add_argument("--nubbin", default="target/release/nubbin")
        one.add_argument("--jobs", type=int, default=2)
        one.add_argument("--json", help="the figures are added to this file")
        one.add_argument("--every", type=int, default=5)
        one.add_argument("--more", nargs="*", default=[])
        one.set_defaults(run=function)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    sys.exit(main())
