"""The client's side of KIP-1071: what a stream thread's next heartbeat carries, and what a reply does to it.

Pure functions over one frozen `StreamThread`, held to the table of `streams_table`. The member id is the
client's own; the process id is that of its state directory, which outlives it. Every assignment that differs
from the last one is to be reconciled and acknowledged, even if it equals what is run.
Source: KIP-1071; `StreamsMembershipManager`, `StreamsGroupHeartbeatRequestManager` and
`DefaultStreamsRebalanceListener` of branch 4.4.

Switches (`Config.switches`) turn wrong rules on; these concern the client:

* streams_names_reconciled: what Kafka's client does today, see `_named`
* streams_commits_out_of_group: as it does, too, see `commit`
* streams_acknowledged_once: after a lost reply the tasks are not named again
* streams_no_abort: a reconciliation from before a fence is carried out after it
* streams_standbys_kept: a standby task that the new assignment lacks is not closed
* streams_target_named: the tasks that a heartbeat names are those of the target, reconciled or not
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.clients import streams_offsets
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.streams_table import CLIENT, StreamsEvent, StreamsState
from kassay.model.protocols.shared.table import IGNORE, check_move, look_up
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import SILENT, Wire
from kassay.model.protocols.values.marks import Generation, MemberId
from kassay.model.protocols.values.requests import OffsetCommit
from kassay.model.protocols.values.streams.requests import (
    ASSIGNMENT_DELAYED,
    EndpointPartitions,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
)
from kassay.model.protocols.values.streams.tasks import NO_TASKS, OffsetsOfTasks, TaskIds, TaskRoles
from kassay.model.protocols.values.streams.topology import (
    INCORRECTLY_PARTITIONED_TOPICS,
    MISSING_INTERNAL_TOPICS,
    MISSING_SOURCE_TOPICS,
)

_S = StreamsState
MEMBER: Final = frozenset({_S.JOINING, _S.RECONCILING, _S.ACKNOWLEDGING, _S.STABLE})
UNKNOWN_SUBTOPOLOGY: Final = "unknown subtopology"
"""What ends a client that is given tasks it cannot run: no error of the coordinator's."""
RETRIABLE: Final = frozenset(
    {errors.NOT_COORDINATOR, errors.COORDINATOR_NOT_AVAILABLE, errors.COORDINATOR_LOAD_IN_PROGRESS}
)
_UNREADY: Final = frozenset(
    {
        MISSING_SOURCE_TOPICS,
        MISSING_INTERNAL_TOPICS,
        INCORRECTLY_PARTITIONED_TOPICS,
        ASSIGNMENT_DELAYED,
    }
)
"""The statuses of a group that is not ready."""


class LocalTasks(NamedTuple):
    """An assignment as the client keeps it: the tasks, and whether the group was ready."""

    roles: TaskRoles = NO_TASKS
    ready: bool = False


NO_LOCAL_TASKS: Final = LocalTasks()


class StreamThread(NamedTuple):
    """All that one stream thread knows.

    `owned` are the active tasks that it runs, `standby` and `warmup` the copies that it keeps. `target` is
    the last assignment received, () before there is one, `settled` whether it is reconciled. `setting_out`
    holds the target that a reconciliation under way began with, `moved` whether the target changed since.
    `reconciled` is what the callback last completed, `acknowledged` whether a heartbeat has told the
    coordinator of it. `endpoints` are what it was last told of where state can be asked for, `endpoint_epoch`
    is the count of the last answer, `ended_by` the error that ended it. `wire` is what lies between client
    and coordinator (N1, N2). Where it says how far its state is, `restored` are the tasks whose state is
    there, and `reported` is what it last said of that, () once it is to say it again.
    """

    run: Process = Process.NEW
    state: StreamsState = StreamsState.UNSUBSCRIBED
    member_id: MemberId = ""
    epoch: Generation = 0
    owned: TaskIds = ()
    standby: TaskIds = ()
    warmup: TaskIds = ()
    target: tuple[LocalTasks, ...] = ()
    settled: bool = True
    setting_out: tuple[LocalTasks, ...] = ()
    moved: bool = False
    reconciled: LocalTasks = NO_LOCAL_TASKS
    acknowledged: bool = True
    endpoint_epoch: int = -1
    endpoints: tuple[EndpointPartitions, ...] = ()
    ended_by: str = ""
    restored: TaskIds = ()
    reported: tuple[OffsetsOfTasks, ...] = ()
    rollout_step: int = 0
    inbox: tuple[object, ...] = ()
    connection: int = 0
    wire: Wire = SILENT

    @property
    def copies(self) -> TaskIds:
        """The tasks whose state it keeps without running them."""
        return (*self.standby, *self.warmup)


