"""How old a target is, where the present is always the same instant."""

from __future__ import annotations

from kassay.model.explore.interned import Interner
from kassay.model.protocols.coordinator.ages import aged
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import ConsumerGroup, CoordinatorState
from kassay.model.protocols.values.records import UNKNOWN_TIME, LogRecord, TargetEpochValue
from kassay.model.protocols.values.streams.group import StreamsTaskGroup
from kassay.model.protocols.values.streams.records import STREAMS_TARGET_EPOCH, StreamsTargetEpochValue


def host(time: int, cell) -> CoordinatorHost:
    group = ConsumerGroup(3, 3, target_time=time)
    log = (LogRecord((r.TARGET_EPOCH, ""), TargetEpochValue(3, time)),)
    return CoordinatorHost(cell(CoordinatorState(group, now=5)), log=log)


def test_a_target_grows_old_on_record_and_in_mind_and_not_older_than_the_interval():
    cell = Interner().cell
    older = aged(host(5, cell), 3, cell)
    assert older == host(2, cell)
    assert aged(older, 3, cell) == host(0, cell)


def test_what_is_old_or_unknown_stays_the_same():
    cell = Interner().cell
    for time in (0, UNKNOWN_TIME):
        before = host(time, cell)
        assert aged(before, 1, cell) is before
    nobody = CoordinatorHost(cell(CoordinatorState(now=5)))
    assert aged(nobody, 1, cell) is nobody


def test_the_target_of_a_streams_group_grows_old_alike():
    cell = Interner().cell

    def of(time: int) -> CoordinatorHost:
        group = StreamsTaskGroup(3, 3, target_time=time)
        log = (LogRecord((STREAMS_TARGET_EPOCH, ""), StreamsTargetEpochValue(3, time)),)
        return CoordinatorHost(cell(CoordinatorState(group, now=1)), log=log)

    assert aged(of(1), 1, cell) == of(0)
    assert aged(of(-1), 1, cell) == of(-1)
