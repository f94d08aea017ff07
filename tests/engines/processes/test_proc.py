"""What /proc tells of processes, beside what the tests read from it on their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.engines.processes import proc
from kassay.engines.processes.proc import (
    Patience,
    descendants,
    is_starved,
    ran_and_waited_s,
    resident_mib,
)
from tests.engines.processes.children import below

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
PARENT = (
    "import subprocess, sys; "
    "child = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'], stdin=subprocess.PIPE); "
    "print(child.pid, flush=True); sys.stdin.read(); child.communicate()"
)


def test_children_of_children_are_below_too() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        grandchild = int(parent.stdout.readline())
        assert {parent.pid, grandchild} <= set(descendants(os.getpid())) == below(os.getpid())
        assert descendants(parent.pid) == [grandchild]
        assert descendants(grandchild) == []
        parent.communicate("")


def test_memory_of_a_process_that_is_not_there_is_none() -> None:
    assert resident_mib(os.getpid()) > 1
    assert resident_mib(2**22 + 1) == 0


def test_a_process_is_starved_that_waits_longer_for_a_processor_than_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran, waited = ran_and_waited_s(os.getpid())
    assert ran > 0 <= waited
    assert ran_and_waited_s(2**22 + 1) == (0.0, 0.0)
    assert not is_starved(2**22 + 1, 0.0)
    for after, starved in (((1.25, 7.5), True), ((1.5, 7.25), False), ((1.0, 7.0), False)):
        looks = iter([(1.0, 7.0), after])
        monkeypatch.setattr(proc, "ran_and_waited_s", lambda _, looks=looks: next(looks))
        assert is_starved(1, 0.0) is starved


def test_what_a_process_waits_for_a_processor_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of one second whose process waits for 1.7 of its seconds is over after 2.7."""
    clock = [100.0]
    waited = iter([7.0, 7.9, 8.7, 8.7])
    monkeypatch.setattr(proc.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(proc, "ran_and_waited_s", lambda _: (0.0, next(waited)))
    patience = Patience(1, 1.0)
    assert patience.left_s == pytest.approx(0.05)
    for now, over, left in (
        (100.05, False, 0.95),
        (101.0, False, 0.9),
        (101.9, False, 0.8),
        (102.75, True, 0.0),
    ):
        clock[0] = now
        assert patience.is_over() is over
        assert patience.left_s == pytest.approx(left)


def test_a_call_that_only_waits_for_a_processor_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(proc.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(proc, "ran_and_waited_s", lambda _: (0.0, clock[0]))
    patience = Patience(1, 2.0)
    while not patience.is_over():
        clock[0] += 0.5
    assert clock[0] == 22.0


def test_time_in_which_a_thread_runs_counts_whatever_other_threads_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight threads that never end share two processors: all the time of the process is time that it ran."""
    clock = [0.0]
    monkeypatch.setattr(proc.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(proc, "ran_and_waited_s", lambda _: (2 * clock[0], 6 * clock[0]))
    patience = Patience(1, 2.0)
    while not patience.is_over():
        clock[0] += 0.5
    assert clock[0] == 2.0