def _move(client: StreamThread, event: StreamsEvent, **changes: object) -> StreamThread:
    after = client._replace(**changes)  # type: ignore[arg-type]
    check_move(CLIENT, client.state, event, after.state)
    return after


def started(member: str, rollout_step: int = 0) -> StreamThread:
    """A stream thread that has just subscribed."""
    fresh = StreamThread(Process.UP, member_id=member, rollout_step=rollout_step)
    return _move(fresh, StreamsEvent.SUBSCRIBE, state=StreamsState.JOINING)


def heartbeat(
    config: ClientConfig, number: int, client: StreamThread
) -> tuple[StreamThread, StreamsHeartbeat] | None:
    """The heartbeat of this moment, and the client once it is sent; None where none is sent."""
    if client.run is not Process.UP or client.state not in MEMBER:
        return None
    request = StreamsHeartbeat(
        number,
        client.member_id,
        client.epoch,
        config.group_instance_id,
        endpoint_epoch=client.endpoint_epoch if config.endpoint else -1,
    )
    if client.state is StreamsState.JOINING:
        joining = request._replace(
            rebalance_timeout=config.rebalance_timeout,
            topology=config.topology(client.rollout_step),
            process_id=config.process_id,
            endpoint=config.endpoint,
            active=(),
            standby=(),
            warmup=(),
        )
        if config.reports:
            joining = joining._replace(task_offsets=(), task_end_offsets=())
            client = client._replace(reported=((),))
        # Kafka's client forgets that it has just named none, and names none once more.
        acknowledged = "streams_names_reconciled" not in config.switches
        return _move(client, StreamsEvent.SENT, state=client.state, acknowledged=acknowledged), joining
    if not client.acknowledged:
        active, standby, warmup = _named(config, client)
        request = request._replace(active=active, standby=standby, warmup=warmup)
    if config.reports:
        client, request = _reporting(config, client, request)
    state = client.state
    if state is StreamsState.ACKNOWLEDGING:
        state = StreamsState.STABLE if client.settled else StreamsState.RECONCILING
    return _move(client, StreamsEvent.SENT, state=state, acknowledged=True), request


def _reporting(
    config: ClientConfig, client: StreamThread, request: StreamsHeartbeat
) -> tuple[StreamThread, StreamsHeartbeat]:
    """The heartbeat with what has changed of the state of the client's tasks since it last said so."""
    held = streams_offsets.stateful(config, client.rollout_step, (*client.owned, *client.copies))
    now = streams_offsets.offsets(held, client.restored)
    if client.reported == (now,):
        return client, request
    said = request._replace(task_offsets=now, task_end_offsets=streams_offsets.ends(held))
    return client._replace(reported=(now,)), said


def _named(config: ClientConfig, client: StreamThread) -> TaskRoles:
    """The tasks that a heartbeat names, where it has to name any.

    Kafka's client names those of the callback last completed (switch streams_names_reconciled), none at
    first. What it has been given and is about to run must be named too: left out, it would look given up.
    """
    if "streams_names_reconciled" in config.switches:
        return client.reconciled.roles
    if "streams_target_named" in config.switches and client.target:
        return client.target[0].roles
    named = client.reconciled.roles
    for coming in (*client.setting_out, *(() if client.settled else client.target)):
        named = _either(named, coming.roles)
    return named


