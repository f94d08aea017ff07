"""What the parts of a world share: ids that are free, replies to whom they are for, labels, and what is taken over.

Networks and clocks by name and by short id.
"""

import pytest

from kassay.model.errors import InputError
from kassay.model.explore.values import Action
from kassay.model.protocols.clients.config import COOPERATIVE, EAGER, Process
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.in_flight import number_of
from kassay.model.protocols.values.requests import JoinGroupReply, SyncGroupReply
from kassay.model.protocols.world.context import (
    ClockLevel,
    ModelOptions,
    NetworkLevel,
    config_of,
    failed,
    first_image,
    gained,
    is_current,
    labelled,
    listing,
    options,
    put,
)
from tests.assignors.groups.client.groups import tps
from tests.explored import build
from tests.model.protocols.world.script import client, first, play, started

JOINED, SYNCED = JoinGroupReply("NONE", "c1-1", 1), SyncGroupReply("NONE")


def test_a_member_id_is_the_first_that_neither_broker_nor_client_knows():
    model = build("classic", faults=Faults(crash=1))
    state = started(model, 2)
    broker = state.broker.value
    context = model.context
    assert [context.member_id(broker, prefix) for prefix in ("c1", "c2", "c3")] == ["c1-2", "c2-2", "c3-1"]
    context.taken = frozenset({"c1-2", "c1-3"})
    assert context.member_id(broker, "c1") == "c1-4"
    context.at_work = 1
    assert context.member_id(broker, "") == "c2-2"


def test_classic_clients_get_ids_of_their_own_from_a_consumer_group_too():
    model = build("migration", members=3, kinds=(("consumer",), ("classic",), ("classic",)))
    state = play(model, started(model, 1), "c2 start", "c2 JoinGroup", "c3 start", "c3 JoinGroup")
    assert [client(state, number).member_id for number in (1, 2, 3)] == ["c1m-1", "c2-1", "c3-1"]


@pytest.mark.parametrize(
    ("waits", "run", "connection", "body", "heard"),
    [
        ("join", Process.UP, 0, JOINED, True),
        ("join", Process.PAUSED, 0, JOINED, True),
        ("join", Process.GONE, 0, JOINED, False),
        ("join", Process.UP, 1, JOINED, False),
        ("sync", Process.UP, 0, JOINED, False),
        ("sync", Process.UP, 0, SYNCED, True),
        ("", Process.UP, 0, SYNCED, False),
    ],
)
def test_a_reply_is_heard_by_who_waits_for_it_on_its_connection(waits, run, connection, body, heard):
    model = build("classic")
    cell = model.context.cell
    fresh = first(model).clients
    waiting = cell(fresh[0].value._replace(waits=waits, run=run, connection=connection))
    before = (waiting, fresh[1])
    after = model.context.post(before, ((number_of(0, 0), body),))
    assert after[1] is before[1]
    assert after[0].value.inbox == ((body,) if heard else ())
    assert heard or after is before


def test_a_fault_is_spent_once():
    model = build("classic", faults=Faults(crash=1))
    budget = first(model).budget
    left = model.context.spend(budget, "crash")
    assert left.value == Faults()
    assert model.context.spend(left, "crash") is None
    assert model.context.spend(budget, "pause") is None


def test_a_label_says_what_the_step_did_to_the_group():
    model = build("classic")
    one, two = started(model, 1), started(model, 2)
    label = labelled(Action("c2", "step"), one.broker, two.broker)
    assert (label.disturbs, label.rounds) == (True, two.broker.value.state.group.generation - 1)
    assert labelled(Action("c2", "step"), one.broker, one.broker) == Action("c2", "step")


def test_who_is_not_the_registrys_member_of_this_generation_takes_nothing_over():
    model = build("classic")
    state = started(model, 1)
    now = client(state, 1)
    assert is_current(now, state.broker)
    assert not is_current(now._replace(generation=now.generation - 1), state.broker)
    assert not is_current(now._replace(member_id="c9-1"), state.broker)
    assert not is_current(now, first(model).broker)
    adopted = model.context.move(Action("c1", "adopts"), now._replace(owned=()), now, state.broker)
    assert adopted.adopts == now.owned != ()


def test_a_step_gains_if_it_changes_what_a_client_owns():
    model = build("classic")
    before = started(model, 1)
    assert not gained(before, play(model, before, "c2 start"))
    robbed = put(before, 0, model.context.cell(client(before, 1)._replace(owned=())))
    assert gained(before, robbed)
    assert robbed.clients[1] is before.clients[1]


def test_a_client_fails_when_it_takes_an_error_and_not_when_it_leaves_with_one_unread():
    model = build("classic", partitions=1, faults=Faults(slow=1, failover=1))
    unread = play(
        model, first(model), "c1 start", "c1 JoinGroup", "c1 JoinGroup", "coordinator moves to another broker"
    )
    assert client(unread, 1).inbox[0].error == "NOT_COORDINATOR"
    assert failed(unread, play(model, unread, "c1 takes JoinGroup reply"))
    assert not failed(unread, play(model, unread, "c1 polls too late"))


def test_options_say_what_each_client_is_configured_with():
    chosen = ModelOptions(
        instances=("", "i"), assignors=(("range",),), assignment_strategies=((("sticky",),),), version=2
    )
    one, other = config_of(chosen, 0), config_of(chosen, 1)
    assert (one.client_id, one.group_instance_id, one.assignment_strategies) == ("c1", "", (("sticky",),))
    assert (other.client_id, other.group_instance_id, other.assignment_strategies) == (
        "c2",
        "i",
        (("range",),),
    )
    assert (one.version, [config_of(options(mode), 5).mode(0) for mode in (EAGER, COOPERATIVE)]) == (
        2,
        [EAGER, COOPERATIVE],
    )
    assert [topic.name for topic in first_image(ModelOptions(topics=("u", "t")))] == ["t", "u"]
    slow = [ModelOptions(network=network).loads_slowly for network in NetworkLevel]
    assert slow == [False, True, True]
    assert ModelOptions(loading=True).loads_slowly


def test_partitions_are_listed_in_a_few_characters():
    assert (listing(()), listing(tps("t-0 t-1"))) == ("nothing", "t-0,t-1")


@pytest.mark.parametrize(
    ("kind", "short", "name"),
    [
        (NetworkLevel, "N0", "atomic"),
        (NetworkLevel, "N1", "steps"),
        (NetworkLevel, "N2", "astray"),
        (ClockLevel, "T0", "timeless"),
        (ClockLevel, "T1", "ticks"),
    ],
)
def test_a_short_id_and_a_name_are_the_same_level(kind, short, name):
    assert kind(short) is kind(name)
    assert str(kind(short)) == name


@pytest.mark.parametrize(
    ("kind", "spelled"), [(NetworkLevel, "N3"), (NetworkLevel, "T0"), (ClockLevel, "tick")]
)
def test_what_is_no_level_is_told_with_all_that_are(kind, spelled):
    with pytest.raises(InputError) as refused:
        kind(spelled)
    assert f"unknown level {spelled!r}" in str(refused.value)
    assert all(level in str(refused.value) for level in kind)
    assert "\n" not in str(refused.value)
