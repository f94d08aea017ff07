"""The table of the stream thread's states: total, and with Kafka's own moves."""

from kassay.model.protocols.clients.streams_table import CLIENT, StreamsEvent, StreamsState
from kassay.model.protocols.shared.table import IGNORE, edges


def test_every_state_has_a_rule_for_every_event():
    assert set(CLIENT) == set(StreamsState)
    assert all(set(rules) == set(StreamsEvent) for rules in CLIENT.values())


def test_every_state_can_be_left_but_the_last():
    left = {before for before, _, after in edges(CLIENT) if before != after}
    assert left == set(StreamsState) - {StreamsState.FATAL}


def test_out_of_the_group_an_answer_changes_nothing():
    outside = (StreamsState.UNSUBSCRIBED, StreamsState.FENCED, StreamsState.STALE, StreamsState.FATAL)
    answers = (StreamsEvent.OK, StreamsEvent.ASSIGNED, StreamsEvent.FENCED, StreamsEvent.FATAL)
    assert all(CLIENT[state][event] is IGNORE for state in outside for event in answers)
