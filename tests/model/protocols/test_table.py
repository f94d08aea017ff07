"""The tables are total, and hold the machines, their diagrams and these tests to what they say."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kassay.model.protocols.before_0_9 import proposal as draft_consumer
from kassay.model.protocols.before_0_9 import proposal_coordinator as draft_coordinator
from kassay.model.protocols.before_0_9 import proposal_coordinator as dt
from kassay.model.protocols.before_0_9 import zookeeper
from kassay.model.protocols.before_0_9 import zookeeper as zt
from kassay.model.protocols.before_0_9.proposal_coordinator import ProposalConsumer, ProposalCoordinator
from kassay.model.protocols.clients import classic as client_classic
from kassay.model.protocols.clients import classic_state as cct
from kassay.model.protocols.clients import consumer as client_consumer
from kassay.model.protocols.clients import consumer as cot
from kassay.model.protocols.clients import streams as client_streams
from kassay.model.protocols.clients import streams_state as cst
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.clients.streams import StreamThread
from kassay.model.protocols.coordinator import table as classic_table
from kassay.model.protocols.coordinator import table as consumer_table
from kassay.model.protocols.coordinator import table as streams_table
from kassay.model.protocols.coordinator.consumer import targets
from kassay.model.protocols.coordinator.streams import targets as streams_reconcile
from kassay.model.protocols.table import (
    IGNORE,
    IMPOSSIBLE,
    IllegalTransition,
    Rule,
    Table,
    check_move,
    edges,
    look_up,
    total,
)
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import MEMBER_STABLE, UNRELEASED, UNREVOKED
from kassay.model.protocols.values.streams import StreamsHeartbeatReply, StreamsTopology, TaskRoles
from kassay.model.protocols.values.streams_groups import UNRELEASED_TASKS, UNREVOKED_TASKS
from tests.model.protocols.coordinator.drive import Drive, tps
from tests.model.protocols.coordinator.streams.threads import Threads
from tests.model.protocols.refusing import refused
from tests.model.protocols.world.script import first, play
from writers.protocols import MACHINES, cells, diagram


def holes(table, states, events):
    """The (state, event) cells that a total table lacks."""
    return ((state, event) for state in states for event in events if event not in table.get(state, {}))


class Machine(NamedTuple):
    """A table, what it must be total over, and where it may lead besides its own states."""

    table: Table
    states: Any
    events: Any
    ends: tuple[str, ...] = ()


REQUESTS = ("JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup", "OffsetCommit")
TABLES = {
    "zookeeper": Machine(zt.CONSUMER, zt.ZooKeeperStatus, zt.ZooKeeperEvent),
    "draft consumer": Machine(dt.CONSUMER, dt.ProposalState, dt.ProposalEvent),
    "draft coordinator": Machine(dt.COORDINATOR, dt.Phase, dt.PhaseEvent),
    "classic group": Machine(
        classic_table.CLASSIC_GROUP,
        ("none", "Empty", "PreparingRebalance", "CompletingRebalance", "Stable"),
        (
            *REQUESTS,
            *("session timer", "join timer", "sync timer"),
            *("group stored", "assignment stored", "static member stored"),
        ),
    ),
    "classic client": Machine(cct.CLIENT, cct.ClassicState, cct.ClassicEvent),
    "consumer group": Machine(
        consumer_table.CONSUMER_GROUP,
        ("Empty", "Assigning", "Reconciling", "Stable"),
        (
            *REQUESTS,
            *("ConsumerGroupHeartbeat", "ConsumerGroupHeartbeat, epoch < 0"),
            *("timer of a member", "classic member stored", "write failed"),
            *("regular expressions resolved", "target computed in the background"),
        ),
        (consumer_table.NO_GROUP, consumer_table.CLASSIC),
    ),
    "consumer group member": Machine(
        targets.CONSUMER_MEMBER,
        (MEMBER_STABLE, UNREVOKED, UNRELEASED),
        (targets.AT_TARGET, targets.BEHIND, targets.REVOKED, targets.REVOKING),
    ),
    "consumer client": Machine(cot.CLIENT, cot.ConsumerState, cot.ConsumerEvent),
    "streams group": Machine(
        streams_table.STREAMS_GROUP,
        ("Empty", "NotReady", "Assigning", "Reconciling", "Stable"),
        (
            *("StreamsGroupHeartbeat", "StreamsGroupHeartbeat, epoch < 0", "request of another protocol"),
            *("JoinGroup", "OffsetCommit"),
            *("timer of a member", "initial rebalance delay over", "write failed"),
        ),
        (streams_table.NO_GROUP, streams_table.CLASSIC),
    ),
    "streams group member": Machine(
        streams_reconcile.STREAMS_MEMBER_TABLE,
        (MEMBER_STABLE, UNREVOKED_TASKS, UNRELEASED_TASKS),
        (
            *(streams_reconcile.AT_TARGET, streams_reconcile.BEHIND),
            *(streams_reconcile.REVOKED, streams_reconcile.REVOKING),
        ),
    ),
    "streams client": Machine(cst.CLIENT, cst.StreamsState, cst.StreamsEvent),
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


def test_what_a_total_table_does_not_list_is_impossible():
    lit = Rule(("on",), "light")
    table = total(["switch", "burn out"], {"off": {"switch": lit}, "on": {}})
    assert table == {
        "off": {"switch": lit, "burn out": IMPOSSIBLE},
        "on": {"switch": IMPOSSIBLE, "burn out": IMPOSSIBLE},
    }


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


CONFIG = ClientConfig("c1")


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


def _second_thread_joins():
    threads = Threads()
    threads.join("a"), threads.join("b")


def _first_thread_hears_of_it():
    threads = Threads()
    threads.join("a"), threads.join("b")
    threads.beat("a")


SHARED = {
    "zookeeper": (zt.ZooKeeperStatus.RELEASED, zt.ZooKeeperEvent.OWN, _claims),
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
            CONFIG, ClassicClient(state=cct.ClassicState.STABLE), errors.ILLEGAL_GENERATION
        ),
    ),
    "consumer group": ("Stable", consumer_table.CONSUMER_HEARTBEAT, _second_member_joins),
    "consumer group member": (MEMBER_STABLE, targets.BEHIND, _first_member_hears_of_it),
    "consumer client": (
        cot.ConsumerState.JOINING,
        cot.ConsumerEvent.ASSIGNED,
        lambda: client_consumer.on_reply(
            CONFIG,
            ConsumerClient(Process.UP, cot.ConsumerState.JOINING),
            requests.ConsumerHeartbeatReply(errors.NONE, member_epoch=1, assignment=tps(0)),
        ),
    ),
    "streams group": ("Stable", streams_table.STREAMS_HEARTBEAT, _second_thread_joins),
    "streams group member": (MEMBER_STABLE, streams_reconcile.BEHIND, _first_thread_hears_of_it),
    "streams client": (
        cst.StreamsState.JOINING,
        cst.StreamsEvent.ASSIGNED,
        lambda: client_streams.on_reply(
            CONFIG._replace(topologies=(StreamsTopology(0, ()),)),
            StreamThread(Process.UP, cst.StreamsState.JOINING),
            StreamsHeartbeatReply(errors.NONE, "c1m-1", 1, tasks=TaskRoles()),
        ),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_steps_and_diagrams_read_the_same_cell(name, monkeypatch):
    table = TABLES[name].table
    state, event, step = SHARED[name]
    step()
    drawn, listed = diagram(table), [*cells(table)]
    monkeypatch.setitem(table[state], event, IMPOSSIBLE)
    refused(state, event, step)
    assert diagram(table) != drawn
    impossible = (str(state), str(event), "", "impossible")
    assert impossible not in listed
    assert impossible in [*cells(table)]
