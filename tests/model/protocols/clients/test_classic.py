"""The classic client: what it says when it joins, which answers it heeds, and what it refuses."""

from __future__ import annotations

import pytest

from kassay.model.protocols.clients import classic as client_classic
from kassay.model.protocols.clients import classic_state as cct
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import COOPERATIVE, ClientConfig, Process
from kassay.model.protocols.values import errors, requests
from tests.model.protocols.coordinator.drive import tps
from tests.model.protocols.refusing import refused

CONFIG = ClientConfig("c1")
STICKY = CONFIG._replace(remembers=True)
SENT = requests.OffsetCommit(1, "c1-1", 3, ())


@pytest.mark.parametrize("state", [cct.ClassicState.PREPARING, cct.ClassicState.COMPLETING])
def test_the_classic_client_refuses_a_callback_out_of_turn(state):
    refused(
        state,
        cct.ClassicEvent.ADOPT,
        client_classic.callback,
        CONFIG,
        ClassicClient(Process.UP, state, given=(tps(0),)),
    )


def member(state=cct.ClassicState.STABLE, **known):
    """A client that is in the group at generation 3."""
    fields = {"member_id": "c1-1", "generation": 3, "rejoin": False, "topics": ("foo",)} | known
    return ClassicClient(Process.UP, state, **fields)


def synced(config, client, *numbers):
    """The client once it is given these partitions."""
    reply = requests.SyncGroupReply(errors.NONE, assignment=tps(*numbers))
    return client_classic.on_sync(config, client._replace(state=cct.ClassicState.COMPLETING), reply)


def said(config, client):
    """The subscription that the client joins with."""
    _, request = client_classic.poll(config, 7, client, ())
    ((_, subscription),) = request.protocols
    return subscription


def test_a_sticky_member_tells_what_it_was_given_last_and_since_when_once_it_was_given_anything():
    """`StickyAssignor.subscriptionUserData`: nothing before the first assignment, and after an empty one none."""
    assert said(STICKY, member()).user_data == ()
    for numbers in ((0, 1), ()):
        owner = synced(STICKY, member(), *numbers)
        owned = said(STICKY, owner._replace(generation=-1))
        assert (owned.owned, owned.user_data) == ((), (requests.UserData(3, tps(*numbers)),))


def test_who_does_not_remember_keeps_nothing_and_tells_nothing():
    owner = synced(CONFIG, member(), 0)
    assert (owner.owned, owner.remembered, owner.adopted_in) == (tps(0), (), -1)
    labelled = synced(CONFIG._replace(switches=frozenset({"label_agen"})), member(), 0)
    assert (labelled.remembered, labelled.adopted_in) == ((), 3)
    assert said(CONFIG, owner).user_data == ()


def test_a_cooperative_member_gives_up_the_topics_that_it_no_longer_reads_before_it_joins():
    """`ConsumerCoordinator.onJoinPrepare`."""
    modes = (("any-balanced", (COOPERATIVE,)),)
    owner = member(owned=(*tps(0), *tps(1, topic="bar")), topics=("bar",), rejoin=True)
    assert said(CONFIG._replace(modes=modes), owner).owned == tps(1, topic="bar")
    assert said(CONFIG, owner).owned == ()


@pytest.mark.parametrize("state", cct.ClassicState)
def test_only_a_stable_member_commits(state):
    """`generationIfStable`: otherwise the commit fails without being sent."""
    assert (client_classic.commit(CONFIG, 7, member(state), ()) is not None) == (state == "Stable")
    assert client_classic.on_commit(CONFIG, member(state), SENT, errors.NONE) == member(state)
    assert client_classic.commit(CONFIG, 7, member(state, generation=-1), ()) is None


OLDER = ({"generation": 4}, {"generation": -1}, {"generation": 4, "member_id": "c1-2"})
"""What a client may have become since it sent something at generation 3."""
OF_AN_IDENTITY = (errors.ILLEGAL_GENERATION, errors.UNKNOWN_MEMBER_ID)


def identity(client):
    """What of a client its errors may take away."""
    return client.run, client.state, client.generation, client.member_id


def reset(error, member_id):
    """The identity of a client once this error has taken its generation away, and maybe its id."""
    kept = member_id if error == errors.ILLEGAL_GENERATION else ""
    return Process.UP, cct.ClassicState.UNJOINED, -1, kept


@pytest.mark.parametrize("error", OF_AN_IDENTITY)
@pytest.mark.parametrize("state", cct.ClassicState)
def test_a_commit_of_an_earlier_generation_is_no_news_while_the_next_round_is_prepared(error, state):
    """`OffsetCommitResponseHandler` then resets nothing; in any other state, and of the present one, it does."""
    present = client_classic.on_commit(CONFIG, member(state), SENT, error)
    assert identity(present) == reset(error, "c1-1")
    for known in OLDER:
        client = member(state, rejoin=True, **known)
        after = client_classic.on_commit(CONFIG, client, SENT, error)
        if state is cct.ClassicState.PREPARING:
            assert after == client
        else:
            assert identity(after) == reset(error, client.member_id)
            assert after.callbacks and after.rejoin


