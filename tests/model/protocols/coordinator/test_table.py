"""The table of classic groups: its steps are chains of legal moves, and what is impossible is refused.

The table of Streams groups.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator import table
from kassay.model.protocols.coordinator import table as classic_table
from kassay.model.protocols.table import edges
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.requests import Timer, TimerFired
from tests.model.protocols.coordinator.drive import Drive
from tests.model.protocols.refusing import refused


def test_single_moves_add_up_to_the_table():
    """Whatever a step's table allows is a chain of legal single moves."""
    reachable = {state: {state} for state in classic_table.LEGAL}
    for _ in classic_table.LEGAL:
        for state in reachable:
            reachable[state] |= {more for near in reachable[state] for more in classic_table.LEGAL[near]}
    for before, _, after in edges(classic_table.CLASSIC_GROUP):
        if classic_table.NO_GROUP not in (before, after):
            assert after in reachable[before]


def test_the_classic_group_refuses_a_join_timer_while_completing():
    drive = Drive()
    members = drive.stable(2)
    for member in members:
        drive.join(member)
    assert drive.classic.state == "CompletingRebalance"
    fired = TimerFired(Timer(requests.JOIN, ""))
    refused(
        "CompletingRebalance",
        classic_table.JOIN_TIMER,
        lambda: drive.runtime.deliver(drive.host, fired),
    )


def test_every_state_has_a_rule_for_every_event():
    events = {event for rules in table.STREAMS_GROUP.values() for event in rules}
    assert all(rules.keys() == events for rules in table.STREAMS_GROUP.values())


def test_only_a_join_of_another_protocol_or_a_failed_write_ends_a_group():
    ending = {
        event for _, event, after in edges(table.STREAMS_GROUP) if after in (table.NO_GROUP, table.CLASSIC)
    }
    assert ending == {table.JOIN_GROUP, table.WRITE_FAILED}