def _either(one: TaskRoles, other: TaskRoles) -> TaskRoles:
    """The tasks of both, role by role."""
    return TaskRoles(*(tuple(sorted({*mine, *theirs})) for mine, theirs in zip(one, other)))


def commit(
    config: ClientConfig, number: int, client: StreamThread, offsets: tuple[tuple[TopicPartition, int], ...]
) -> OffsetCommit | None:
    """The OffsetCommit of this moment, under the member epoch; None where none is sent.

    Kafka's thread commits out of the group as well, under no epoch (switch streams_commits_out_of_group).
    """
    epoch = client.epoch
    if client.state not in MEMBER or epoch == requests.JOIN_EPOCH:
        if "streams_commits_out_of_group" not in config.switches:
            return None
        epoch = requests.NO_GENERATION
    return OffsetCommit(number, client.member_id, epoch, offsets, config.group_instance_id)


def on_reply(config: ClientConfig, client: StreamThread, reply: StreamsHeartbeatReply) -> StreamThread:
    """The client after a reply to its heartbeat; out of the group replies are ignored.

    A member that is fenced or unknown joins again, whatever its epoch. All errors that are neither that nor
    retriable end the thread, UNKNOWN_SERVER_ERROR and UNRELEASED_INSTANCE_ID among them.
    """
    if reply.error in (errors.FENCED_MEMBER_EPOCH, errors.UNKNOWN_MEMBER_ID):
        return _fenced(config, client)
    if reply.error in RETRIABLE:
        return failed(config, client)
    if reply.error != errors.NONE:
        return _give_up(client, reply.error)
    if look_up(CLIENT, client.state, StreamsEvent.OK) is IGNORE:
        return client
    client = client._replace(epoch=reply.member_epoch)
    if config.endpoint:
        endpoints = client.endpoints if reply.endpoints is None else tuple(sorted(reply.endpoints))
        client = client._replace(endpoint_epoch=reply.endpoint_epoch, endpoints=endpoints)
    target = client.target[0] if client.target else NO_LOCAL_TASKS
    ready = not _UNREADY.intersection(reply.status)
    if reply.tasks is not None:
        given = LocalTasks(reply.tasks, ready)
    elif ready != target.ready:
        given = target._replace(ready=ready)
    else:
        return _move(client, StreamsEvent.OK, state=client.state)
    if not _knows(config, client, given.roles):
        return _give_up(client, UNKNOWN_SUBTOPOLOGY)
    if client.target == (given,):
        return _move(client, StreamsEvent.OK, state=client.state)
    return _move(
        client,
        StreamsEvent.ASSIGNED,
        state=StreamsState.RECONCILING,
        target=(given,),
        settled=False,
        moved=bool(client.setting_out),
    )


def _knows(config: ClientConfig, client: StreamThread, roles: TaskRoles) -> bool:
    """Whether all tasks are of the client's own topology."""
    topology = config.topology(client.rollout_step)
    known = {part.subtopology_id for part in topology.subtopologies}
    return all(task.subtopology in known for tasks in roles for task in tasks)


def _fenced(config: ClientConfig, client: StreamThread) -> StreamThread:
    """The client once it hears that it is no member: it loses its tasks by a callback, then joins again."""
    if look_up(CLIENT, client.state, StreamsEvent.FENCED) is IGNORE:
        return client
    kept = "streams_no_abort" in config.switches
    return _move(
        client,
        StreamsEvent.FENCED,
        state=StreamsState.FENCED,
        epoch=requests.JOIN_EPOCH,
        setting_out=client.setting_out if kept else (),
        moved=False,
        acknowledged=True,
    )


def _give_up(client: StreamThread, error: str) -> StreamThread:
    """The client after an error that ends it; one that is out of the group stays as it is."""
    if look_up(CLIENT, client.state, StreamsEvent.FATAL) is IGNORE:
        return client
    nothing = _without_tasks(client)
    return _move(
        nothing,
        StreamsEvent.FATAL,
        run=Process.FATAL,
        state=StreamsState.FATAL,
        setting_out=(),
        moved=False,
        acknowledged=True,
        ended_by=error,
    )


