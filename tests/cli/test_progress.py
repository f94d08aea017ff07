"""What a user sees while work goes on: batches of a campaign, and files as they are read."""

import io
import os
import pty
import sys

from kassay.cli.progress import ProgressLines, progress_line
from kassay.pipeline.campaign.runner import CampaignProgress
from kassay.report.screen.console import console
from tests.paths import ROOT


def test_a_batch_is_told_when_it_ends_and_in_between_only_after_a_while() -> None:
    now = CampaignProgress(3, 50, 100, 12.34, 8.0, 2, tasks_done=5, tasks=9, peak_kib=2048)
    ended = CampaignProgress(3, 60, 100, 12.34, 7.0, 2, broken=(("range", "stable"), ("range", "total")))
    file = io.StringIO()
    screen = console(file=file)
    silent, told = ProgressLines(screen, every_s=3600), ProgressLines(screen, every_s=0)
    silent.tick(now)
    told.tick(now)
    told.progress(ended)
    assert file.getvalue().splitlines() == [
        "batch 3 (5 of 9 tasks): about 50 of 100 histories, 12/s, 8 s left, 2 findings so far, 2 MiB at most",
        "batch 3: 60 of 100 histories, 12/s, 7 s left, 2 findings so far",
        "  violated by range: stable, total",
    ]
    assert progress_line(CampaignProgress(0, 0, 5, 0.0, None, 0)) == (
        "batch 0: 0 of 5 histories, 0/s, ? left, 0 findings so far"
    )


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
