"""The client of KIP-848 refuses what is impossible, and ignores what comes once it is out of the group."""

from __future__ import annotations

import pytest

from kassay.model.protocols.clients import consumer as client_consumer
from kassay.model.protocols.clients import consumer as cot
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.table import IMPOSSIBLE
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.requests import ConsumerHeartbeatReply
from tests.model.protocols.coordinator.drive import tps
from tests.model.protocols.refusing import refused

ERRORS = [name for name in vars(errors) if name.isupper() and name != "NONE"]
CONFIG = ClientConfig("c1")


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


@pytest.mark.parametrize(
    ("error", "after"),
    [
        (errors.FENCED_MEMBER_EPOCH, cot.ConsumerState.FENCED),
        (errors.UNKNOWN_MEMBER_ID, cot.ConsumerState.FENCED),
        (errors.GROUP_ID_NOT_FOUND, cot.ConsumerState.FATAL),
    ],
)
@pytest.mark.parametrize("state", sorted(client_consumer.MEMBER))
def test_a_member_that_is_fenced_joins_again_and_one_whose_group_is_gone_gives_up(state, error, after):
    client = ConsumerClient(Process.UP, state, "c1", 3)
    assert client_consumer.on_reply(CONFIG, client, ConsumerHeartbeatReply(error)).state is after


@pytest.mark.parametrize("epoch", [0, 3])
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("state", cot.ConsumerState)
def test_no_error_is_lost_on_a_member_or_moves_who_is_none(state, error, epoch):
    """Late ones too: Kafka's `MemberState` lets neither Stale nor Fenced become Fatal."""
    client = ConsumerClient(Process.UP, state, "c1", epoch)
    after = client_consumer.on_reply(CONFIG, client, ConsumerHeartbeatReply(error))
    assert (after != client) is (state in client_consumer.MEMBER)


@pytest.mark.parametrize("state", cot.ConsumerState)
def test_a_commit_carries_an_epoch_that_the_coordinator_gave(state):
    client = ConsumerClient(Process.UP, state, "c1", 3)
    member = state in client_consumer.MEMBER
    assert (client_consumer.commit(CONFIG, 7, client, ()) is not None) == member
    assert client_consumer.commit(CONFIG, 7, client._replace(epoch=0), ()) is None
    kafka = CONFIG._replace(switches=frozenset({"commits_out_of_group"}))
    for epoch in (0, 3):
        sent = client_consumer.commit(kafka, 7, client._replace(epoch=epoch), ())
        known = epoch if member and epoch else requests.NO_GENERATION
        assert (sent.member_id, sent.generation_id) == ("c1", known), "`CommitRequestManager` keeps the id"


RECONCILING = ConsumerClient(
    Process.UP, cot.ConsumerState.RECONCILING, "c1", 3, owned=tps(1), target=tps(0), settled=False
)


@pytest.mark.parametrize("run", Process)
def test_a_process_that_is_not_up_neither_beats_nor_reconciles_nor_joins_again(run):
    fenced = ConsumerClient(run, cot.ConsumerState.FENCED)
    reconciling = RECONCILING._replace(run=run)
    done = (
        client_consumer.heartbeat(CONFIG, 7, reconciling),
        client_consumer.reconcile(reconciling),
        client_consumer.lost(fenced),
    )
    assert [one is not None for one in done] == [run is Process.UP] * 3


def test_what_is_to_be_given_up_is_given_up_before_anything_is_taken():
    revoked = client_consumer.reconcile(RECONCILING)
    assert (revoked.owned, revoked.setting_out) == ((), (tps(0),))
    taken = client_consumer.reconcile(revoked)
    assert (taken.owned, taken.state) == (tps(0), cot.ConsumerState.ACKNOWLEDGING)


def test_who_does_not_know_the_names_of_topics_takes_them_for_revoked_where_it_sets_out():
    """KAFKA-16198, before it was mended (switch unresolved_means_revoked)."""
    blind = client_consumer.unresolved(RECONCILING)
    assert (blind.owned, blind.setting_out) == ((), ((),))
    for known in (
        {"state": cot.ConsumerState.STABLE},
        {"settled": True},
        {"setting_out": (tps(0),)},
        {"target": ()},
    ):
        assert client_consumer.unresolved(RECONCILING._replace(**known)) is None


def test_a_server_assignor_is_named_where_everything_is_said_and_one_that_is_preferred_at_once():
    config = CONFIG._replace(remote_assignor="range")
    member = ConsumerClient(Process.UP, cot.ConsumerState.STABLE, "c1", 3)
    named_by = {
        "joins": member._replace(state=cot.ConsumerState.JOINING, epoch=0),
        "lost an answer": member._replace(full=True),
        "came to prefer another": member._replace(preference="uniform", announces=True),
        "has nothing to say": member,
    }
    told = {
        why: client_consumer.heartbeat(config, 7, one)[1].server_assignor for why, one in named_by.items()
    }
    assert list(told.values()) == ["range", "range", "uniform", ""]


def named(client):
    """The partitions that the client's next heartbeat names, None where it names none."""
    _, request = client_consumer.heartbeat(CONFIG, 7, client)
    return request.topic_partitions


def test_after_a_lost_answer_everything_is_said_again():
    """`HeartbeatState.buildRequestData`: all fields once an answer failed."""
    owner = ConsumerClient(Process.UP, cot.ConsumerState.STABLE, "c1", 3, owned=tps(0), completed=tps(0))
    assert named(owner) is None
    _, brief = client_consumer.heartbeat(CONFIG._replace(regex="f.*"), 7, owner)
    assert (brief.rebalance_timeout, brief.subscribed_topic_names, brief.subscribed_topic_regex) == (
        -1,
        None,
        None,
    )
    assert named(client_consumer.failed(CONFIG, owner)) == tps(0)


def test_an_acknowledgement_does_not_seem_to_give_up_what_is_to_come_next():
    """A target that came during a reconciliation is about to be owned when that is acknowledged."""
    under_way = RECONCILING._replace(owned=(), setting_out=(tps(0),))
    reply = ConsumerHeartbeatReply(errors.NONE, "c1", 4, assignment=tps(0, 1))
    overtaken = client_consumer.on_reply(CONFIG, under_way, reply)
    acknowledging = client_consumer.reconcile(overtaken)
    assert (acknowledging.completed, acknowledging.settled) == (tps(0), False)
    assert named(acknowledging) == tps(0, 1)
    assert named(client_consumer.reconcile(under_way)) == tps(0)
