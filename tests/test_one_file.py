"""A claim, a situation, an invariant, a command, a reference, a newer one of a rule, and a client library are added by
adding one file each: those that `docs/adding.md` shows.
"""

import os
import shutil
import subprocess
import sys

import pytest

from tests.docs.commands import blocks
from tests.house import SRC
from tests.paths import DOCS

FILES = {
    block.title.removeprefix("src/kassay/"): block.text
    for block in blocks(DOCS / "adding.md")
    if block.title is not None
}

COMMANDS = {
    "list claims": "never-last",
    "list situations": "lonely",
    "list invariants": "no-owner",
    "list assignors": "all-to-last",
    "--help": "Say hello to the user.",
    "greet": "hello",
    "explain server-range@9.2": "server-range@9.1",
    "certify all-to-last --claims never-last --histories 20 --in-process -v": " lonely ",
    "certify otherlib:greedy --claims never-last --histories 20 --in-process": "VIOLATED",
    "explore zookeeper --members 1 --partitions 1": "no-owner violated (real)",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """The output of each command, in a copy of the package with only these files added."""
    here = tmp_path_factory.mktemp("copy")
    shutil.copytree(SRC, here / "kassay", ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in FILES.items():
        assert not (here / "kassay" / path).exists()
        (here / "kassay" / path).write_text(text)

    def run(command):
        return subprocess.run(
            [sys.executable, "-m", "kassay", *command.split()],
            cwd=here,
            env={**os.environ, "PYTHONPATH": str(here), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow_cases(
    "certify all-to-last --claims never-last --histories 20 --in-process -v- lonely ",
    "certify otherlib:greedy --claims never-last --histories 20 --in-process-VIOLATED",
    "explain server-range@9.2-server-range@9.1",
    "explore zookeeper --members 1 --partitions 1-no-owner violated (real)",
    "list assignors-all-to-last",
    "list claims-never-last",
)
@pytest.mark.parametrize(("command", "expected"), COMMANDS.items())
def test_one_file_is_enough(said, command, expected):
    done = said(command)
    assert expected in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
