"""The client side of the classic protocol: its next request, and the effect of each reply.

Pure functions on one frozen `ClassicClient`. The table `CLIENT` of `classic_state` defines the transitions
of its state machine; the functions below first look up every event there and may only lead to its targets.
The fields of `ClassicClient` hold the rest: whether a rejoin is due, whether the callbacks before it are
due, and what the application believes it owns. Source: `AbstractCoordinator` and `ConsumerCoordinator` of
the Java client; KIP-62, KIP-345, KIP-394, KIP-429, KIP-792, KIP-814.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.clients.classic_state import (
    CLIENT,
    Ask,
    Assign,
    ClassicClient,
    ClassicEvent,
    ClassicState,
    Given,
    Turn,
    moved,
)
from kassay.model.protocols.clients.config import COOPERATIVE, EAGER, ClientConfig, Process, still_matching
from kassay.model.protocols.table import IGNORE, check_move, look_up
from kassay.model.protocols.values import errors, requests

FATAL_ERRORS: Final = frozenset(
    {
        errors.INCONSISTENT_GROUP_PROTOCOL,
        errors.GROUP_MAX_SIZE_REACHED,
        errors.FENCED_INSTANCE_ID,
        errors.UNKNOWN_SERVER_ERROR,
    }
)
OF_AN_IDENTITY: Final = frozenset({errors.ILLEGAL_GENERATION, errors.UNKNOWN_MEMBER_ID})
"""The errors that invalidate a client's generation."""
_ERRORS: Final = {
    errors.ILLEGAL_GENERATION: ClassicEvent.ILLEGAL_GENERATION,
    errors.UNKNOWN_MEMBER_ID: ClassicEvent.UNKNOWN_MEMBER_ID,
    errors.MEMBER_ID_REQUIRED: ClassicEvent.MEMBER_ID_REQUIRED,
    errors.NOT_COORDINATOR: ClassicEvent.DISCONNECT,
    errors.COORDINATOR_NOT_AVAILABLE: ClassicEvent.DISCONNECT,
    errors.COORDINATOR_LOAD_IN_PROGRESS: ClassicEvent.LOADING,
    errors.REBALANCE_IN_PROGRESS: ClassicEvent.REBALANCE,
}


def must_join(client: ClassicClient) -> bool:
    """Whether the next poll sends a JoinGroup."""
    return client.run is Process.UP and client.rejoin and not client.waits and not client.given


def poll(config: ClientConfig, number: int, client: ClassicClient, image: requests.Image) -> Turn:
    """Run the callbacks if they are due, then send JoinGroup.

    Callbacks run once: without generation or id, all owned partitions are lost; otherwise an eager client
    revokes all, and a cooperative one the topics that it no longer subscribes to.
    """
    owned = client.owned
    if client.callbacks:
        if client.generation < 0 or not client.member_id or config.mode(client.rollout_step) == EAGER:
            owned = ()
        else:
            owned = tuple(tp for tp in owned if tp.topic in client.topics)
    topics = still_matching(config, client.topics, image)
    ahead = "fetch_while_revoking" in config.switches and owned != client.owned and client.generation >= 0
    after = moved(
        client._replace(ahead=ahead),
        ClassicEvent.POLL,
        state=ClassicState.PREPARING,
        callbacks=False,
        owned=owned,
        overtaken=client.overtaken and bool(owned),
        waits="join",
        topics=topics,
        resubscribed=False,
        rejoin="metadata_revert_no_rejoin" not in config.switches or client.generation < 0,
    )
    return after, join_request(config, number, after)


def join_request(config: ClientConfig, number: int, client: ClassicClient) -> requests.JoinGroup:
    """The client's current JoinGroup, with its owned partitions and their generation."""
    version = config.version
    label = client.adopted_in if "label_agen" in config.switches else client.generation
    subscription = requests.Subscription(
        client.topics,
        client.owned if version >= 1 else (),
        label if version >= 2 else -1,
        "",
        client.remembered,
        version,
    )
    protocols = tuple((name, subscription) for name in config.names(client.rollout_step))
    return requests.JoinGroup(
        number,
        client.member_id,
        protocols,
        config.client_id,
        config.group_instance_id,
        config.session_timeout,
        config.rebalance_timeout,
    )


def heartbeat(config: ClientConfig, number: int, client: ClassicClient) -> requests.Heartbeat | None:
    """The client's current heartbeat, or None if it sends none."""
    if client.run not in (Process.UP, Process.STALLED) or client.generation < 0:
        return None
    if client.state not in (ClassicState.COMPLETING, ClassicState.STABLE):
        return None
    return requests.Heartbeat(number, client.member_id, client.generation, config.group_instance_id)


