"""A kind is declared in one file: two toy kinds get everything that the existing kinds have (`tests/toys/checks.py`).

A process of its own has the toys: everywhere else the kinds are those of the package.
"""

import os
import re
import subprocess
import sys

import pytest

from tests.paths import ROOT

LINES_MAX = {"shards": 150, "leases": 250}


@pytest.mark.parametrize("name", LINES_MAX)
def test_a_toy_is_short(name):
    assert len((ROOT / "tests" / "toys" / f"{name}.py").read_text().splitlines()) <= LINES_MAX[name]


def test_a_toy_gets_what_every_kind_has():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "tests/toys/checks.py",
    ]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert re.search(r"\b19 passed\b", done.stdout), done.stdout[-400:]
