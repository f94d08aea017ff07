"""The client side of KIP-848: its next heartbeat, and the effect of each reply.

`CLIENT` is the state machine as data; pure functions over one frozen `ConsumerClient` are held to it.
The member id is the client's own. Every assignment that differs from the last one has to be reconciled
and acknowledged, even if it equals the owned partitions; Source: KIP-848; `ConsumerMembershipManager`,
`ConsumerHeartbeatRequestManager` and `CommitRequestManager` of the Java client.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Rule, Table, check_move, look_up
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import SILENT, Wire
from kassay.model.protocols.values.marks import Generation, MemberId
from kassay.model.protocols.values.requests import (
    ConsumerHeartbeat,
    ConsumerHeartbeatReply,
    OffsetCommit,
    Partitions,
)


class ConsumerState(StrEnum):
    """The client's own state machine (`MemberState`)."""

    UNSUBSCRIBED = "Unsubscribed"
    JOINING = "Joining"
    RECONCILING = "Reconciling"
    ACKNOWLEDGING = "Acknowledging"
    STABLE = "Stable"
    FENCED = "Fenced"
    STALE = "Stale"
    FATAL = "Fatal"


class ConsumerEvent(StrEnum):
    """The client's own actions, and the replies that it gets."""

    SUBSCRIBE = "subscribe"
    ASSIGNED = "ok with a new assignment"
    OK = "ok"
    REVOKED = "partitions revoked"
    RECONCILED = "assignment adopted"
    SENT = "heartbeat generated"
    FENCED = "FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID"
    LOST = "callback of lost partitions"
    FAILED = "request failed"
    POLL_EXPIRED = "max.poll.interval.ms expired"
    POLLED = "polled again"
    CLOSE = "close"
    FATAL = "fatal error"


_S = ConsumerState
_FENCED: Final = Rule((_S.FENCED,), "stop heartbeats, epoch := 0")
_FATAL: Final = Rule((_S.FATAL,), "give up; what is owned is lost")
_LEAVE: Final = Rule((_S.UNSUBSCRIBED,), "revoke, leave with epoch -1 (static: -2)")
_NEW: Final = Rule((_S.RECONCILING,), "note the target, local epoch + 1")


def _member(state: ConsumerState) -> dict[ConsumerEvent, Rule]:
    return dict.fromkeys(ConsumerEvent, IMPOSSIBLE) | {
        ConsumerEvent.ASSIGNED: _NEW,
        ConsumerEvent.OK: Rule((state,), "note the epoch"),
        ConsumerEvent.SENT: Rule((state,), "send what changed"),
        ConsumerEvent.FENCED: _FENCED,
        ConsumerEvent.FAILED: Rule((state,), "send everything next time"),
        ConsumerEvent.POLL_EXPIRED: Rule((_S.STALE,), "leave with epoch -1 (static: -2)"),
        ConsumerEvent.CLOSE: _LEAVE,
        ConsumerEvent.FATAL: _FATAL,
    }


_OUTSIDE: Final = dict.fromkeys(ConsumerEvent, IMPOSSIBLE) | dict.fromkeys(
    (
        ConsumerEvent.OK,
        ConsumerEvent.ASSIGNED,
        ConsumerEvent.FENCED,
        ConsumerEvent.FAILED,
        ConsumerEvent.FATAL,
    ),
    IGNORE,
)

CLIENT: Final[Table] = {
    _S.UNSUBSCRIBED: _OUTSIDE | {ConsumerEvent.SUBSCRIBE: Rule((_S.JOINING,), "join with epoch 0")},
    _S.JOINING: _member(_S.JOINING) | {ConsumerEvent.OK: Rule((_S.STABLE,), "nothing new to own")},
    _S.RECONCILING: _member(_S.RECONCILING)
    | {
        ConsumerEvent.REVOKED: Rule((_S.RECONCILING,), "commit, give up what the target lacks"),
        ConsumerEvent.RECONCILED: Rule((_S.ACKNOWLEDGING,), "own the target that was set out for"),
    },
    _S.ACKNOWLEDGING: _member(_S.ACKNOWLEDGING)
    | {
        ConsumerEvent.SENT: Rule(
            (_S.STABLE, _S.RECONCILING), "acknowledge; reconcile again if the target moved"
        )
    },
    _S.STABLE: _member(_S.STABLE),
    _S.FENCED: _OUTSIDE
    | {ConsumerEvent.LOST: Rule((_S.JOINING,), "own nothing; join again under the same id")},
    _S.STALE: _OUTSIDE
    | {
        ConsumerEvent.POLLED: Rule((_S.JOINING,), "own nothing; join again"),
        ConsumerEvent.CLOSE: _LEAVE,
    },
    _S.FATAL: _OUTSIDE,
}


MEMBER: Final = frozenset({_S.JOINING, _S.RECONCILING, _S.ACKNOWLEDGING, _S.STABLE})
NOTHING_YET: Final = requests.ZERO_BYTES


