"""The distribution, built once, and an environment with the wheel in it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.paths import ROOT

LIMIT_S = 900


class Built(NamedTuple):
    """The files of a release."""

    wheel: Path
    sdist: Path


def clean(**more):
    """An environment that leads to no installed package; the settings of pip stay."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("HOME", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE") or name.lower().endswith("_proxy")
        or name.startswith("PIP_")
    }  # fmt: skip
    return kept | {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **more}


def ran(*command, cwd=None, code=0, env=None):
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd, env=env or clean(), capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    ran(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture(scope="session")
def fresh(built, tmp_path_factory):
    """The folder of the programs of an environment that has nothing but the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("fresh")
    ran(sys.executable, "-m", "venv", folder)
    ran(folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", built.wheel)
    return folder / "bin"
