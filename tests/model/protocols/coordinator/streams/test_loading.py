"""Records of a Streams group are read one after the other; what comes too soon ends the reading."""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.loading import Unreadable, read
from kassay.model.protocols.coordinator.streams.group import group_tombstones, removal_records, replay
from kassay.model.protocols.coordinator.streams.loading import after_record, unfit
from kassay.model.protocols.values import records as plain
from kassay.model.protocols.values.records import LogRecord, OffsetValue
from kassay.model.protocols.values.streams import records as r
from kassay.model.protocols.values.streams.group import StreamsTaskGroup
from tests.model.protocols.coordinator.drive import tps
from tests.model.protocols.coordinator.streams.threads import Threads

NONE = frozenset[str]().__contains__
OFFSET = LogRecord((plain.OFFSET, tps(0)[0]), OffsetValue(0))


def records(*, leaves=False):
    threads = Threads()
    log = []
    threads.join("a")
    log += threads.happened.records
    if leaves:
        threads.leave("a")
        log += threads.happened.records
    return tuple(log), threads.group


def test_the_whole_log_tells_of_the_group_that_its_records_made():
    log, _ = records()
    assert read(log, NONE) == replay(None, log)
    assert isinstance(read(log, NONE), StreamsTaskGroup)


def test_records_replace_a_group_that_offsets_alone_tell_of():
    log, _ = records()
    assert read((OFFSET, *log), NONE) == read(log, NONE)
    with pytest.raises(Unreadable, match="the group is not a Streams group"):
        read((OFFSET, *log), frozenset({"streams_simple_group_kept"}).__contains__)


def test_tombstones_of_what_is_not_there_are_ignored():
    tombstones = (*removal_records("z"), *group_tombstones())
    assert read(tombstones, NONE) is None
    log, _ = records()
    assert read((*log, *removal_records("z")), NONE) == read(log, NONE)


def test_a_member_goes_and_then_the_group():
    log, left = records(leaves=True)
    loaded = read(log, NONE)
    assert isinstance(loaded, StreamsTaskGroup)
    assert (loaded.members, loaded.epoch) == ((), left.epoch)
    assert read((*log, *group_tombstones()), NONE) is None


@pytest.mark.parametrize(
    ("kind", "name", "why"),
    [
        (r.STREAMS_MEMBER, "a", "its assignment still exists"),
        (r.STREAMS_TARGET_EPOCH, "", "targets still exist"),
        (r.STREAMS_EPOCH, "", "the group still has members"),
    ],
)
def test_a_tombstone_that_comes_too_soon_ends_the_reading(kind, name, why):
    log, group = records()
    early = LogRecord((kind, name), None)
    assert unfit(group, early) == why
    with pytest.raises(Unreadable, match=why):
        read((*log, early), NONE)


def test_what_is_left_must_go_in_its_order():
    log, _ = records(leaves=True)
    left = read(log, NONE)
    assert isinstance(left, StreamsTaskGroup)
    epoch, topology = LogRecord((r.STREAMS_EPOCH, ""), None), LogRecord((r.STREAMS_TOPOLOGY, ""), None)
    assert unfit(left, epoch) == "its target epoch still exists"
    assert after_record(left, topology) == left._replace(topology=())