def failed(config: ClientConfig, client: StreamThread) -> StreamThread:
    """A request or its reply was lost, or could be tried again: the next one names the tasks."""
    if look_up(CLIENT, client.state, StreamsEvent.FAILED) is IGNORE:
        return client
    acknowledged = client.acknowledged and "streams_acknowledged_once" in config.switches
    return _move(client, StreamsEvent.FAILED, state=client.state, acknowledged=acknowledged, reported=())


def reconcile(config: ClientConfig, client: StreamThread) -> StreamThread | None:
    """The next step of a reconciliation: first give up, then take; None where there is nothing to do.

    Standby tasks are closed with the second step, where new ones are opened.
    """
    if client.setting_out and client.state in MEMBER:
        return _assigned(config, client, client.setting_out[0])
    if client.state is not StreamsState.RECONCILING or client.settled or client.run is not Process.UP:
        return None
    (goal,) = client.target
    kept = tuple(task for task in client.owned if task in goal.roles.active)
    return _move(client, StreamsEvent.REVOKED, owned=kept, setting_out=(goal,), moved=False)


def _assigned(config: ClientConfig, client: StreamThread, goal: LocalTasks) -> StreamThread:
    """The client once the callback has given it its tasks; one that is active is no copy beside that."""
    active, standby, warmup = goal.roles
    standby = tuple(task for task in standby if task not in active)
    warmup = tuple(task for task in warmup if task not in active and task not in standby)
    running = goal._replace(roles=TaskRoles(active, standby, warmup))
    if "streams_standbys_kept" in config.switches:
        standby = tuple(sorted({*standby, *client.standby}))
    # Kafka's client does not acknowledge again what it has acknowledged.
    same = running == client.reconciled and "streams_names_reconciled" in config.switches
    done = client._replace(
        owned=active,
        standby=standby,
        warmup=warmup,
        reconciled=running,
        restored=streams_offsets.restored_by(running.roles, client.restored) if config.reports else (),
        setting_out=(),
        settled=not client.moved,
        moved=False,
        acknowledged=client.acknowledged and same,
    )
    if client.state is not StreamsState.RECONCILING:
        # Only where a fence did not abort it (switch streams_no_abort), and against the table.
        return done
    return _move(client, StreamsEvent.RECONCILED, **(done._asdict() | {"state": StreamsState.ACKNOWLEDGING}))


def lost(client: StreamThread) -> StreamThread | None:
    """The callback after being fenced, or the first poll after having left for lateness."""
    if client.run is not Process.UP or client.state not in (StreamsState.FENCED, StreamsState.STALE):
        return None
    event = StreamsEvent.LOST if client.state is StreamsState.FENCED else StreamsEvent.POLLED
    return _move(_without_tasks(client), event, state=StreamsState.JOINING, epoch=requests.JOIN_EPOCH)


def _without_tasks(client: StreamThread) -> StreamThread:
    return client._replace(
        owned=(),
        standby=(),
        warmup=(),
        target=(),
        settled=True,
        reconciled=NO_LOCAL_TASKS,
        restored=(),
    )


def poll_expired(client: StreamThread) -> StreamThread:
    """The member has left for lateness; it loses its tasks at its next poll."""
    return _move(
        client,
        StreamsEvent.POLL_EXPIRED,
        state=StreamsState.STALE,
        epoch=requests.JOIN_EPOCH,
        setting_out=(),
        moved=False,
        acknowledged=True,
    )


def closed(client: StreamThread) -> StreamThread:
    """What is left of a stream thread that has closed in order."""
    check_move(CLIENT, client.state, StreamsEvent.CLOSE, StreamsState.UNSUBSCRIBED)
    return StreamThread(Process.GONE, rollout_step=client.rollout_step, connection=client.connection)
