"""The consumer's side of KIP-848: what its next heartbeat carries, and what a reply does to it.

Pure functions over one frozen `ConsumerClient`, held to the table of `consumer_table`. The member
id is the client's own. Every assignment that differs from the last one is to be reconciled and
acknowledged, even if it equals what is owned: that is what a local epoch is for (`settled` and `moved`
stand for it here).
Source: KIP-848; `ConsumerMembershipManager`, `ConsumerHeartbeatRequestManager` and `CommitRequestManager` of
the Java client.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.consumer_table import CLIENT, ConsumerEvent, ConsumerState
from kassay.model.protocols.shared.table import IGNORE, check_move, look_up
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import SILENT, Wire
from kassay.model.protocols.values.marks import Generation, MemberId
from kassay.model.protocols.values.requests import (
    ConsumerHeartbeat,
    ConsumerHeartbeatReply,
    OffsetCommit,
    Partitions,
)

_S = ConsumerState
MEMBER: Final = frozenset({_S.JOINING, _S.RECONCILING, _S.ACKNOWLEDGING, _S.STABLE})
NOTHING_YET: Final = requests.ZERO_BYTES


class ConsumerClient(NamedTuple):
    """All that one client knows.

    `target` is the last assignment received, `settled` whether it is reconciled. `setting_out` holds the
    target that a reconciliation under way began with, `moved` whether the target changed since.
    `completed` is the last assignment reconciled, `acknowledged` whether a heartbeat has told the
    coordinator of it; `full` that the next request must carry everything. `preference` is the server-side
    assignor that it has come to prefer to the configured one, `announces` that the next request must name it.
    `wire` is what lies between client and coordinator (N1, N2).
    """

    run: Process = Process.NEW
    state: ConsumerState = ConsumerState.UNSUBSCRIBED
    member_id: MemberId = ""
    epoch: Generation = 0
    owned: Partitions = ()
    target: Partitions = NOTHING_YET
    settled: bool = True
    setting_out: tuple[Partitions, ...] = ()
    moved: bool = False
    completed: Partitions = ()
    acknowledged: bool = True
    full: bool = False
    preference: str = ""
    announces: bool = False
    topics: tuple[str, ...] = ()
    regex: str = ""
    rollout_step: int = 0
    inbox: tuple[object, ...] = ()
    connection: int = 0
    wire: Wire = SILENT


def _move(client: ConsumerClient, event: ConsumerEvent, **changes: object) -> ConsumerClient:
    after = client._replace(**changes)  # type: ignore[arg-type]
    check_move(CLIENT, client.state, event, after.state)
    return after


def started(topics: tuple[str, ...], member: str, rollout_step: int = 0, regex: str = "") -> ConsumerClient:
    """A process that has just subscribed."""
    fresh = ConsumerClient(
        Process.UP, member_id=member, topics=topics, regex=regex, rollout_step=rollout_step
    )
    return _move(fresh, ConsumerEvent.SUBSCRIBE, state=ConsumerState.JOINING)


def heartbeat(
    config: ClientConfig, number: int, client: ConsumerClient
) -> tuple[ConsumerClient, ConsumerHeartbeat] | None:
    """The heartbeat of this moment, and the client once it is sent; None where none is sent.

    Kafka's client names the assignment last completed (switch full_names_completed); the model found that
    a full heartbeat in the middle of a reconciliation then seems to give up what is about to be owned. So
    does the acknowledgement of one assignment when the next one has come already.
    """
    if client.run is not Process.UP or client.state not in MEMBER:
        return None
    everything = client.full or client.epoch == requests.JOIN_EPOCH
    owned = client.completed if everything or not client.acknowledged else None
    if owned is not None and "full_names_completed" not in config.switches:
        # What it is about to own must be named too: left out, it would look revoked.
        coming = client.setting_out[0] if client.setting_out else ()
        waiting = () if client.settled else client.target
        owned = requests.partitions((*owned, *coming, *waiting))
    request = ConsumerHeartbeat(
        number,
        client.member_id,
        client.epoch,
        config.group_instance_id,
        config.rebalance_timeout if everything else -1,
        client.topics if everything else None,
        (client.preference or config.remote_assignor) if everything or client.announces else "",
        owned,
        client.regex if everything and config.regex else None,
    )
    if client.epoch == requests.JOIN_EPOCH:
        request = request._replace(topic_partitions=())
    state = client.state
    if state is ConsumerState.ACKNOWLEDGING:
        state = ConsumerState.STABLE if client.settled else ConsumerState.RECONCILING
    sent = _move(client, ConsumerEvent.SENT, state=state, acknowledged=True, full=False, announces=False)
    return sent, request


def commit_epoch(config: ClientConfig, client: ConsumerClient) -> Generation | None:
    """The epoch under which the client commits now, -1 for none; None where it commits nothing.

    Kafka's client that was fenced, or has left for lateness, commits under its id without an epoch (switch
    commits_out_of_group): a group without members takes that from anybody, whoever had the partitions since.
    """
    if client.state in MEMBER and client.epoch != requests.JOIN_EPOCH:
        return client.epoch
    return requests.NO_GENERATION if "commits_out_of_group" in config.switches else None


def commit(
    config: ClientConfig, number: int, client: ConsumerClient, offsets: tuple[tuple[TopicPartition, int], ...]
) -> OffsetCommit | None:
    """The OffsetCommit of this moment, or None where none is sent."""
    epoch = commit_epoch(config, client)
    if epoch is None:
        return None
    return OffsetCommit(number, client.member_id, epoch, offsets, config.group_instance_id)


def on_reply(config: ClientConfig, client: ConsumerClient, reply: ConsumerHeartbeatReply) -> ConsumerClient:
    """The client after a reply to its heartbeat; out of the group replies are ignored.

    A member that is fenced or unknown joins again. GROUP_ID_NOT_FOUND ends it whatever its epoch: the group
    is, or is again, a classic one, which may not or cannot yet be converted. Up to 4.1 Kafka's
    `AbstractHeartbeatRequestManager` ends with it as with any error it does not expect, from 4.2 on by name,
    for all but who is leaving.
    """
    if reply.error in (errors.FENCED_MEMBER_EPOCH, errors.UNKNOWN_MEMBER_ID):
        if client.epoch == requests.JOIN_EPOCH:
            return failed(config, client)
        if look_up(CLIENT, client.state, ConsumerEvent.FENCED) is IGNORE:
            return client
        kept = "no_abort_on_rejoin" in config.switches
        return _move(
            client,
            ConsumerEvent.FENCED,
            state=ConsumerState.FENCED,
            epoch=requests.JOIN_EPOCH,
            setting_out=client.setting_out if kept else (),
            moved=False,
        )
    if reply.error in (
        errors.NOT_COORDINATOR,
        errors.COORDINATOR_NOT_AVAILABLE,
        errors.COORDINATOR_LOAD_IN_PROGRESS,
    ):
        return failed(config, client)
    if reply.error != errors.NONE:
        return _give_up(client)
    if look_up(CLIENT, client.state, ConsumerEvent.OK) is IGNORE:
        return client
    client = client._replace(epoch=reply.member_epoch)
    if reply.assignment is None:
        return _move(
            client,
            ConsumerEvent.OK,
            state=ConsumerState.STABLE if client.state is ConsumerState.JOINING else client.state,
        )
    if "no_local_epoch" in config.switches and reply.assignment == client.owned:
        # The wrong rule leaves the table: the assignment is neither reconciled nor acknowledged.
        return client._replace(
            target=reply.assignment,
            state=ConsumerState.STABLE,
            settled=True,
            setting_out=(),
            moved=False,
        )
    if reply.assignment == client.target:
        joined = client.state is ConsumerState.JOINING
        return _move(
            client,
            ConsumerEvent.OK,
            state=ConsumerState.STABLE if joined and client.settled else client.state,
        )
    return _move(
        client,
        ConsumerEvent.ASSIGNED,
        state=ConsumerState.RECONCILING,
        target=reply.assignment,
        settled=False,
        moved=bool(client.setting_out),
    )


def _give_up(client: ConsumerClient) -> ConsumerClient:
    """The client after an error that ends it; one that is out of the group stays as it is.

    In Kafka too a late error ends no client that is Fenced or Stale: the application is handed the error, but
    `MemberState` has no such transition.
    """
    if look_up(CLIENT, client.state, ConsumerEvent.FATAL) is IGNORE:
        return client
    return _move(
        client,
        ConsumerEvent.FATAL,
        run=Process.FATAL,
        state=ConsumerState.FATAL,
        owned=(),
        setting_out=(),
        completed=(),
    )


def failed(config: ClientConfig, client: ConsumerClient) -> ConsumerClient:
    """A request or its reply was lost: the next one carries everything."""
    if look_up(CLIENT, client.state, ConsumerEvent.FAILED) is IGNORE:
        return client
    return _move(client, ConsumerEvent.FAILED, full="partial_after_loss" not in config.switches)


def reconcile(client: ConsumerClient) -> ConsumerClient | None:
    """The next step of a reconciliation: first give up, then take; None where there is nothing to do."""
    if client.setting_out and client.state in MEMBER:
        (goal,) = client.setting_out
        done = client._replace(
            owned=goal,
            completed=goal,
            setting_out=(),
            settled=not client.moved,
            moved=False,
            acknowledged=False,
        )
        if client.state is not ConsumerState.RECONCILING:
            # Only where a fence did not abort it (switch no_abort_on_rejoin), and against the table.
            return done
        return _move(done, ConsumerEvent.RECONCILED, state=ConsumerState.ACKNOWLEDGING)
    if client.state is not ConsumerState.RECONCILING or client.settled or client.run is not Process.UP:
        return None
    goal = client.target
    kept = tuple(tp for tp in client.owned if tp in goal)
    return _move(client, ConsumerEvent.REVOKED, owned=kept, setting_out=(goal,), moved=False)


def unresolved(client: ConsumerClient) -> ConsumerClient | None:
    """KAFKA-16198: a client that does not know the topics' names yet takes them for revoked."""
    if (
        client.state is not ConsumerState.RECONCILING
        or client.settled
        or client.setting_out
        or not client.target
    ):
        return None
    return _move(client, ConsumerEvent.REVOKED, owned=(), setting_out=((),), moved=False)


