"""Runs `nubbin explain` on real failures, and reports whether the first screen names the place of the public fix.

    python3 benches/causes/real.py NUBBIN [CASE…]
    python3 benches/causes/real.py --show NUBBIN [CASE…]

`real.toml` has the cases. Each Python package is installed by pip in a separate environment. Programs are built from Debian's
sources, which `apt-get source` fetches; this needs `deb-src` in apt's list of sources. Both are kept in ~/.cache/nubbin-causes.
A case that cannot be installed is skipped, with the reason.

A row reports whether the first screen (24 lines of 100 columns) has the file of the fix and one of its functions, the seconds
until the screen was complete, and the seconds of one run of the command. The search for causes that follows is ended. The last
line counts the cases.
"""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import tomllib
import zlib
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "nubbin-causes"
LINES, COLUMNS = 24, 100
SECONDS = 120


class Missing(Exception):
    """A case cannot be installed on this machine."""


def run(words: list, folder: Path) -> None:
    """Runs a command of an installation."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise Missing(f"{words[0]} {words[1]}: {' '.join(said)}")


def interpreter(version: str) -> str:
    """Returns the interpreter of a version, or the current one if the version is empty."""
    if not version:
        return sys.executable
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    path = str(found[0]) if found else shutil.which(f"python{version}")
    if path is None:
        raise Missing(f"no python{version}")
    return path


def package(case: dict) -> str:
    """Returns the interpreter of the environment with the package."""
    folder = CACHE / "packages" / re.sub(r"\W+", "-", case["package"])
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        run([interpreter(case.get("python", "")), "-m", "venv", str(folder)], HERE)
        run([str(python), "-m", "pip", "install", "--quiet", case["package"]], HERE)
        (folder / "installed").touch()
    return str(python)


def program(case: dict) -> Path:
    """Builds the program from the upstream source without Debian's patches, and returns its directory."""
    name = case["source"].partition("=")[0]
    folder = CACHE / "sources" / name
    if not (folder / "built").exists():
        folder.mkdir(parents=True, exist_ok=True)
        if not list(folder.glob("*.orig.tar.*")):
            run(["apt-get", "source", "--download-only", case["source"]], folder)
        archive = next(folder.glob("*.orig.tar.?z"))
        run(["tar", "--extract", "--file", archive.name], folder)
        inside = next(path for path in folder.iterdir() if path.is_dir())
        run(["bash", "-c", case["build"]], inside)
        (folder / "built").touch()
    return next(path for path in folder.iterdir() if path.is_dir())


def archive_of(entry: dict) -> bytes:
    """Returns a ZIP archive whose only file has a different name in its extra field."""
    name, data = entry["name"].encode(), entry["data"].encode()
    path = struct.pack("<BI", 1, zlib.crc32(name)) + bytes.fromhex(entry["path"])
    extra = struct.pack("<HH", 0x7075, len(path)) + path
    sizes = (33, zlib.crc32(data), len(data), len(data), len(name), len(extra))
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, *sizes) + name + extra + data
    central = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0x314, 20, 0, 0, 0, *sizes, 0, 0, 0, 0, 0) + name + extra
    return local + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(central), len(local), 0)


def prepare(case: dict) -> tuple:
    """Returns the directory of a case with its input, and the command."""
    folder = CACHE / "runs" / case["name"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = case.get("command", ["python", "run.py", "{}"])
    if "package" in case:
        words = [package(case) if word == "python" else word for word in words]
    else:
        words = [str(program(case) / words[0]), *words[1:]]
    if "script" in case:
        (folder / "run.py").write_text(case["script"])
    for name, text in case.get("files", {}).items():
        (folder / name).write_text(text)
    data = archive_of(case["zip"]) if "zip" in case else case["input"].encode()
    (folder / "input.txt").write_bytes(data)
    return folder, words


def first_screen(words: list, folder: Path, environment: dict) -> tuple:
    """Returns the first screen of a command and the seconds until it was complete, and ends the command."""
    start = time.monotonic()
    process = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n")[:COLUMNS])
        if not line.strip() or len(lines) == LINES:
            break
    seconds = time.monotonic() - start
    process.send_signal(signal.SIGTERM)
    process.communicate()
    return lines, seconds


def measure(nubbin: str, case: dict, is_shown: bool) -> dict:
    """Returns the row of a case."""
    row = {"case": case["name"]}
    try:
        folder, words = prepare(case)
    except Missing as reason:
        return row | {"left_out": str(reason)}
    environment = dict(os.environ, **case.get("environment", {}))
    start = time.monotonic()
    plain = [word.replace("{}", "input.txt") for word in words]
    subprocess.run(plain, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False)
    once = time.monotonic() - start
    typed = [nubbin, "explain", "-q", *case.get("options", []), "input.txt", "--", *words]
    lines, seconds = first_screen(typed, folder, environment)
    screen = "\n".join(lines)
    if is_shown:
        print(screen)
    fix = case["fix"]
    has_file = re.search(rf"\b{re.escape(fix['file'])}\b", screen) is not None
    named = [name for name in fix["functions"] if re.search(rf"\b{name}\b", screen)]
    return row | {"named": has_file and bool(named), "seconds": round(seconds, 2), "one_run": round(once, 2)}


def main() -> None:
    """Measures the cases."""
    words = sys.argv[1:]
    is_shown = "--show" in words
    nubbin, *names = [word for word in words if word != "--show"]
    nubbin = str(Path(nubbin).resolve())
    cases = tomllib.loads((HERE / "real.toml").read_text())["case"]
    rows = []
    for case in cases:
        if not names or case["name"] in names:
            rows.append(measure(nubbin, case, is_shown))
            print(json.dumps(rows[-1]), flush=True)
    tried = [row for row in rows if "named" in row]
    print(f"the place of the fix is named in {sum(row['named'] for row in tried)} of {len(tried)}")


if __name__ == "__main__":
    main()
