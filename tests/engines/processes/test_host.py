"""A host and its processes: one for another, forks, many at once, and none left."""

from __future__ import annotations

import os

import pytest

from kassay.engines.processes.host import Host
from kassay.engines.targets.resolve import Target
from kassay.model.cluster import TopicPartition
from kassay.model.errors import TargetFailure
from tests.engines.processes.children import children
from tests.engines.processes.hostile import CLUSTER, FAIR, GROUP, ask, failure


def test_objects_are_gone_with_their_process(host: Host) -> None:
    old = host.new({})
    old.assign(CLUSTER, GROUP)
    failure(host, "exits_hard")
    with pytest.raises(TargetFailure, match="the object went down with its process"):
        old.assign(CLUSTER, GROUP)
    young = host.new({})
    young.assign(CLUSTER, GROUP)
    host.restart()
    with pytest.raises(TargetFailure, match="the object went down with its process"):
        young.assign(CLUSTER, GROUP)
    assert ask(host, "behave") == FAIR


def test_many_deaths_cost_a_fork_each(host: Host) -> None:
    for _ in range(20):
        with pytest.raises(TargetFailure, match="exit status 3"):
            ask(host, "exits_hard")
    assert ask(host, "behave") == FAIR


def test_a_fork_of_the_parent_gets_a_guard_of_its_own(host: Host) -> None:
    made = host.new({})
    made.assign(CLUSTER, GROUP)
    pid = os.fork()
    if pid == 0:
        try:
            gone = False
            try:
                made.assign(CLUSTER, GROUP)
            except TargetFailure:
                gone = True
            fine = gone and ask(host, "behave") == FAIR
            host.close()
            os._exit(0 if fine and not children() else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert made.assign(CLUSTER, GROUP)["b"] == (TopicPartition("t", 1),)


@pytest.mark.slow
def test_many_hosts_at_once(target: Target) -> None:
    before = children()
    hosts = [target.open() for _ in range(8)]
    with pytest.raises(TargetFailure):
        ask(hosts[3], "exits_hard")
    assert [ask(host, "behave") for host in hosts] == [FAIR] * 8
    for host in hosts:
        host.close()
        host.close()
    assert children() == before


def test_a_dropped_host_ends_its_processes(target: Target) -> None:
    before = children()
    ask(target.open(), "behave")
    assert children() == before