def lost(client: ConsumerClient) -> ConsumerClient | None:
    """The callback after being fenced, or the first poll after having left for lateness."""
    if client.run is not Process.UP or client.state not in (
        ConsumerState.FENCED,
        ConsumerState.STALE,
    ):
        return None
    event = ConsumerEvent.LOST if client.state is ConsumerState.FENCED else ConsumerEvent.POLLED
    return _move(
        client,
        event,
        state=ConsumerState.JOINING,
        epoch=requests.JOIN_EPOCH,
        owned=(),
        completed=(),
        target=NOTHING_YET,
        settled=True,
        acknowledged=True,
        full=False,
    )


def poll_expired(client: ConsumerClient) -> ConsumerClient:
    """The member has left for lateness; it loses what it owns at its next poll."""
    return _move(
        client,
        ConsumerEvent.POLL_EXPIRED,
        state=ConsumerState.STALE,
        epoch=requests.JOIN_EPOCH,
        setting_out=(),
        moved=False,
    )


def closed(client: ConsumerClient) -> ConsumerClient:
    """What is left of a process that has closed in order."""
    check_move(CLIENT, client.state, ConsumerEvent.CLOSE, ConsumerState.UNSUBSCRIBED)
    return ConsumerClient(Process.GONE, rollout_step=client.rollout_step, connection=client.connection)
