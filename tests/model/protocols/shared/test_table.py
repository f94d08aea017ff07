"""The tables are total, and hold the machines, their diagrams and these tests to what they say."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kassay.model.protocols.before_0_9 import proposal_consumer as draft_consumer
from kassay.model.protocols.before_0_9 import proposal_coordinator as draft_coordinator
from kassay.model.protocols.before_0_9 import proposal_table as dt
from kassay.model.protocols.before_0_9 import zookeeper
from kassay.model.protocols.before_0_9 import zookeeper_table as zt
from kassay.model.protocols.before_0_9.proposal_state import (
    ProposalConsumer,
    ProposalCoordinator,
    StoredProposal,
)
from kassay.model.protocols.clients import classic as client_classic
from kassay.model.protocols.clients import classic_table as cct
from kassay.model.protocols.clients import consumer as client_consumer
from kassay.model.protocols.clients import consumer_table as cot
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.classic import table as classic_table
from kassay.model.protocols.coordinator.consumer import reconcile
from kassay.model.protocols.coordinator.consumer import table as consumer_table
from kassay.model.protocols.shared.table import (
    IGNORE,
    IMPOSSIBLE,
    IllegalTransition,
    Rule,
    Table,
    check_move,
    edges,
    holes,
    look_up,
)
from kassay.model.protocols.values import requests as v
from kassay.model.protocols.values.groups import MEMBER_STABLE, UNRELEASED, UNREVOKED
from kassay.model.protocols.values.requests import Timer, TimerFired
from tests.model.protocols.coordinator.drive import Drive, tps
from tests.model.protocols.world.script import first, play
from writers.protocols import MACHINES, cells, diagram


class Machine(NamedTuple):
    """A table, what it must be total over, and where it may lead besides its own states."""

    table: Table
    states: Any
    events: Any
    ends: tuple[str, ...] = ()


TABLES = {
    "zookeeper": Machine(zt.CONSUMER, zt.ZooKeeperStatus, zt.ZooKeeperEvent),
    "draft consumer": Machine(dt.CONSUMER, dt.ProposalState, dt.ProposalEvent),
    "draft coordinator": Machine(dt.COORDINATOR, dt.Phase, dt.PhaseEvent),
    "classic group": Machine(classic_table.CLASSIC_GROUP, classic_table.STATES, classic_table.EVENTS),
    "classic client": Machine(cct.CLIENT, cct.ClassicState, cct.ClassicEvent),
    "consumer group": Machine(
        consumer_table.CONSUMER_GROUP,
        consumer_table.STATES,
        consumer_table.EVENTS,
        (consumer_table.NO_GROUP, consumer_table.CLASSIC),
    ),
    "consumer group member": Machine(
        reconcile.CONSUMER_MEMBER, (MEMBER_STABLE, UNREVOKED, UNRELEASED), reconcile.EVENTS
    ),
    "consumer client": Machine(cot.CLIENT, cot.ConsumerState, cot.ConsumerEvent),
}
EVERY = pytest.mark.parametrize("machine", TABLES.values(), ids=TABLES)

LAMP = {
    "off": {"switch": Rule(("on",), "light"), "burn out": IMPOSSIBLE, "knock": IGNORE},
    "on": {"switch": Rule(("off",), "dark"), "burn out": Rule(("off",), "dark"), "knock": IGNORE},
}


def test_no_table_is_left_out():
    assert [id(machine.table) for machine in MACHINES] == [id(machine.table) for machine in TABLES.values()]


@EVERY
def test_every_state_answers_every_event(machine):
    assert list(holes(machine.table, machine.states, machine.events)) == []
    assert set(machine.table) == set(machine.states)
    assert all(set(rules) == set(machine.events) for rules in machine.table.values())
    assert {after for _, _, after in edges(machine.table)} <= {*machine.states, *machine.ends}


@EVERY
def test_every_cell_is_handled_ignored_or_impossible(machine):
    for state, rules in machine.table.items():
        for event, rule in rules.items():
            if rule is IMPOSSIBLE:
                with pytest.raises(IllegalTransition) as raised:
                    look_up(machine.table, state, event)
                assert (raised.value.state, raised.value.event) == (state, event)
                assert str(state) in str(raised.value)
                assert str(event) in str(raised.value)
            else:
                assert look_up(machine.table, state, event) is rule
                assert rule is IGNORE or (rule.targets and rule.action)


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


# The machines themselves.

DRAFT_IMPOSSIBLE = [(s, e) for s, rules in dt.CONSUMER.items() for e, r in rules.items() if r is IMPOSSIBLE]
CONFIG = ClientConfig("c1")


def refused(state, event, step, *args):
    """The step raises, naming the state and the event."""
    with pytest.raises(IllegalTransition) as raised:
        step(*args)
    assert raised.value.state == state
    assert raised.value.event == event
    assert str(state) in str(raised.value)
    assert str(event) in str(raised.value)


@pytest.mark.parametrize(("state", "event"), DRAFT_IMPOSSIBLE, ids=str)
def test_the_drafts_consumer_refuses_what_is_impossible(state, event):
    refused(state, event, draft_consumer.moved, ProposalConsumer(state), event)


@pytest.mark.parametrize("state", dt.Phase)
def test_the_drafts_coordinator_refuses_what_is_impossible(state):
    coordinator = ProposalCoordinator(state, members=(0, 1), assignment=((0,), (1,)), parked=(0, 1))
    steps = {
        dt.PhaseEvent.ELECTED: lambda: draft_coordinator.elected(coordinator),
        dt.PhaseEvent.LOADED: lambda: draft_coordinator.load(coordinator, StoredProposal(), 2),
        dt.PhaseEvent.JOIN: lambda: draft_coordinator.hear_join(coordinator, 0),
        dt.PhaseEvent.HEARTBEAT: lambda: draft_coordinator.hear_heartbeat(coordinator, 0, 0),
        dt.PhaseEvent.BEHIND: lambda: draft_coordinator.hear_heartbeat(coordinator, 0, 7),
        dt.PhaseEvent.TRIGGER: lambda: draft_coordinator.expire(coordinator, 0),
        dt.PhaseEvent.ALL_JOINED: lambda: draft_coordinator.rebalanced(coordinator, StoredProposal(1)),
        dt.PhaseEvent.LOST: lambda: draft_coordinator.failed(coordinator),
    }
    for event, step in steps.items():
        if dt.COORDINATOR[state][event] is IMPOSSIBLE:
            refused(state, event, step)
        else:
            step()


@pytest.mark.parametrize("state", zt.ZooKeeperStatus)
def test_the_zookeeper_consumer_refuses_what_is_impossible(state):
    for event, rule in zt.CONSUMER[state].items():
        if rule is IMPOSSIBLE:
            refused(state, event, zookeeper.moved, state, event)


def test_the_classic_group_refuses_a_join_timer_while_completing():
    drive = Drive()
    members = drive.stable(2)
    for member in members:
        drive.join(member)
    assert drive.classic.state == "CompletingRebalance"
    fired = TimerFired(Timer(v.JOIN, ""))
    refused(
        "CompletingRebalance",
        classic_table.JOIN_TIMER,
        lambda: drive.runtime.deliver(drive.host, fired),
    )


@pytest.mark.parametrize("state", [cct.ClassicState.PREPARING, cct.ClassicState.COMPLETING])
def test_the_classic_client_refuses_a_callback_out_of_turn(state):
    refused(
        state,
        cct.ClassicEvent.ADOPT,
        client_classic.callback,
        CONFIG,
        ClassicClient(Process.UP, state, given=(tps(0),)),
    )


@pytest.mark.parametrize("state", cot.ConsumerState)
def test_the_consumer_client_refuses_what_is_impossible(state):
    client = ConsumerClient(Process.UP, state)
    steps = {
        cot.ConsumerEvent.POLL_EXPIRED: client_consumer.poll_expired,
        cot.ConsumerEvent.CLOSE: client_consumer.closed,
    }
    for event, step in steps.items():
        if cot.CLIENT[state][event] is IMPOSSIBLE:
            refused(state, event, step, client)
        else:
            assert step(client).state in cot.CLIENT[state][event].targets


# A step, the diagram and the page of tables read the same cell.


def _claims():
    model = zookeeper.ZooKeeperModel()
    return list(model.steps(play(model, first(model), "c1 start", "c1 rebalance")))


def _joins_again():
    drive = Drive()
    drive.join(drive.stable(2)[0])


def _second_member_joins():
    drive = Drive()
    drive.modern("a"), drive.modern("b")


def _first_member_hears_of_it():
    drive = Drive()
    drive.modern("a"), drive.modern("b")
    drive.modern("a", drive.member("a").epoch, topic_partitions=tps(0, 1, 2, 3))


SHARED = {
    "zookeeper": (zt.ZooKeeperStatus.RELEASED, zt.ZooKeeperEvent.CLAIM, _claims),
    "draft consumer": (
        dt.ProposalState.PART,
        dt.ProposalEvent.ILLEGAL_GENERATION,
        lambda: draft_consumer.moved(
            ProposalConsumer(dt.ProposalState.PART), dt.ProposalEvent.ILLEGAL_GENERATION
        ),
    ),
    "draft coordinator": (
        dt.Phase.READY,
        dt.PhaseEvent.JOIN,
        lambda: draft_coordinator.hear_join(ProposalCoordinator(dt.Phase.READY), 0),
    ),
    "classic group": ("Stable", classic_table.JOIN_GROUP, _joins_again),
    "classic client": (
        cct.ClassicState.STABLE,
        cct.ClassicEvent.ILLEGAL_GENERATION,
        lambda: client_classic.on_error(
            CONFIG, ClassicClient(state=cct.ClassicState.STABLE), v.ILLEGAL_GENERATION
        ),
    ),
    "consumer group": ("Stable", consumer_table.CONSUMER_HEARTBEAT, _second_member_joins),
    "consumer group member": (MEMBER_STABLE, reconcile.BEHIND, _first_member_hears_of_it),
    "consumer client": (
        cot.ConsumerState.JOINING,
        cot.ConsumerEvent.ASSIGNED,
        lambda: client_consumer.on_reply(
            CONFIG,
            ConsumerClient(Process.UP, cot.ConsumerState.JOINING),
            v.ConsumerHeartbeatReply(v.NONE, member_epoch=1, assignment=tps(0)),
        ),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_steps_and_diagrams_read_the_same_cell(name, monkeypatch):
    table = TABLES[name].table
    state, event, step = SHARED[name]
    step()
    drawn, listed = diagram(table), cells(table)
    monkeypatch.setitem(table[state], event, IMPOSSIBLE)
    refused(state, event, step)
    assert diagram(table) != drawn
    assert f"| {state} | {event} |" in listed
    assert f"| {state} | {event} |" not in cells(table)
