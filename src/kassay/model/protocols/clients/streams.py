"""The client side of KIP-1071: a stream thread's next heartbeat, and the effect of each reply.

Pure functions on one frozen `StreamThread`, checked against `CLIENT` of `streams_state`. The client chooses
its own member id; the process id is that of its state directory, which outlives it. Every assignment that
differs from the last one has to be reconciled and acknowledged, even if it equals the running tasks. Source:
KIP-1071; `StreamsMembershipManager`, `StreamsGroupHeartbeatRequestManager` and
`DefaultStreamsRebalanceListener` of branch 4.4.

Switches (`Config.switches`) turn wrong rules on; these concern the client:

* streams_names_reconciled: the behaviour of Kafka's client, see `_named`
* streams_commits_out_of_group: the behaviour of Kafka's client as well, see `commit`
* streams_acknowledged_once: after a lost reply the tasks are not reported again
* streams_no_abort: a reconciliation from before a fence is completed after it
* streams_standbys_kept: a standby task that the new assignment lacks is not closed
* streams_target_named: heartbeats report the tasks of the target, reconciled or not
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.clients import streams_state
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.streams_state import CLIENT, StreamsEvent, StreamsState
from kassay.model.protocols.table import IGNORE, check_move, look_up
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.in_flight import SILENT, Wire
from kassay.model.protocols.values.marks import Generation, MemberId
from kassay.model.protocols.values.requests import OffsetCommit
from kassay.model.protocols.values.streams import (
    ASSIGNMENT_DELAYED,
    INCORRECTLY_PARTITIONED_TOPICS,
    MISSING_INTERNAL_TOPICS,
    MISSING_SOURCE_TOPICS,
    NO_TASKS,
    EndpointPartitions,
    OffsetsOfTasks,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    TaskIds,
    TaskRoles,
)

_S = StreamsState
MEMBER: Final = frozenset({_S.JOINING, _S.RECONCILING, _S.ACKNOWLEDGING, _S.STABLE})
UNKNOWN_SUBTOPOLOGY: Final = "unknown subtopology"
"""Ends a client that is assigned tasks it cannot run; not an error of the coordinator."""
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
    """An assignment as the client stores it: the tasks, and whether the group was ready."""

    roles: TaskRoles = NO_TASKS
    ready: bool = False


NO_LOCAL_TASKS: Final = LocalTasks()


class StreamThread(NamedTuple):
    """The state of one stream thread.

    `owned` are its running active tasks, `standby` and `warmup` its copies. `target` is the last assignment
    received, () before the first, `settled` whether it is reconciled. `setting_out` holds the target with
    which the current reconciliation began, `moved` whether the target changed since. `reconciled` is the last
    assignment that the callback completed, `acknowledged` whether a heartbeat has reported it. `endpoints`
    are the last received endpoints for interactive queries, `endpoint_epoch` is that of the last answer,
    `ended_by` the error that ended it. `wire` holds the messages between client and coordinator (N1, N2). If
    it reports offsets, `restored` are the tasks with restored state, and `reported` is its last report, ()
    once it has to report again.
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
    """The client's current heartbeat, and the client after sending it; None if it sends none."""
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
        # Kafka's client does not record that it reported no tasks, and reports none once more.
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
    """The heartbeat with the changes of the client's task offsets since its last report."""
    held = streams_state.stateful(config, client.rollout_step, (*client.owned, *client.copies))
    now = streams_state.offsets(held, client.restored)
    if client.reported == (now,):
        return client, request
    said = request._replace(task_offsets=now, task_end_offsets=streams_state.ends(held))
    return client._replace(reported=(now,)), said


