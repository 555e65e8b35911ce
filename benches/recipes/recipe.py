"""Helpers of the recipes: their registry, checks of installed programs, and pinned packages that are fetched on demand."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = {}


class Missing(Exception):
    """A tool or source of the recipe is missing on this machine."""


def case(name: str, ext: str, source: str):
    """Registers a recipe: the function returns the input; `source` describes its origin."""
    def register(function):
        CASES[name] = (ext, source, function)
        return function
    return register


def output(*argv: str, **more) -> bytes:
    try:
        return subprocess.run(argv, check=True, stdout=subprocess.PIPE, **more).stdout
    except FileNotFoundError as error:
        raise Missing(f"`{argv[0]}` is not installed") from error


def program(name: str) -> None:
    """Raises `Missing` if a program that the oracle runs is not installed."""
    if shutil.which(name) is None:
        raise Missing(f"`{name}` is not installed")


def file(path, package: str) -> bytes:
    path = Path(path)
    if not path.exists():
        raise Missing(f"`{path}` is missing (package {package})")
    return path.read_bytes()


def library(module: str) -> bytes:
    return file(Path(os.__file__).parent / module, "CPython 3.11")


def npm(tools: Path, package: str) -> Path:
    """Returns the directory of an npm package such as `effect@3.12.0`, and installs it if it is missing."""
    folder = tools / "npm" / package.replace("/", "+")
    if not folder.exists():
        folder.mkdir(parents=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, package], check=True)
    return folder / "node_modules" / package.rpartition("@")[0]


def pip(tools: Path, *packages: str) -> Path:
    """Returns the `site-packages` of a virtual environment with pip packages such as `sqlparse==0.4.3`."""
    folder = tools / "pip" / packages[0]
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
    return next(folder.glob("lib/python*/site-packages"))


def crate(tools: Path, name: str, version: str) -> Path:
    """Returns the directory with a crate's source."""
    folder = tools / "crates" / f"{name}-{version}"
    if not folder.exists():
        with tempfile.TemporaryDirectory() as place:
            manifest = f'[package]\nname = "recipe"\nedition = "2021"\n[lib]\npath = "lib.rs"\n[dependencies]\n{name} = "={version}"\n'
            Path(place, "Cargo.toml").write_text(manifest)
            Path(place, "lib.rs").touch()
            output("cargo", "vendor", "-q", "--versioned-dirs", cwd=place)
            shutil.copytree(Path(place, "vendor", f"{name}-{version}"), folder)
    return folder


def installed(tools: Path, name: str, version: str) -> None:
    """Builds the programs of a crate in `installed/NAME-VERSION/bin`."""
    folder = tools / "installed" / f"{name}-{version}"
    if not folder.exists():
        output("cargo", "install", "-q", "--locked", "--root", str(folder), "--version", version, name)


def debian(tools: Path, package: str) -> Path:
    """Returns the directory with the files of a Debian package, which is fetched but not installed."""
    folder = tools / "debian" / package
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as place:
            output("apt-get", "download", "-q", package, cwd=place, stderr=subprocess.DEVNULL)
            output("dpkg-deb", "-x", str(next(Path(place).glob("*.deb"))), str(folder))
    return folder


def debian_source(tools: Path, package: str) -> Path:
    """Returns the upstream files of a Debian source package. The lists of sources are fetched once."""
    folder = tools / "debian-source" / package
    if not folder.exists():
        lists = tools / "debian-source" / ".lists"
        (lists / "parts").mkdir(parents=True, exist_ok=True)
        for known in Path("/etc/apt/sources.list.d").glob("*.sources"):
            text = re.sub(r"(?m)^Types: .*", "Types: deb-src", known.read_text())
            (lists / "parts" / known.name).write_text(text)
        apt = ["apt-get", "-q", "-o", f"Dir::Etc::SourceParts={lists}/parts", "-o", "Dir::Etc::SourceList=/dev/null",
               "-o", f"Dir::State::lists={lists}"]
        if not (lists / "partial").exists():
            output(*apt, "update", stderr=subprocess.DEVNULL)
        with tempfile.TemporaryDirectory() as place:
            output(*apt, "source", "--download-only", package, cwd=place, stderr=subprocess.DEVNULL)
            made = Path(place, "made")
            made.mkdir()
            output("tar", "-x", "--strip-components=1", "-C", str(made), "-f", str(next(Path(place).glob("*.orig.tar.*"))))
            shutil.copytree(made, folder, symlinks=True)
    return folder