def commit(
    config: ClientConfig, number: int, client: ClassicClient, offsets: tuple[tuple[TopicPartition, int], ...]
) -> requests.OffsetCommit | None:
    """The client's current OffsetCommit, or None if it fails without being sent."""
    if client.state is not ClassicState.STABLE or client.generation < 0:
        return None
    return requests.OffsetCommit(
        number, client.member_id, client.generation, offsets, config.group_instance_id
    )


def on_commit(
    config: ClientConfig, client: ClassicClient, sent: requests.OffsetCommit, error: str
) -> ClassicClient:
    """The client after a commit's reply, which may concern an older identity.

    A reply to an older identity ends no client and does not reset one that prepares the next round; it resets
    a client that is past that.
    """
    if error == errors.NONE:
        return client
    older = (sent.generation_id, sent.member_id) != (client.generation, client.member_id)
    prepares = client.state is ClassicState.PREPARING
    if older and (error in FATAL_ERRORS or (error in OF_AN_IDENTITY and prepares)):
        return client
    return on_error(config, client, error)


def on_heartbeat(
    config: ClientConfig, client: ClassicClient, sent: requests.Heartbeat, error: str
) -> ClassicClient:
    """The client after a heartbeat's reply; errors that concern an older generation are ignored."""
    if error == errors.NONE:
        return client
    if error == errors.REBALANCE_IN_PROGRESS:
        if look_up(CLIENT, client.state, ClassicEvent.REBALANCE_HEARTBEAT) is IGNORE:
            return client
        return moved(client, ClassicEvent.REBALANCE_HEARTBEAT, rejoin=True)
    if (sent.generation_id, sent.member_id) != (client.generation, client.member_id):
        return client
    return on_error(config, client, error)


def on_error(config: ClientConfig, client: ClassicClient, error: str) -> ClassicClient:
    """The client after an error that concerns its current identity."""
    if error in FATAL_ERRORS:
        return fatal(client)
    event = _ERRORS[error]
    if look_up(CLIENT, client.state, event) is IGNORE:
        return client
    kept = "no_lost_on_reset" in config.switches and not client.callbacks
    lost = {
        "state": ClassicState.UNJOINED,
        "generation": -1,
        "rejoin": True,
        "leads": False,
        "callbacks": not kept,
    }
    if event is ClassicEvent.ILLEGAL_GENERATION:
        return moved(client, event, **lost)
    if event is ClassicEvent.UNKNOWN_MEMBER_ID:
        return moved(client, event, **lost, member_id="")
    rebalancing = client.state in (ClassicState.PREPARING, ClassicState.COMPLETING)
    if event is ClassicEvent.DISCONNECT and "reset_mid_on_retriable" in config.switches and rebalancing:
        forgetful = moved(client, ClassicEvent.DISCONNECT, rejoin=True)
        return forgetful._replace(member_id="", generation=-1)
    return moved(client, event, **({"rejoin": True} if event is ClassicEvent.REBALANCE else {}))


def _refused(
    config: ClientConfig, client: ClassicClient, sent_state: ClassicState, error: str
) -> ClassicClient:
    """The client after a refused JoinGroup or SyncGroup, which it sent in state `sent_state`.

    A client no longer in that state was reset meanwhile and is not reset again: it joins with its current id.
    """
    if error in OF_AN_IDENTITY and client.state is not sent_state:
        return client
    return on_error(config, client, error)


def fatal(client: ClassicClient) -> ClassicClient:
    """The consumer throws to its user and owns nothing any more."""
    check_move(CLIENT, client.state, ClassicEvent.FATAL, ClassicState.UNJOINED)
    return ClassicClient(
        Process.FATAL, topics=client.topics, rollout_step=client.rollout_step, connection=client.connection
    )


def on_join(
    config: ClientConfig,
    number: int,
    client: ClassicClient,
    reply: requests.JoinGroupReply,
    image: requests.Image,
    assign: Assign,
) -> Iterator[Turn]:
    """Every continuation after JoinGroup's reply: one per answer of a leader's assignor."""
    client = client._replace(waits="")
    wants_id = reply.error == errors.MEMBER_ID_REQUIRED
    if wants_id and look_up(CLIENT, client.state, ClassicEvent.MEMBER_ID_REQUIRED) is not IGNORE:
        yield moved(client, ClassicEvent.MEMBER_ID_REQUIRED, member_id=reply.member_id), None
        return
    if reply.error != errors.NONE:
        yield _refused(config, client, ClassicState.PREPARING, reply.error), None
        return
    if look_up(CLIENT, client.state, ClassicEvent.JOIN_OK) is IGNORE:
        yield client, None
        return
    leads = reply.leader == reply.member_id
    joined = moved(
        client,
        ClassicEvent.JOIN_OK,
        state=ClassicState.COMPLETING,
        generation=reply.generation_id,
        member_id=reply.member_id,
        protocol=reply.protocol,
        leads=leads,
        snapshot=(),
        others_read=(),
        waits="sync",
        trusting=leads and reply.skip_assignment,
        overtaken=bool(client.owned)
        and (client.overtaken or reply.generation_id > client.generation + 1 > 0),
    )
    if leads:
        joined = joined._replace(snapshot=image, others_read=_others_read(client, reply))
    if not leads or reply.skip_assignment:
        yield joined, _sync(config, number, joined, ())
        return
    answers = assign(Ask(reply.protocol, reply.members, image))
    for given in answers:
        yield joined, _sync(config, number, joined, given)
    if not answers:
        # The assignor threw: the user's poll fails, and the next one joins again.
        yield joined._replace(waits="", rejoin=True), None


