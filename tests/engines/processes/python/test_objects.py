"""Objects in a child, as the parent sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kassay.engines.processes.host import START, Host
from kassay.engines.processes.load import TargetSource
from kassay.engines.processes.python.host import PythonHost
from kassay.model.cluster import Cluster
from kassay.model.errors import TargetFailure
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Group, Member
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata
from tests.engines.processes.hostile import CLUSTER, FAIR, GROUP, ask


def test_a_target_that_behaves(host: Host) -> None:
    made = host.new({})
    assert made.subscription_user_data(("t",)) is None
    assert ask(host, "behave") == FAIR
    assert made.mutated is None


def test_a_mutation_is_forgotten_by_the_next_call(host: Host) -> None:
    made = host.new({"do": "mutates_members"})
    made.assign(CLUSTER, GROUP)
    made.assign(CLUSTER, Group((Member("a", ("t",)),)))
    assert made.mutated == "members[0]['owned'] was [] (list) and is [('t', 99)] (list)"


def test_large_inputs_and_answers_pass(host: Host) -> None:
    cluster = Cluster.of({f"topic-{t}": 100 for t in range(200)})
    topics = tuple(cluster.counts)
    group = Group(tuple(Member(f"member-{m}", topics) for m in range(40)))
    answer = host.new({}).assign(cluster, group)
    assert sum(map(len, answer.values())) == 20_000


REPORTS = """
from kassay.full_form import Assignment, AssignorBase

class Reports(AssignorBase):
    name = "reports"
    reported_generation = None

    def on_assignment(self, assignment, user_data, metadata):
        self.reported_generation = metadata.generation // 10 if metadata.generation < 100 else "none"

    def assign(self, cluster, group):
        return Assignment({member.member_id: () for member in group.members})
"""


def test_the_generation_that_an_object_reports_comes_out_of_the_child(tmp_path: Path) -> None:
    file = tmp_path / "reports.py"
    file.write_text(REPORTS)
    with PythonHost(TargetSource(file=str(file)), START) as host:
        assert host.loaded.reports_generation
        reports = host.new({})
        assert reports.reported_generation is None
        reports.on_assignment((), None, GroupMetadata(47, "m"))
        assert reports.reported_generation == 4
        reports.on_assignment((), None, GroupMetadata(100, "m"))
        with pytest.raises(TargetFailure, match="expected an int"):
            _ = reports.reported_generation


def test_an_object_that_reports_no_generation_is_not_asked_for_it(host: Host) -> None:
    assert isinstance(host, PythonHost)
    assert not host.loaded.reports_generation
    assert getattr(host.new({}), "reported_generation", None) is None


PARTITIONER = """
import os

class Mine:
    def __init__(self):
        self.calls = 0

    def partition(self, topic, key, value, num_partitions, available):
        self.calls += 1
        if key == b"raises":
            raise ValueError(self.calls)
        if key == b"exits":
            os._exit(3)
        if key == b"turns":
            available.reverse()
        return self.calls % num_partitions
"""


@pytest.mark.parametrize("last", [b"k", b"exits"])
def test_many_calls_of_a_partitioner_are_sent_together(tmp_path: Path, last: bytes) -> None:
    """Each has the answer that it has alone; after the process is gone, none has one."""
    file = tmp_path / "mine.py"
    file.write_text(PARTITIONER)
    topic = TopicMetadata.of(7)
    keys = [b"k"] * 150 + [b"raises", b"turns"] + [b"k"] * 20 + [last] + [b"k"] * 5
    with PythonHost(TargetSource(file=str(file)), START) as host:
        made = host.new({})
        said = list(made.partition_each([(ProducerRecord("t", key), topic) for key in keys]))
    assert len(said) == len(keys)
    assert said[:150] == [number % 7 for number in range(1, 151)]
    assert isinstance(said[150], TargetFailure)
    assert "ValueError: 151" in str(said[150])
    assert said[151:172] == [number % 7 for number in range(152, 173)]
    assert [isinstance(each, TargetFailure) for each in said[172:]] == [last == b"exits"] * 6
    assert made.mutated == "available[0] was 0 (int) and is 6 (int)"
