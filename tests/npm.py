"""Packages of npm for the tests with the mark `node`: `python -m tests.npm FOLDER` installs them there.

Where there is no npm, or it cannot fetch them, that is said, and the tests that need them are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.certify.targets.node import MODULES_VARIABLE

PACKAGES = ("kafkajs@2.2.4", "@platformatic/kafka@1.35.0")


def installed(package: str) -> Path:
    """The folder of the package that the environment names; skips the test where there is none."""
    needs_node()
    modules = os.environ.get(MODULES_VARIABLE)
    if modules is None:
        pytest.skip(f"{MODULES_VARIABLE} names no packages (`./dev tox run -e node` installs them)")
    folder = Path(modules, package)
    if not folder.is_dir():
        pytest.skip(f"there is no {package} in {modules}")
    return folder


def needs_node() -> None:
    """Skips the test where there is no Node."""
    if shutil.which("node") is None:
        pytest.skip("there is no node on the PATH")


def main(folder: str) -> None:
    """Install the packages."""
    npm = shutil.which("npm")
    if npm is None:
        print("there is no npm on the PATH: tests of its packages are skipped")
        return
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000"]
    argv = [npm, "install", "--prefix", folder, *options, *PACKAGES]
    if subprocess.run(argv, check=False).returncode:
        print("npm could not install the packages: tests of them are skipped")


if __name__ == "__main__":
    main(sys.argv[1])
