"""What a user sees while files are read."""

import os
import pty
import sys

from tests.paths import ROOT


def test_a_terminal_shows_that_files_are_read_before_any_result():
    groups = ROOT / "examples" / "cluster" / "groups.txt"
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "kassay", "what-if", str(groups), "--to", "range"])
    shown = b"".join(_output_of(terminal))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert 0 <= shown.index(b"reading") < shown.index(b"evaluating") < shown.index(b"today")


def _output_of(terminal):
    """The output of a program until it ends, which Linux reports as an error."""
    while True:
        try:
            yield os.read(terminal, 65536)
        except OSError:
            return