class ConsumerClient(NamedTuple):
    """The state of one client.

    `target` is the last assignment received, `settled` whether it is reconciled. `setting_out` holds the
    target with which the current reconciliation began, `moved` whether the target changed since. `completed`
    is the last reconciled assignment, `acknowledged` whether a heartbeat has reported it; `full`: the next
    request must carry all fields. `preference` is a server-side assignor that the client came to prefer to
    the configured one, `announces`: the next request must name it. `wire` holds the messages between client
    and coordinator (N1, N2).
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
    """The client's current heartbeat, and the client after sending it; None if it sends none.

    Kafka's client reports the last completed assignment (switch full_names_completed). The model found that a
    full heartbeat during a reconciliation then seems to give up partitions that are about to be owned. The
    same applies to the acknowledgement of one assignment after the next one has arrived.
    """
    if client.run is not Process.UP or client.state not in MEMBER:
        return None
    everything = client.full or client.epoch == requests.JOIN_EPOCH
    owned = client.completed if everything or not client.acknowledged else None
    if owned is not None and "full_names_completed" not in config.switches:
        # Partitions about to be owned must be reported too: otherwise they would look revoked.
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
    """The epoch of the client's commits, -1 for none; None if it commits nothing.

    Kafka's client commits under its id without an epoch after it was fenced or exceeded max.poll.interval.ms
    (switch commits_out_of_group). A group without members accepts that from any client, whichever member
    owned the partitions since.
    """
    if client.state in MEMBER and client.epoch != requests.JOIN_EPOCH:
        return client.epoch
    return requests.NO_GENERATION if "commits_out_of_group" in config.switches else None


def commit(
    config: ClientConfig, number: int, client: ConsumerClient, offsets: tuple[tuple[TopicPartition, int], ...]
) -> OffsetCommit | None:
    """The client's current OffsetCommit, or None if it sends none."""
    epoch = commit_epoch(config, client)
    if epoch is None:
        return None
    return OffsetCommit(number, client.member_id, epoch, offsets, config.group_instance_id)


def on_reply(config: ClientConfig, client: ConsumerClient, reply: ConsumerHeartbeatReply) -> ConsumerClient:
    """The client after a reply to its heartbeat; a client outside the group ignores replies.

    A fenced or unknown member joins again. GROUP_ID_NOT_FOUND ends it at any epoch: the group is a classic
    one (again) that may not be or cannot yet be converted. Up to 4.1, Kafka's
    `AbstractHeartbeatRequestManager` ends with it as with any unexpected error; from 4.2 on it names this
    error, for all clients that are not leaving.
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
        # This deliberate fault leaves the table: the assignment is neither reconciled nor acknowledged.
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
    """The client after an error that ends it; one outside the group stays unchanged.

    In Kafka, too, a late error does not end a client that is Fenced or Stale: the application gets the error,
    but `MemberState` has no such transition.
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
    """A request or its reply was lost: the next one carries all fields."""
    if look_up(CLIENT, client.state, ConsumerEvent.FAILED) is IGNORE:
        return client
    return _move(client, ConsumerEvent.FAILED, full="partial_after_loss" not in config.switches)


def reconcile(client: ConsumerClient) -> ConsumerClient | None:
    """The next step of a reconciliation: first revoke, then add; None if nothing is left to do."""
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
            # Happens only if a fence did not abort it (switch no_abort_on_rejoin), against the table.
            return done
        return _move(done, ConsumerEvent.RECONCILED, state=ConsumerState.ACKNOWLEDGING)
    if client.state is not ConsumerState.RECONCILING or client.settled or client.run is not Process.UP:
        return None
    goal = client.target
    kept = tuple(tp for tp in client.owned if tp in goal)
    return _move(client, ConsumerEvent.REVOKED, owned=kept, setting_out=(goal,), moved=False)


def unresolved(client: ConsumerClient) -> ConsumerClient | None:
    """KAFKA-16198: a client that does not know the topics' names yet treats them as revoked."""
    if (
        client.state is not ConsumerState.RECONCILING
        or client.settled
        or client.setting_out
        or not client.target
    ):
        return None
    return _move(client, ConsumerEvent.REVOKED, owned=(), setting_out=((),), moved=False)


def lost(client: ConsumerClient) -> ConsumerClient | None:
    """The callback after being fenced, or the first poll after exceeding max.poll.interval.ms."""
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
    """The member has left for exceeding max.poll.interval.ms; it loses its partitions at its next poll."""
    return _move(
        client,
        ConsumerEvent.POLL_EXPIRED,
        state=ConsumerState.STALE,
        epoch=requests.JOIN_EPOCH,
        setting_out=(),
        moved=False,
    )


def closed(client: ConsumerClient) -> ConsumerClient:
    """The rest of a process that has closed in order."""
    check_move(CLIENT, client.state, ConsumerEvent.CLOSE, ConsumerState.UNSUBSCRIBED)
    return ConsumerClient(Process.GONE, rollout_step=client.rollout_step, connection=client.connection)
