"""Streams groups: what follows from their state, and what records make of them.

Records of a Streams group are read one after the other; what comes too soon ends the reading.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.coordinator.loading import Unreadable, read
from kassay.model.protocols.coordinator.streams.group import (
    after_record,
    group_state,
    group_tombstones,
    metadata_expired,
    removal_records,
    replay,
    taken_back,
)
from kassay.model.protocols.values import records as plain
from kassay.model.protocols.values import streams_groups as r
from kassay.model.protocols.values.records import LogRecord, OffsetValue
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup
from tests.model.protocols.coordinator.drive import tps
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, TOPICS, Threads, tasks


def history():
    """A group with copies, one member that revokes and one that left, and all its records."""
    threads = Threads(AT_ONCE._replace(num_standby_replicas=1))
    records: list[LogRecord] = []
    for act in (
        lambda: threads.join("a"),
        lambda: threads.join("b"),
        lambda: threads.join("c"),
        lambda: threads.beat("a"),
        lambda: threads.leave("c"),
    ):
        act()
        records += threads.happened.records
    return threads.group, tuple(records)


GROUP, RECORDS = history()
LATEST = tuple({record.key: record for record in RECORDS}.values())


def on_record(group):
    return group[: group._fields.index("remembered")]


def test_all_records_tell_of_the_same_group():
    assert on_record(replay(None, RECORDS)) == on_record(GROUP)


@given(st.permutations(LATEST), st.lists(st.booleans(), min_size=len(LATEST), max_size=len(LATEST)))
def test_a_log_tells_the_same_in_any_order_of_its_keys_with_or_without_tombstones(records, kept):
    """Compaction leaves the last record of each key, and may leave its tombstone."""
    left = [record for record, keep in zip(records, kept) if record.value is not None or keep]
    loaded = replay(None, left)
    assert on_record(loaded) == on_record(GROUP)
    assert dict(loaded.copies).keys() >= {t for m in loaded.members for t in m.assigned.standby}


@given(st.integers(0, len(RECORDS)))
def test_older_versions_that_compaction_left_change_nothing(place):
    older = [record for record in RECORDS[:place] if record.key in {kept.key for kept in LATEST}]
    assert on_record(replay(None, [*older, *LATEST])) == on_record(GROUP)


def test_tombstones_alone_tell_of_no_group():
    assert replay(None, [*removal_records("a"), *group_tombstones()]) is None
    assert replay(GROUP, [*removal_records("a"), *removal_records("b"), *group_tombstones()]) is None


def test_the_states_of_a_group():
    threads = Threads()
    threads.join("a")
    assert group_state(threads.group) == "Stable"
    threads.join("b")
    assert group_state(threads.group) == "Reconciling"
    threads.leave("b")
    assert group_state(threads.group) == "Assigning"
    threads.topics(foo=3, counts=2)
    threads.beat("a")
    assert group_state(threads.group) == "NotReady"
    threads.leave("a")
    assert group_state(threads.group) == "Empty"


def test_topics_are_looked_at_again_when_one_of_them_changes():
    threads = Threads()
    threads.join("a")
    assert metadata_expired(threads.group), "a new group remembers nothing of its first heartbeat"
    threads.join("b")
    assert not metadata_expired(threads.group)
    threads.topics(**TOPICS, other=1)
    assert not metadata_expired(threads.group)
    threads.topics(**TOPICS | {"foo": 3})
    assert metadata_expired(threads.group)


def test_a_failed_write_takes_back_the_records_and_not_the_count_of_copies():
    """A process keeps counting as one that has a copy, which nobody there has: it will not be given one."""
    threads = Threads(AT_ONCE._replace(num_standby_replicas=1))
    threads.join("a")
    threads.join("b")
    (task,) = tasks(0)
    assert dict(threads.group.copies).get(task, ()) == ()
    before = threads.group
    after = before._replace(copies=((task, ("p-z",)),), shutdown_by="a", epoch=9)
    back = taken_back(before._replace(copies=((task, ()),)), after)
    assert (back.epoch, back.shutdown_by, back.copies) == (before.epoch, "a", ((task, ("p-z",)),))
    assert taken_back(before._replace(copies=()), after).copies == ()
    assert taken_back(None, after) is None


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
    log, _ = records()
    early = LogRecord((kind, name), None)
    with pytest.raises(Unreadable, match=why):
        read((*log, early), NONE)


def test_what_is_left_must_go_in_its_order():
    log, _ = records(leaves=True)
    left = read(log, NONE)
    assert isinstance(left, StreamsTaskGroup)
    epoch, topology = LogRecord((r.STREAMS_EPOCH, ""), None), LogRecord((r.STREAMS_TOPOLOGY, ""), None)
    with pytest.raises(Unreadable, match="its target epoch still exists"):
        read((*log, epoch), NONE)
    assert after_record(left, topology) == left._replace(topology=())
