"""A consumer group is what its records say."""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import all_records, replay
from kassay.model.protocols.values.records import TOPICS, LogRecord
from tests.model.protocols.coordinator.consumer.heartbeats import (
    ack,
    split,
)


def test_a_group_is_what_its_records_say():
    drive = split()
    ack(drive, "a")
    topics = LogRecord((TOPICS, ""), drive.consumer.topics)
    assert replay(None, (*all_records(drive.consumer), topics)) == drive.consumer
