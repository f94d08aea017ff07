"""How old a group's target is, on a clock that always shows the same instant.

The integer clock counts from now, so that a world in which nothing happens comes back to a state that it was
in. There `now` is the assignment interval, and when a target was computed goes down with time, to 0 and no
further: that long ago the interval is over, and older than old makes no difference. Without a clock it
is one tick long, and its end is a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kassay.model.explore.interned import Interned
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.values.groups import ConsumerGroup, CoordinatorState
from kassay.model.protocols.values.records import LogRecord, TargetEpochValue
from kassay.model.protocols.values.streams.group import StreamsTaskGroup
from kassay.model.protocols.values.streams.records import StreamsTargetEpochValue

_EPOCHS: Final = (TargetEpochValue, StreamsTargetEpochValue)


def aged(host: CoordinatorHost, ticks: int, cell: Callable[[CoordinatorState], Interned]) -> CoordinatorHost:
    """The host so many ticks later, as far as its targets' age goes; the same one if that is as it was."""
    state = host.state
    group = state.group
    if isinstance(group, ConsumerGroup | StreamsTaskGroup) and group.target_time > 0:
        older = group._replace(target_time=max(0, group.target_time - ticks))
        host = host._replace(coordinator=cell(state._replace(group=older)))
    if any(isinstance(value, _EPOCHS) and value.time > 0 for _, value in host.log):
        host = host._replace(log=tuple(_older(record, ticks) for record in host.log))
    return host


def _older(record: LogRecord, ticks: int) -> LogRecord:
    value = record.value
    if not isinstance(value, _EPOCHS) or value.time <= 0:
        return record
    return record._replace(value=value._replace(time=max(0, value.time - ticks)))
