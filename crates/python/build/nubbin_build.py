"""Builds the wheel: the module, as maturin builds it, together with the program `nubbin`.

maturin builds either a module or a program. The program is therefore built first, by the same cargo with the
same profile, and passed to maturin as a script of the wheel. An entry point of the module would have to start
an interpreter, and could not be its own helper.
"""

import email
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import maturin
from maturin import (  # noqa: F401, what a front end asks for
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "target" / "wheel.data" / "scripts"
# maturin requires the directory to exist for every command.
SCRIPTS.mkdir(parents=True, exist_ok=True)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel with the module and the program."""
    _build_program(config_settings)
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds an editable wheel for development."""
    _build_program(config_settings)
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    """Builds the source distribution from the whole repository. maturin's contains only the crates of the
    module, without the program.
    """
    with tempfile.TemporaryDirectory() as place:
        information = maturin.prepare_metadata_for_build_wheel(place, config_settings)
        metadata = (Path(place) / information / "METADATA").read_bytes()
    fields = email.message_from_bytes(metadata)
    stem = f"{fields['Name']}-{fields['Version']}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in filter(None, os.fsdecode(listed).split("\0")):
            archive.add(ROOT / name, f"{stem}/{name}", recursive=False)
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(metadata)
        archive.addfile(entry, io.BytesIO(metadata))
    return f"{stem}.tar.gz"


def _build_program(config_settings):
    """Builds the program, and copies it to the directory in the setting `data` of `pyproject.toml`.

    `NUBBIN_BUILT` specifies a program that is already built from the same sources.
    """
    if os.environ.get("NUBBIN_BUILT"):
        shutil.copy2(os.environ["NUBBIN_BUILT"], SCRIPTS / "nubbin")
        return
    arguments = maturin.get_maturin_pep517_args(config_settings)
    profile, target = _value(arguments, "--profile") or "release", _value(arguments, "--target")
    command = ["cargo", "rustc", "--bin", "nubbin", "--features", "all-languages", "--profile", profile]
    if target:
        command += ["--target", target]
    # The same options as maturin's, so that common dependencies are built only once.
    subprocess.run([*command, "--", "-C", "strip=symbols"], cwd=ROOT, check=True, stdout=2)
    built = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / (target or "")
    shutil.copy2(built / ("debug" if profile == "dev" else profile) / "nubbin", SCRIPTS / "nubbin")


def _value(arguments, option):
    """Returns the value of an option of maturin, or `None`."""
    for at, argument in enumerate(arguments):
        if argument == option:
            return arguments[at + 1]
        if argument.startswith(option + "="):
            return argument.split("=", 1)[1]
    return None
