"""The exit code is that of the verdict, even if nobody reads the output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runner import ENVIRONMENT

QUICK = ("--claims", "topic-even", "--histories", "60", "--assume", "plain-names,plain-numbers,small-sizes")


def unread(*arguments, cwd, stderr=subprocess.PIPE):
    """The exit code of the command, whose output nobody reads, and what it said on standard error."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "kassay", *arguments],
        cwd=cwd,
        env=ENVIRONMENT,
        stdout=writing,
        stderr=stderr,
        check=False,
    )
    os.close(writing)
    return done.returncode, (done.stderr or b"").decode()


SLOW = [
    (("certify", "range", *QUICK), 0),
    (("certify", "ceil-range", "--histories", "20"), 3),
    (("certify", "ceil-range", "range", *QUICK), 1),
    (("certify", "range", "ceil-range", *QUICK), 130),
    (("certify", "range", *QUICK, "--json", "-"), 0),
    (("certify", "ceil-range", *QUICK, "--quiet"), 1),
    (("certify", "nothing", *QUICK), 4),
    (("diff", "range", "roundrobin", "--histories", "20"), 1),
    (("diff", "range", "range", "--histories", "5", "--json", "-"), 0),
]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("certify", "ceil-range", *QUICK), 1),
        (("hunt", "max(load) <= 1", "--on", "range", "--histories", "0"), 1),
        (("list", "claims"), 130),
        (("certify", "--help"), 130),
        (("--version",), 130),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW),
    ],
)
def test_an_output_that_nobody_reads_does_not_change_the_exit_code(tmp_path, command, code):
    outcome, said = unread(*command, cwd=tmp_path)
    assert outcome == code
    assert said.count("\n") == (1 if code == 4 else 0)


@pytest.mark.slow
def test_a_shared_output_that_nobody_reads_does_not_either(tmp_path):
    assert unread("certify", "ceil-range", *QUICK, cwd=tmp_path, stderr=subprocess.STDOUT)[0] == 1


@pytest.mark.slow
def test_reports_are_written_though_nobody_reads_the_output(tmp_path):
    unread("certify", "ceil-range", *QUICK, "--json", "found.json", "--report", "junit", cwd=tmp_path)
    assert (tmp_path / "found.json").exists() and (tmp_path / ".kassay" / "junit.xml").exists()


EARLY = """import subprocess, sys
run = subprocess.Popen([sys.executable, "-m", "kassay", *sys.argv[2:]], stdout=subprocess.PIPE, text=True)
while sys.argv[1] not in run.stdout.readline():
    pass
run.stdout.close()
sys.exit(run.wait())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("event", "target", "code"), [("claim-violated", "ceil-range", 1), ("progress", "range", 130)]
)
def test_the_reader_of_events_who_leaves_ends_the_run_with_its_verdict_so_far(tmp_path, event, target, code):
    endless = ("certify", target, "--claims", "topic-even", "--time", "10m", "--progress", "-")
    done = subprocess.run(
        [sys.executable, "-c", EARLY, event, *endless],
        cwd=tmp_path,
        env=ENVIRONMENT,
        timeout=100,
        check=False,
    )
    assert done.returncode == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("command", [("list", "claims"), ("list", "suites"), ("--help",)])
def test_a_full_disk_is_said_in_one_line(command, tmp_path):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kassay", *command],
            cwd=tmp_path,
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.stderr.decode() == "kassay: standard output: cannot be written (No space left on device)\n"
    assert done.returncode == 2