@pytest.mark.parametrize("state", cct.ClassicState)
def test_who_is_fenced_by_its_instance_id_ends_unless_the_answer_is_to_an_earlier_generation(state):
    """`HeartbeatResponseHandler` and `OffsetCommitResponseHandler` ask `generationUnchanged`."""
    beat = requests.Heartbeat(1, "c1-1", 3)
    for answered, sent in ((client_classic.on_heartbeat, beat), (client_classic.on_commit, SENT)):
        assert answered(CONFIG, member(state), sent, errors.FENCED_INSTANCE_ID).run is Process.FATAL
        for known in OLDER:
            client = member(state, rejoin=True, **known)
            assert answered(CONFIG, client, sent, errors.FENCED_INSTANCE_ID) == client


@pytest.mark.parametrize("error", OF_AN_IDENTITY)
def test_a_heartbeat_of_an_earlier_generation_is_no_news(error):
    """`HeartbeatResponseHandler` asks `generationUnchanged`."""
    sent = requests.Heartbeat(1, "c1-1", 3)
    assert identity(client_classic.on_heartbeat(CONFIG, member(), sent, error)) == reset(error, "c1-1")
    for known in OLDER:
        client = member(**known)
        assert client_classic.on_heartbeat(CONFIG, client, sent, error) == client


@pytest.mark.parametrize("state", cct.ClassicState)
@pytest.mark.parametrize("known", ({}, *OLDER))
def test_that_the_group_rebalances_is_news_whenever_it_was_asked(state, known):
    """Who commits joins again in any state (`OffsetCommitResponseHandler`), who beats if it is stable."""
    client = member(state, **known)
    beat = requests.Heartbeat(1, "c1-1", 3)
    stable = state is cct.ClassicState.STABLE
    error = errors.REBALANCE_IN_PROGRESS
    assert client_classic.on_commit(CONFIG, client, SENT, error) == client._replace(rejoin=True)
    assert client_classic.on_heartbeat(CONFIG, client, beat, error) == client._replace(rejoin=stable)


def answered_join(client, error):
    """The client after its JoinGroup is refused."""
    reply = requests.JoinGroupReply(error, "")
    ((after, _),) = client_classic.on_join(CONFIG, 7, client._replace(waits="join"), reply, (), lambda _: ())
    return after


def answered_sync(client, error):
    """The client after its SyncGroup is refused."""
    return client_classic.on_sync(CONFIG, client._replace(waits="sync"), requests.SyncGroupReply(error))


@pytest.mark.parametrize(
    ("refuse", "asked_in"),
    [(answered_join, cct.ClassicState.PREPARING), (answered_sync, cct.ClassicState.COMPLETING)],
)
@pytest.mark.parametrize("error", OF_AN_IDENTITY)
def test_who_was_reset_while_it_waited_keeps_its_id_when_it_is_refused(refuse, asked_in, error):
    """`JoinGroupResponseHandler`, `SyncGroupResponseHandler`: what they refuse is of a generation that is gone."""
    assert identity(refuse(member(asked_in), error)) == reset(error, "c1-1")
    meanwhile = member(cct.ClassicState.UNJOINED, generation=-1, rejoin=True)
    assert refuse(meanwhile, error) == meanwhile


@pytest.mark.parametrize("refuse", [answered_join, answered_sync])
@pytest.mark.parametrize("state", cct.ClassicState)
def test_who_is_fenced_when_it_joins_ends_whatever_became_of_its_generation(refuse, state):
    """Both handlers: an instance id is not to be fenced there even if the generation has changed."""
    assert refuse(member(state), errors.FENCED_INSTANCE_ID).run is Process.FATAL


@pytest.mark.parametrize(
    "error", [errors.NOT_COORDINATOR, errors.COORDINATOR_NOT_AVAILABLE, errors.COORDINATOR_LOAD_IN_PROGRESS]
)
def test_who_loses_its_coordinator_looks_for_it_and_does_not_join_again(error):
    client = member(owned=tps(0))
    sent = requests.Heartbeat(1, "c1-1", 3)
    assert client_classic.on_heartbeat(CONFIG, client, sent, error) == client
    assert client_classic.on_commit(CONFIG, client, SENT, error) == client


@pytest.mark.parametrize("run", Process)
def test_a_process_does_nothing_once_it_is_down_and_only_beats_while_it_stands_still(run):
    """The heartbeat thread goes on while the application does not poll."""
    beats = run in (Process.UP, Process.STALLED)
    assert (client_classic.heartbeat(CONFIG, 7, member()._replace(run=run)) is not None) == beats
    assert client_classic.heartbeat(CONFIG, 7, member(generation=-1)._replace(run=run)) is None
    waiting = member(rejoin=True)._replace(run=run)
    assert client_classic.must_join(waiting) == (run is Process.UP)
    assert not client_classic.must_join(waiting._replace(given=(tps(0),))), "its callback comes first"
    prefix = CONFIG._replace(pattern="foo")
    seen = client_classic.stale_metadata(
        prefix, member(topics=())._replace(run=run), requests.image_of([("foo", 1)])
    )
    assert (seen is not None) == (run is Process.UP)


