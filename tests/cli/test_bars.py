"""Progress bars show themselves on a terminal only, and leave nothing behind."""

import os
import pty
import subprocess
import sys

import pytest

from kassay.cli.bars import bar

SCRIPT = """
import time
from kassay.cli.bars import bar
with bar("measuring things", 2) as show:
    show(1)
    show(2, "half of it")
    time.sleep(0.2)
print("done")
"""


def test_without_a_terminal_nothing_is_shown(capsys):
    with bar("measuring", 3) as show:
        show(1)
        show(2, "words")
    assert capsys.readouterr() == ("", "")


def test_an_error_inside_goes_on():
    with pytest.raises(KeyError), bar("measuring"):
        raise KeyError


def test_on_a_terminal_the_words_are_shown_beside_the_name():
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        timeout=60,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.stdout == b"done\n"
    assert "measuring things" in shown
    assert "half of it" in shown
