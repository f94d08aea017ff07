"""The age of a group's target, on a clock that always shows the same instant.

The integer clock counts relative to the present, so that an idle world returns to an earlier state. There
`now` is the assignment interval, and the time at which a target was computed decreases with time, down to 0:
at 0 the interval is over, and a greater age makes no difference. Without a clock the interval is one tick
long, and its end is a step of its own.
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
    """The host so many ticks later, in terms of its targets' age; the same object if nothing changes."""
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
