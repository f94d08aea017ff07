"""Targets in kassay's own process: references, and calls of users' code."""

from __future__ import annotations

import pytest

from kassay.engines.processes.host import Limits
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import TargetFailure
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.kinds import CLIENT
from tests.engines.processes.children import DATA, children

CLUSTER = Cluster.of({"t": 1})
GROUP = Group((Member("a", ("t",)),))


def test_a_reference() -> None:
    target = resolve("roundrobin")
    assert (target.name, target.kind, target.protocol) == ("roundrobin", CLIENT, "eager")
    assert "balanced-within-one" in target.claims
    with target.open() as host:
        made = host.new({})
        assert isinstance(made, Assignor)
        assert made.assign(CLUSTER, GROUP) == Assignment({"a": [TopicPartition("t", 0)]})
        host.restart()
        assert made.assign(CLUSTER, GROUP)


def test_a_reference_runs_in_a_child_for_a_hash_seed() -> None:
    with resolve("roundrobin").open(hash_seed=7) as host:
        assert children()
        assert host.new({}).assign(CLUSTER, GROUP) == Assignment({"a": [TopicPartition("t", 0)]})
    assert not children()


def test_in_process_calls_are_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    with resolve(f"{DATA}/hostile.py:Hostile", in_process=True, limits=Limits(60)).open() as host:
        endless = host.new({"do": "loops"})
        endless.timeout_s = 0.3
        with pytest.raises(TargetFailure, match=r"assign did not answer within 0\.3 s"):
            endless.assign(CLUSTER, GROUP)
        with pytest.raises(TargetFailure, match="assign raised SystemExit: 3"):
            host.new({"do": "exits"}).assign(CLUSTER, GROUP)
        host.new({"do": "prints"}).assign(CLUSTER, GROUP)
    assert "hello" not in capsys.readouterr().out
