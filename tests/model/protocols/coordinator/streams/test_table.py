"""The table of Streams groups."""

from __future__ import annotations

from kassay.model.protocols.coordinator.streams import table
from kassay.model.protocols.shared.table import edges


def test_every_state_has_a_rule_for_every_event():
    events = {event for rules in table.STREAMS_GROUP.values() for event in rules}
    assert all(rules.keys() == events for rules in table.STREAMS_GROUP.values())


def test_only_a_join_of_another_protocol_or_a_failed_write_ends_a_group():
    ending = {
        event for _, event, after in edges(table.STREAMS_GROUP) if after in (table.NO_GROUP, table.CLASSIC)
    }
    assert ending == {table.JOIN_GROUP, table.WRITE_FAILED}