def _named(config: ClientConfig, client: StreamThread) -> TaskRoles:
    """The tasks that a heartbeat reports, if it has to report any.

    Kafka's client reports those of the last completed callback (switch streams_names_reconciled), initially
    none. Tasks that are assigned and about to run must be reported too: otherwise they would look revoked.
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
    """The union of both, role by role."""
    return TaskRoles(*(tuple(sorted({*mine, *theirs})) for mine, theirs in zip(one, other)))


def commit(
    config: ClientConfig, number: int, client: StreamThread, offsets: tuple[tuple[TopicPartition, int], ...]
) -> OffsetCommit | None:
    """The client's current OffsetCommit, under the member epoch; None if it sends none.

    Kafka's thread also commits outside the group, without an epoch (switch streams_commits_out_of_group).
    """
    epoch = client.epoch
    if client.state not in MEMBER or epoch == requests.JOIN_EPOCH:
        if "streams_commits_out_of_group" not in config.switches:
            return None
        epoch = requests.NO_GENERATION
    return OffsetCommit(number, client.member_id, epoch, offsets, config.group_instance_id)


def on_reply(config: ClientConfig, client: StreamThread, reply: StreamsHeartbeatReply) -> StreamThread:
    """The client after a reply to its heartbeat; a client outside the group ignores replies.

    A fenced or unknown member joins again, at any epoch. Any other error that is not retriable ends the
    thread, including UNKNOWN_SERVER_ERROR and UNRELEASED_INSTANCE_ID.
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
    """Whether all tasks belong to the client's own topology."""
    topology = config.topology(client.rollout_step)
    known = {part.subtopology_id for part in topology.subtopologies}
    return all(task.subtopology in known for tasks in roles for task in tasks)


def _fenced(config: ClientConfig, client: StreamThread) -> StreamThread:
    """The client after it was fenced: a callback loses its tasks, then it joins again."""
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
    """The client after an error that ends it; one outside the group stays unchanged."""
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
    """A request or its reply was lost, or is retriable: the next one reports the tasks."""
    if look_up(CLIENT, client.state, StreamsEvent.FAILED) is IGNORE:
        return client
    acknowledged = client.acknowledged and "streams_acknowledged_once" in config.switches
    return _move(client, StreamsEvent.FAILED, state=client.state, acknowledged=acknowledged, reported=())


def reconcile(config: ClientConfig, client: StreamThread) -> StreamThread | None:
    """The next step of a reconciliation: first revoke, then add; None if nothing is left to do.

    Standby tasks are closed in the second step, which also opens new ones.
    """
    if client.setting_out and client.state in MEMBER:
        return _assigned(config, client, client.setting_out[0])
    if client.state is not StreamsState.RECONCILING or client.settled or client.run is not Process.UP:
        return None
    (goal,) = client.target
    kept = tuple(task for task in client.owned if task in goal.roles.active)
    return _move(client, StreamsEvent.REVOKED, owned=kept, setting_out=(goal,), moved=False)


def _assigned(config: ClientConfig, client: StreamThread, goal: LocalTasks) -> StreamThread:
    """The client after the callback assigned its tasks; an active task has no copy as well."""
    active, standby, warmup = goal.roles
    standby = tuple(task for task in standby if task not in active)
    warmup = tuple(task for task in warmup if task not in active and task not in standby)
    running = goal._replace(roles=TaskRoles(active, standby, warmup))
    if "streams_standbys_kept" in config.switches:
        standby = tuple(sorted({*standby, *client.standby}))
    # Kafka's client does not acknowledge the same assignment again.
    same = running == client.reconciled and "streams_names_reconciled" in config.switches
    done = client._replace(
        owned=active,
        standby=standby,
        warmup=warmup,
        reconciled=running,
        restored=streams_state.restored_by(running.roles, client.restored) if config.reports else (),
        setting_out=(),
        settled=not client.moved,
        moved=False,
        acknowledged=client.acknowledged and same,
    )
    if client.state is not StreamsState.RECONCILING:
        # Happens only if a fence did not abort it (switch streams_no_abort), against the table.
        return done
    return _move(client, StreamsEvent.RECONCILED, **(done._asdict() | {"state": StreamsState.ACKNOWLEDGING}))


def lost(client: StreamThread) -> StreamThread | None:
    """The callback after being fenced, or the first poll after exceeding max.poll.interval.ms."""
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
    """The member has left for exceeding max.poll.interval.ms; it loses its tasks at its next poll."""
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
    """The rest of a stream thread that has closed in order."""
    check_move(CLIENT, client.state, StreamsEvent.CLOSE, StreamsState.UNSUBSCRIBED)
    return StreamThread(Process.GONE, rollout_step=client.rollout_step, connection=client.connection)
