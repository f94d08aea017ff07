"""Streams groups as values.

Records of Streams groups.
"""

from __future__ import annotations

from kassay.model.protocols.values import records
from kassay.model.protocols.values.groups import CoordinatorState
from kassay.model.protocols.values.marks import Mark, marked, rewritten
from kassay.model.protocols.values.streams import HeldTasks, TaskRoles
from kassay.model.protocols.values.streams_groups import (
    STREAMS_EPOCH,
    STREAMS_KINDS,
    RefinedTarget,
    Remembered,
    StreamsEpochValue,
    StreamsTaskGroup,
    StreamsTaskMember,
)
from kassay.model.streams.group import GroupTask

TASK = GroupTask("0", 1)
GROUP = StreamsTaskGroup(
    epoch=7,
    target_epoch=6,
    members=(StreamsTaskMember("a", epoch=5, prev_epoch=4, assigned=HeldTasks((TASK,), epochs=(3,))),),
    target=(("a", TaskRoles((TASK,))),),
    remembered=Remembered(refined=(RefinedTarget(6, (("a", TaskRoles((TASK,))),)),)),
    refreshed=7,
    shutdown_by="a",
)


def test_epochs_and_ids_are_marked_wherever_they_stand():
    parts = marked(CoordinatorState(GROUP))
    assert parts[Mark.GENERATION] == {3, 4, 5, 6, 7}
    assert parts[Mark.MEMBER_ID] == {"a"}


def test_a_group_can_be_rewritten_with_other_numbers_and_names():
    def change(mark, part):
        return part - 2 if mark is Mark.GENERATION else "b"

    state = rewritten(CoordinatorState(GROUP), change)
    assert state.group.members[0][:1] == ("b",)
    assert state.group.members[0].assigned.epoch_of(TASK) == 1
    assert state.group.remembered.refined[0].epoch == state.group.target_epoch == 4


def test_they_have_keys_of_their_own_beside_those_of_other_groups():
    others = {records.EPOCH, records.MEMBER, records.TARGET_EPOCH, records.TARGET, records.CURRENT}
    assert not STREAMS_KINDS & others
    streams = records.LogRecord((STREAMS_EPOCH, ""), StreamsEpochValue(2, -1, (), ()))
    consumer = records.LogRecord((records.EPOCH, ""), None)
    assert records.compact((), (streams, consumer)) == (streams,)