def _others_read(client: ClassicClient, reply: requests.JoinGroupReply) -> tuple[str, ...]:
    """The topics that the group subscribes to and this client does not."""
    known = (metadata for _, _, metadata in reply.members if isinstance(metadata, requests.Subscription))
    return tuple(sorted({topic for metadata in known for topic in metadata.topics} - set(client.topics)))


def _sync(config: ClientConfig, number: int, client: ClassicClient, given: Given) -> requests.SyncGroup:
    member, instance = client.member_id, config.group_instance_id
    return requests.SyncGroup(
        number, member, client.generation, given, instance, requests.CONSUMER_TYPE, client.protocol
    )


def on_sync(config: ClientConfig, client: ClassicClient, reply: requests.SyncGroupReply) -> ClassicClient:
    """The client after SyncGroup's reply."""
    client = client._replace(waits="")
    if reply.error != errors.NONE:
        return _refused(config, client, ClassicState.COMPLETING, reply.error)
    if look_up(CLIENT, client.state, ClassicEvent.SYNC_OK) is IGNORE or client.generation < 0:
        return client
    assignment = () if reply.assignment == requests.ZERO_BYTES else reply.assignment
    stable = moved(
        client, ClassicEvent.SYNC_OK, state=ClassicState.STABLE, rejoin=client.resubscribed, callbacks=True
    )
    if config.threads:
        return stable._replace(given=(assignment,))
    return adopt(config, stable, assignment)


def callback(config: ClientConfig, client: ClassicClient) -> ClassicClient:
    """Run the callback of a waiting assignment, unless the generation was reset in between."""
    (assignment,) = client.given
    dropped = look_up(CLIENT, client.state, ClassicEvent.ADOPT) is IGNORE
    if dropped and "no_gen_snapshot" not in config.switches:
        return client._replace(given=())
    return adopt(config, client, assignment)


def adopt(config: ClientConfig, client: ClassicClient, assignment: requests.Partitions) -> ClassicClient:
    """Adopt the assignment; a cooperative client that revoked something joins again.

    An assignment with a topic that the client does not subscribe to is not adopted: the client joins again.
    """
    if any(tp.topic not in client.topics for tp in assignment):
        return client._replace(rejoin=True, given=())
    revoked = config.mode(client.rollout_step) == COOPERATIVE and not set(client.owned) <= set(assignment)
    return client._replace(
        owned=assignment,
        given=(),
        overtaken=False,
        rejoin=client.rejoin or revoked,
        adopted_in=client.generation if "label_agen" in config.switches else -1,
        remembered=(requests.UserData(client.generation, assignment),) if config.remembers else (),
    )


def stale_metadata(
    config: ClientConfig, client: ClassicClient, image: requests.Image
) -> ClassicClient | None:
    """The client after it detects a relevant metadata change, or None if there is none.

    A leader compares the group's subscribed topics with those at its last assignment; every client watches
    its own subscription.
    """
    forgetful = "metadata_revert_no_rejoin" in config.switches and not client.waits
    if (
        client.run is not Process.UP
        or client.rejoin
        or (client.state is not ClassicState.STABLE and not forgetful)
    ):
        return None
    reads = {*client.topics, *client.others_read}
    if client.leads and tuple(t for t in client.snapshot if t.name in reads) != tuple(
        t for t in image if t.name in reads
    ):
        return moved(client, ClassicEvent.METADATA, rejoin=True)
    topics = still_matching(config, client.topics, image)
    if topics != client.topics:
        return moved(client, ClassicEvent.METADATA, rejoin=True, topics=topics)
    return None


def poll_expired(client: ClassicClient) -> ClassicClient:
    """A dynamic member that exceeded max.poll.interval.ms has left; it notices at its next poll."""
    return moved(
        client,
        ClassicEvent.POLL_EXPIRED,
        state=ClassicState.UNJOINED,
        generation=-1,
        member_id="",
        rejoin=True,
        callbacks=True,
        leads=False,
        waits="",
        inbox=(),
        given=(),
    )
