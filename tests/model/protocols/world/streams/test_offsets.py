"""Stream threads process the partitions that their tasks read, and commit them."""

from __future__ import annotations

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.streams.group import StreamsTaskMember
from kassay.model.protocols.values.streams.tasks import HeldTasks
from kassay.model.protocols.world.streams.offsets import TaskLedger
from kassay.model.streams.group import GroupTask
from tests.explored import build
from tests.model.protocols.world.script import first, play

ZERO, ONE, OTHER = GroupTask("0", 0), GroupTask("0", 1), GroupTask("1", 0)
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def test_a_task_of_the_first_subtopology_reads_its_partition_of_the_source():
    ledger = TaskLedger(build("streams").context)
    assert ledger.reads((ZERO, ONE, OTHER)) == (T0, T1)
    member = StreamsTaskMember("a", assigned=HeldTasks((ZERO,)), pending=HeldTasks((ONE,)))
    assert ledger.held(member) == (T0, T1)


def test_a_thread_processes_what_its_task_reads_and_commits_it():
    model = build("streams", partitions=1, members=1, network="steps", records=1)
    steps = "start", "sends heartbeat", "heartbeat arrives", "takes heartbeat reply"
    steps += "reconciles", "reconciles", "processes", "sends OffsetCommit", "OffsetCommit arrives"
    state = play(model, first(model), *(f"c1 {step}" for step in steps))
    offsets = state.offsets.value
    assert (offsets.committed, offsets.tenants, offsets.breach) == (((T0, 1),), ((T0, 0),), None)
    assert [position.processed for position in offsets.positions[0]] == [1]
