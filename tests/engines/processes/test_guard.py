"""A target that misbehaves costs a verdict, never the run, and leaves no process behind."""

from __future__ import annotations

import os
import resource
import signal
import time
from pathlib import Path

import pytest

from kassay.engines.processes.host import Host
from kassay.engines.targets.resolve import Target
from tests.engines.processes.children import alive, children, noted
from tests.engines.processes.hostile import FAIR, ask, failure, timed_out


@pytest.mark.parametrize("do", ["prints", "reads_stdin", "closes_output", "changes_directory", "threads"])
def test_what_does_no_harm(host: Host, do: str) -> None:
    assert ask(host, do) == FAIR
    assert ask(host, "behave") == FAIR


@pytest.mark.parametrize("do", ["forks", "daemonises", "starts_program", "forks_and_returns"])
def test_no_process_is_left_behind(target: Target, tmp_path: Path, do: str) -> None:
    with target.open() as host:
        assert ask(host, do, tmp_path / "pids") == FAIR
        assert ask(host, "behave") == FAIR
        pids = noted(tmp_path / "pids", 5 if do == "forks" else 1)
        if do != "forks_and_returns":  # its copy ends by itself when it comes back from the call
            assert all(map(alive, pids))
    assert not any(map(alive, pids))


@pytest.mark.slow_cases("daemonises", "forks")
@pytest.mark.parametrize("do", ["forks", "daemonises", "daemonises_and_exits"])
def test_processes_go_with_the_child_that_started_them(target: Target, tmp_path: Path, do: str) -> None:
    with target.open() as host:
        for end in ("loops", "exits_hard"):
            file = tmp_path / end
            if do == "daemonises_and_exits":
                failure(host, do, file)
            else:
                ask(host, do, file)
                timed_out(host, end) if end == "loops" else failure(host, end)
            pids = noted(file, 5 if do == "forks" else 1)
            deadline = time.monotonic() + 60
            while any(map(alive, pids)) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert not any(map(alive, pids))


def test_limits_of_the_parent_stay(host: Host) -> None:
    ask(host, "behave")
    assert resource.getrlimit(resource.RLIMIT_AS) == (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def test_the_guard_cleans_up_when_its_parent_is_killed(target: Target, tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        host = target.open()
        ask(host, "daemonises", tmp_path / "pids")
        (tmp_path / "children").write_text("\n".join(map(str, children())))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    pids = noted(tmp_path / "children", 3)
    assert set(noted(tmp_path / "pids", 1)) < set(pids)
    deadline = time.monotonic() + 60
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, pids))
