"""How a child ended, as its parent tells it."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from pathlib import Path

import pytest

from kassay.engines.processes import proc, process
from kassay.engines.processes.host import Host, Limits
from kassay.engines.processes.process import Ended, Guarded
from kassay.engines.processes.wire import CHANNEL_LOST
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster
from kassay.model.errors import FailureKind, TargetFailure
from kassay.model.groups.group import Group, Member
from tests.engines.processes.hostile import SHORT_S, failure, timed_out


@pytest.mark.slow
@pytest.mark.parametrize("do", ["loops", "loops_in_c", "loops_in_re", "catches_everything"])
def test_no_answer_in_time(host: Host, do: str) -> None:
    found = timed_out(host, do)
    assert found.kind is FailureKind.TIMEOUT
    assert found.message == f"assign did not answer within {SHORT_S} s"


@pytest.mark.slow
def test_memory_that_is_hidden_is_a_loop(host: Host) -> None:
    assert timed_out(host, "allocates_and_hides").kind is FailureKind.TIMEOUT


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("exits_hard", r"process ended with exit status 3 during assign \(did it exit itself\?\)"),
        ("segfaults", r"process killed by signal 11 \(SIGSEGV\) during assign"),
        ("kills_itself", r"process killed by signal 9 \(SIGKILL\) during assign"),
        ("aborts", r"process killed by signal 6 \(SIGABRT\) during assign; it last wrote: about to abort"),
        ("closes_fds", r"process closed the channel to kassay during assign"),
        ("daemonises_and_exits", r"process ended with exit status 0 during assign .*"),
    ],
)
def test_the_process_ends(host: Host, tmp_path: Path, do: str, message: str) -> None:
    found = failure(host, do, tmp_path / "pids")
    assert found.kind is FailureKind.DIED
    assert re.fullmatch(message, found.message)


def test_endless_recursion_in_c(host: Host) -> None:
    assert failure(host, "recurses_without_limit").kind in {FailureKind.DIED, FailureKind.MEMORY}


def test_garbage_in_the_channel_is_no_answer(host: Host) -> None:
    found = failure(host, "scribbles")
    assert found.kind is FailureKind.MALFORMED
    assert found.message == "the target wrote into the channel to kassay during assign"


@pytest.mark.parametrize(
    ("ended", "kind", "message"),
    [
        (Ended(3), FailureKind.DIED, "process ended with exit status 3 during f (did it exit itself?)"),
        (Ended(0, rss_mib=999), FailureKind.DIED, "process ended with exit status 0 during f (did it exit"),
        (Ended(CHANNEL_LOST), FailureKind.DIED, "process closed the channel to kassay during f"),
        (Ended(-11, rss_mib=89), FailureKind.DIED, "process killed by signal 11 (SIGSEGV) during f"),
        (Ended(-9, rss_mib=90), FailureKind.MEMORY, "f took more than 100 MiB of memory and was killed"),
        (Ended(1, over=True), FailureKind.MEMORY, "f took more than 100 MiB of memory and was killed"),
        (Ended(-32), FailureKind.DIED, "process killed by signal 32 during f"),
        (
            Ended(-6, tail="a\nb \n"),
            FailureKind.DIED,
            "process killed by signal 6 (SIGABRT) during f; it last",
        ),
        (Ended(1, tail="MemoryError\nb"), FailureKind.DIED, "process ended with exit status 1 during f (did"),
        (Ended(1, tail="OutOfMemoryError\nb"), FailureKind.DIED, "process ended with exit status 1 during f"),
    ],
)
def test_an_end_is_for_memory_where_the_guard_or_a_signal_near_the_limit_says_so(
    ended: Ended, kind: FailureKind, message: str
) -> None:
    found = ended.failure("f", memory_mib=100)
    assert (found.kind, found.where) == (kind, "f")
    assert found.message.startswith(message)
    assert found.message.endswith("; it last wrote: b") is bool(ended.tail)


@pytest.mark.parametrize(
    "tail",
    [
        "Terminating due to java.lang.OutOfMemoryError: Java heap space\n",
        'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\nMemoryError\n',
        "MemoryError: Unable to allocate 8.00 EiB\n",
        "\n<--- Last few GCs --->\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n 1: 0xb\n",
        "fatal error: runtime: out of memory\n\nruntime stack:\n",
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
        "memory allocation of 9223372036854775807 bytes failed\n",
    ],
)
def test_an_end_is_for_memory_where_the_run_time_says_so_in_its_last_words(tail: str) -> None:
    failure = Ended(3, tail=f"before\n{tail}").failure("f", memory_mib=100)
    assert failure.kind is FailureKind.MEMORY
    assert failure.message.startswith("f ran out of memory; it last wrote: ")
    assert Ended(0, tail=tail).failure("f", memory_mib=100).kind is FailureKind.DIED


SLEEPS = """
import time

class Mine:
    def assign(self, partitions_per_topic, members):
        time.sleep(0.3)
        return {member["id"]: [] for member in members}
"""


@pytest.mark.parametrize(("starved", "answers"), [([], False), ([True], False), ([True] * 4, True)])
def test_a_call_without_a_processor_gets_its_time_again_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starved: list[bool], answers: bool
) -> None:
    """In all four times 0.1 s for a call that takes 0.3 s."""
    (tmp_path / "mine.py").write_text(SLEEPS)
    limits = Limits(call_timeout_s=0.1, start_timeout_s=60)
    looks = iter(starved)
    monkeypatch.setattr(process, "is_starved", lambda *_: next(looks, False))
    with resolve(str(tmp_path / "mine.py"), limits=limits).open() as host:

        def ask() -> object:
            return host.new({}).assign(Cluster.of({"t": 1}), Group((Member("a", ("t",)),)))

        if answers:
            assert ask()
        else:
            with pytest.raises(TargetFailure, match=r"did not answer within 0\.1 s"):
                ask()
    assert next(looks, None) is (True if answers else None), "at most as often as is said"


def test_a_guard_that_waits_for_a_processor_may_start_later_and_one_that_hangs_may_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The guard is stopped for twice its time, which counts only if it did not wait for a processor."""
    order = {"kind": "exec", "argv": ["cat"], "environment": {}, "memory_mib": 0}
    for waits in (True, False):
        guarded, stopped = Guarded(), time.monotonic()
        waiting = guarded.guard.pid if waits else None
        monkeypatch.setattr(
            proc,
            "ran_and_waited_s",
            lambda pid, one=waiting, at=stopped: (0.0, (time.monotonic() - at) * (pid == one)),
        )
        os.kill(guarded.guard.pid, signal.SIGSTOP)
        timer = threading.Timer(1.0, os.kill, (guarded.guard.pid, signal.SIGCONT))
        timer.start()
        if waits:
            guarded.start(order, 0.5)
            assert guarded.alive
        else:
            with pytest.raises(TargetFailure, match=r"start did not answer within 0\.5 s"):
                guarded.start(order, 0.5)
        timer.join()
        guarded.close()