def joined(client, leader, generation=4, assign=lambda _: (), **more):
    """Every turn after an answer to the client's JoinGroup, whose group reads bar as well."""
    members = tuple((name, "", requests.Subscription(("bar",))) for name in ("c1-1", "c2-1"))
    reply = requests.JoinGroupReply(errors.NONE, "c1-1", generation, leader=leader, members=members, **more)
    waiting = client._replace(state=cct.ClassicState.PREPARING, waits="join")
    return list(client_classic.on_join(CONFIG, 7, waiting, reply, requests.image_of([("foo", 1)]), assign))


def test_a_leader_notes_what_it_saw_and_nobody_else_does():
    for leader, seen in (("c1-1", ("foo",)), ("c2-1", ())):
        for client, _ in joined(member(), leader):
            assert tuple(topic.name for topic in client.snapshot) == seen
            assert client.others_read == (("bar",) if seen else ())


def test_a_leader_that_is_told_to_skip_the_assignment_asks_no_assignor():
    """KIP-814: a static leader that comes back to a stable group syncs without any."""
    given = (("c1-1", tps(0)),)
    ((client, assigned),) = joined(member(), "c1-1", assign=lambda _: (given,))
    assert (assigned.assignments, client.trusting) == (given, False)
    ((client, skipped),) = joined(member(), "c1-1", assign=lambda _: (given,), skip_assignment=True)
    assert (skipped.assignments, client.trusting) == ((), True)


@pytest.mark.parametrize(
    ("known", "generation", "overtaken"),
    [
        ({}, 4, False),
        ({}, 5, True),
        ({"overtaken": True}, 4, True),
        ({"generation": -1}, 9, False),
        ({"owned": ()}, 5, False),
    ],
)
def test_who_missed_a_round_is_known_to_own_what_it_was_given_before(known, generation, overtaken):
    """Who judges lets it be: wrongly noted, the promises about owners would not be asked of it."""
    client = member(**{"owned": tps(0)} | known)
    assert [after.overtaken for after, _ in joined(client, "c2-1", generation)] == [overtaken]


@pytest.mark.parametrize(("version", "claims", "label"), [(0, (), -1), (1, tps(0), -1), (2, tps(0), 3)])
def test_an_older_subscription_says_less(version, claims, label):
    """KIP-429 brought what is owned, KIP-792 the generation."""
    config = CONFIG._replace(version=version, modes=(("any-balanced", (COOPERATIVE,)),))
    subscription = said(config, member(owned=tps(0)))
    assert (subscription.owned, subscription.generation) == (claims, label)


@pytest.mark.parametrize(
    "known",
    [{"state": state} for state in cct.ClassicState if state is not cct.ClassicState.COMPLETING]
    + [{"state": cct.ClassicState.COMPLETING, "generation": -1}],
)
def test_an_assignment_of_a_round_that_was_given_up_is_not_adopted(known):
    """`SyncGroupResponseHandler`: the heartbeat thread reset the generation, or the state is another."""
    client = member(**known, waits="sync")
    reply = requests.SyncGroupReply(errors.NONE, assignment=tps(0))
    assert client_classic.on_sync(CONFIG, client, reply) == client._replace(waits="")


def test_who_is_to_join_again_does_not_look_at_the_metadata():
    image = requests.image_of([("foo", 1), ("foo2", 1)])
    prefix = CONFIG._replace(pattern="foo")
    assert client_classic.stale_metadata(prefix, member(), image).topics == ("foo", "foo2")
    assert client_classic.stale_metadata(prefix, member(rejoin=True), image) is None


def test_who_has_given_all_up_owns_nothing_of_before_any_more():
    client, _ = client_classic.poll(CONFIG, 7, member(owned=tps(0), overtaken=True), ())
    assert (client.owned, client.overtaken) == ((), False)
    kept, _ = client_classic.poll(CONFIG, 7, member(owned=tps(0), overtaken=True, callbacks=False), ())
    assert (kept.owned, kept.overtaken) == (tps(0), True)


def test_where_the_heartbeat_thread_may_strike_an_assignment_waits_for_its_callback():
    threads = CONFIG._replace(threads=True)
    waiting = synced(threads, member(), 0)
    assert (waiting.owned, waiting.given) == ((), (tps(0),))
    adopted = client_classic.callback(threads, waiting)
    assert (adopted.owned, adopted.given) == (tps(0), ())
    assert synced(CONFIG, member(), 0).owned == tps(0)
