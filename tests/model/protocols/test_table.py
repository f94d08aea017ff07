"""The tables are total, and hold the machines to what they say."""

from __future__ import annotations

import pytest

from kassay.model.protocols import classic_table, consumer_table, reconcile
from kassay.model.protocols.groups import MEMBER_STABLE, UNRELEASED, UNREVOKED
from kassay.model.protocols.table import (
    IGNORE,
    IMPOSSIBLE,
    IllegalTransition,
    Rule,
    check_move,
    edges,
    holes,
    look_up,
)

LAMP = {
    "off": {"switch": Rule(("on",), "light"), "burn out": IMPOSSIBLE, "knock": IGNORE},
    "on": {"switch": Rule(("off",), "dark"), "burn out": Rule(("off",), "dark"), "knock": IGNORE},
}


@pytest.mark.parametrize(
    ("table", "states", "events"),
    [
        (classic_table.CLASSIC_GROUP, classic_table.STATES, classic_table.EVENTS),
        (consumer_table.CONSUMER_GROUP, consumer_table.STATES, consumer_table.EVENTS),
        (reconcile.CONSUMER_MEMBER, (MEMBER_STABLE, UNREVOKED, UNRELEASED), reconcile.EVENTS),
    ],
)
def test_tables_are_total(table, states, events):
    assert list(holes(table, states, events)) == []
    assert set(table) == set(states)


def test_a_hole_is_found():
    assert list(holes({"off": {}}, ["off", "on"], ["switch"])) == [("off", "switch"), ("on", "switch")]


@pytest.mark.parametrize("event", ["burn out", "explode"])
def test_impossible_and_unknown_events_raise_with_state_and_event(event):
    with pytest.raises(IllegalTransition) as raised:
        look_up(LAMP, "off", event)
    assert (raised.value.state, raised.value.event) == ("off", event)
    assert str(raised.value) == f"{event} cannot happen in state off"


def test_moves_are_held_to_the_table():
    check_move(LAMP, "off", "switch", "on")
    check_move(LAMP, "on", "knock", "on")
    for before, event, after in [("off", "switch", "off"), ("on", "knock", "off")]:
        with pytest.raises(IllegalTransition):
            check_move(LAMP, before, event, after)


def test_edges_are_the_moves():
    assert list(edges(LAMP)) == [("off", "switch", "on"), ("on", "switch", "off"), ("on", "burn out", "off")]


def test_single_moves_add_up_to_the_table():
    """Whatever a step's table allows is a chain of legal single moves."""
    reachable = {state: {state} for state in classic_table.LEGAL}
    for _ in classic_table.LEGAL:
        for state in reachable:
            reachable[state] |= {more for near in reachable[state] for more in classic_table.LEGAL[near]}
    for before, _, after in edges(classic_table.CLASSIC_GROUP):
        if classic_table.NO_GROUP not in (before, after):
            assert after in reachable[before]
