"""The group coordinator as one pure step: state, event and free choices in; state and outputs out.

No clock, no randomness, no I/O: timers and appends are outputs, and fired timers and acknowledgements return
as events. `runtime` carries out the outputs, for both the conformance check and the explorer.

Switches (`Config.switches`) turn known bugs on; these concern the coordinator:

* no_generation_fence: OffsetCommit checks nothing
* generation_kept: a join phase ends without a new generation
* empty_forgets_generation: a group that becomes empty counts its generations from 0 again
* no_sync_timer: KAFKA-12890, missing SyncGroups have no timeout
* new_member_timer_once: KAFKA-9752, a new member's parked JoinGroup never expires
* pending_blocks_forever: KAFKA-7909, removing a pending id does not complete the join phase
* static_no_rebalance_in_completing: KAFKA-9801, replacing a static member in Completing changes nothing else
* static_replace_stable_only: KAFKA-8500, outside Stable a returning static member is added next to its old id
* static_leader_recompute: KAFKA-13435, a returning static leader gets no `skipAssignment`
* ignore_unreleased: a partition is assigned while another member still holds it
* pend_reassign_loses_epoch: KAFKA-16147, a pending partition targeted to its holder again counts as free
* revocation_not_awaited: partitions that a member must revoke count as free at once
* silence_revokes: a heartbeat without owned partitions counts as one that owns nothing
* subscriptions_pooled: the target is computed as if every member subscribed to all topics of the group
* created_topics_unseen: a new topic does not cause a group's regular expressions to be resolved again
* lost_resolutions_forgotten: only a new regular expression starts a resolution, not one lost in a failover
* matched_topics_unwatched: KAFKA-18916, a change of a topic that only an expression matches goes unnoticed
* resolution_bumps_nothing: the matches of regular expressions are written, but the group epoch stays
* recompute_on_new_target: KAFKA-16249, an acknowledged revocation is ignored if the target moved on
* simple_group_kept: cf. KAFKA-20254, a group with offsets only is not replaced by its records
* failed_write_kept: a consumer group keeps changes whose write failed
* failed_expiry_dropped: a timer whose removal could not be written is not armed again

Those of Streams groups are in `coordinator.streams.switches`.

The older rules of `values/releases` are switches too. One would fix what Kafka does in every release:

* conversion_stops_timers: a conversion stops the timers of the former kind of group, which otherwise continue
  and may fire after the group has returned to that kind
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.coordinator.classic import requests as classic_requests
from kassay.model.protocols.coordinator.consumer import heartbeat as consumer_heartbeat
from kassay.model.protocols.coordinator.consumer import requests as consumer_requests
from kassay.model.protocols.coordinator.consumer.group import Refused
from kassay.model.protocols.coordinator.consumer.regexes import run
from kassay.model.protocols.coordinator.streams import checks as streams_checks
from kassay.model.protocols.coordinator.streams import requests as streams
from kassay.model.protocols.coordinator.watched import left_topics, notice_topics, without_watched
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import Choices, Effects
from kassay.model.protocols.values.groups import (
    NO_CLOCK,
    ClassicGroup,
    ConsumerGroup,
    CoordinatorState,
    Group,
    JoinedConsumerGroup,
    Persist,
    Persisted,
    Role,
    SyncedConsumerGroup,
)
from kassay.model.protocols.values.marks import RequestId
from kassay.model.protocols.values.records import (
    EPOCH,
    MEMBER,
    OFFSET,
    Background,
    GroupValue,
    Log,
    ResolutionApplied,
    ResolutionRun,
    TargetApplied,
)
from kassay.model.protocols.values.releases import OLD_RULES
from kassay.model.protocols.values.streams import StreamsConfigured, StreamsHeartbeat
from kassay.model.protocols.values.streams_groups import STREAMS_KINDS, StreamsTaskGroup

SWITCHES: Final = (
    *(rule.switch for rule in OLD_RULES),
    "conversion_stops_timers",
    "created_topics_unseen",
    "empty_forgets_generation",
    "failed_expiry_dropped",
    "failed_write_kept",
    "generation_kept",
    "ignore_unreleased",
    "lost_resolutions_forgotten",
    "matched_topics_unwatched",
    "new_member_timer_once",
    "no_generation_fence",
    "no_sync_timer",
    "pend_reassign_loses_epoch",
    "pending_blocks_forever",
    "recompute_on_new_target",
    "resolution_bumps_nothing",
    "revocation_not_awaited",
    "silence_revokes",
    "simple_group_kept",
    "static_leader_recompute",
    "static_no_rebalance_in_completing",
    "static_replace_stable_only",
    "subscriptions_pooled",
    *(rule.switch for rule in OLD_RULES),
)


class Unload(NamedTuple):
    """The broker is no longer coordinator: parked requests are answered NOT_COORDINATOR.

    Those of `behind` are not: the service answered them, as they waited for an acknowledgement, too.
    """

    behind: frozenset[RequestId] = frozenset()


class Load(NamedTuple):
    """The broker becomes coordinator, and reads the acknowledged records."""

    log: Log


class LoadAsLeft(NamedTuple):
    """The same with the records as a cleaner left them, in the order of appending."""

    log: Log


Event: TypeAlias = (
    requests.Request
    | requests.TimerFired
    | requests.MetadataChanged
    | StreamsConfigured
    | ResolutionRun
    | ResolutionApplied
    | TargetApplied
    | Persisted
    | Unload
    | Load
    | LoadAsLeft
)
Output: TypeAlias = requests.Reply | requests.SetTimer | requests.CancelTimer | Persist


class CoordinatorStep(NamedTuple):
    """The result of a step."""

    state: CoordinatorState
    outputs: tuple[Output, ...]


def step(config: requests.Config, state: CoordinatorState, event: Event, choices: Choices) -> CoordinatorStep:
    """The coordinator's step for one event.

    Raises `IllegalTransition` for an event that cannot happen in this state.
    """
    if state.streams:
        config = config._replace(streams=state.streams[0])
    effects = Effects(config, state.image, choices, state.now, state.background, *state[6:])
    if isinstance(event, requests.MetadataChanged):
        return CoordinatorStep(_published(effects, state, event), ())
    if isinstance(event, StreamsConfigured):
        return CoordinatorStep(state._replace(streams=(event.config,)), ())
    if isinstance(event, LoadAsLeft):
        return _load_as_left(effects, state, event.log)
    if isinstance(event, Load):
        return _active(effects, state, _load(effects, event.log))
    if isinstance(event, Unload):
        if isinstance(state.group, ClassicGroup):
            classic_requests.unload(effects, state.group, event.behind)
        idle = state.background._replace(tasks=(), targets=())
        state = state._replace(group=None, role=Role.NOT_COORDINATOR, background=idle)
        state = state._replace(removed=(), left_topics=())
        return CoordinatorStep(state, tuple(effects.out))
    if isinstance(event, ResolutionRun | ResolutionApplied):
        return _resolution(effects, state, event)
    if isinstance(event, TargetApplied):
        return _target(effects, state)
    if state.role != Role.ACTIVE:
        if not isinstance(event, requests.TimerFired | Persisted):
            error = _service_error(effects, state.role, event)
            effects.reply(event.correlation_id, requests.error_reply(event, error))
        return CoordinatorStep(state, tuple(effects.out))
    group = _handle(effects, state.group, event)
    if isinstance(event, Persisted):
        kept = event.left_topics if event.error else effects.left_topics
        left = without_watched(effects, kept, group)
    else:
        left = left_topics(effects, state.group, group)
    if group is not state.group:
        state = state._replace(group=group)
    if effects.background is not state.background:
        state = state._replace(background=effects.background)
    if effects.removed is not state.removed:
        state = state._replace(removed=effects.removed)
    if left is not state.left_topics:
        state = state._replace(left_topics=left)
    return CoordinatorStep(state, tuple(effects.out))


def _service_error(effects: Effects, role: Role, request: requests.Request) -> str:
    """What the service answers while no group is loaded; it checks a heartbeat before it looks for one."""
    try:
        if isinstance(request, StreamsHeartbeat):
            streams_checks.check_request(request)
        elif isinstance(request, requests.ConsumerHeartbeat):
            consumer_heartbeat.check_request(effects, request)
    except Refused as refusal:
        return refusal.error
    if role == Role.NOT_COORDINATOR:
        return errors.NOT_COORDINATOR
    return errors.COORDINATOR_LOAD_IN_PROGRESS


def _published(
    effects: Effects, state: CoordinatorState, event: requests.MetadataChanged
) -> CoordinatorState:
    """The state after a new image, with its number if images are numbered."""
    group = notice_topics(effects, state, event.image)
    background = state.background
    if event.number:
        new = {topic.topic_id for topic in event.image} - {topic.topic_id for topic in state.image}
        created = event.number if new else background.created
        background = background._replace(image=event.number, created=created)
    return state._replace(group=group, image=event.image, background=background)


def _resolution(
    effects: Effects, state: CoordinatorState, event: ResolutionRun | ResolutionApplied
) -> CoordinatorStep:
    """A step of the current resolution of regular expressions, if there is one."""
    background = state.background
    if not background.tasks:
        return CoordinatorStep(state, ())
    if not background.tasks[0].result:
        background = run(background, state.image, state.now)
    group = state.group
    if isinstance(event, ResolutionApplied):
        (result,) = background.tasks[0].result
        background = background._replace(tasks=())
        group = consumer_requests.apply_resolution(effects, group, result)
    left = left_topics(effects, state.group, group)
    state = state._replace(group=group, background=background, left_topics=left)
    return CoordinatorStep(state, tuple(effects.out))


def _target(effects: Effects, state: CoordinatorState) -> CoordinatorStep:
    """Write the target that was computed in the background, if there is one."""
    group, background = state.group, state.background
    for computed in background.targets:
        group = consumer_requests.apply_target(effects, group, computed)
    state = state._replace(group=group, background=background._replace(targets=()))
    return CoordinatorStep(state, tuple(effects.out))


def _handle(
    effects: Effects, group: Group, event: requests.Request | requests.TimerFired | Persisted
) -> Group:
    if isinstance(event, Persisted):
        return _stored(effects, group, event)
    if isinstance(event, requests.TimerFired):
        return _timer(effects, group, event)
    try:
        return _request(effects, group, event)
    except Refused as refusal:
        effects.reply(event.correlation_id, requests.error_reply(event, refusal.error))
        return group


def _stored(effects: Effects, group: Group, event: Persisted) -> Group:
    then = event.then
    if isinstance(then, JoinedConsumerGroup | SyncedConsumerGroup):
        return consumer_requests.stored(effects, group, then, event)
    if event.error and isinstance(group, ConsumerGroup):
        if effects.has("failed_write_kept"):
            return group
        return consumer_requests.undone(group, event.undo)
    if event.error and isinstance(group, StreamsTaskGroup):
        return streams.undone(group, event.undo)
    return classic_requests.handle_stored(effects, group, event)


def _timer(effects: Effects, group: Group, event: requests.TimerFired) -> Group:
    """Fire a timer, which belongs to one kind of group; one that outlived its group has no effect."""
    classic = event.timer.kind in classic_requests.TIMERS
    if classic and isinstance(group, ClassicGroup):
        return classic_requests.handle_timer(effects, group, event)
    if not classic and isinstance(group, ConsumerGroup):
        return consumer_requests.handle_timer(effects, group, event)
    if not classic and isinstance(group, StreamsTaskGroup):
        return streams.handle_timer(effects, group, event)
    return group


def _request(effects: Effects, group: Group, event: requests.Request) -> Group:
    if isinstance(event, StreamsHeartbeat):
        return streams.handle_heartbeat(effects, group, event)
    if isinstance(group, StreamsTaskGroup):
        return streams.handle_other_request(effects, group, event)
    if isinstance(event, requests.ConsumerHeartbeat):
        return consumer_requests.handle_heartbeat(effects, group, event)
    if isinstance(group, ClassicGroup):
        return classic_requests.handle_request(effects, group, event)
    if not isinstance(group, ConsumerGroup):
        return classic_requests.handle_without_group(effects, event)
    if isinstance(event, requests.JoinGroup) and not group.members:
        return consumer_requests.replace_empty(effects, group, event)
    return consumer_requests.handle_classic_request(effects, group, event)


def _load_as_left(effects: Effects, state: CoordinatorState, log: Log) -> CoordinatorStep:
    """Load the group from the records found; a group that cannot be read has no coordinator."""
    from kassay.model.protocols.coordinator.loading import Unreadable, read, read_watched

    left: tuple[str, ...] = ()
    try:
        if effects.now == NO_CLOCK:
            loaded = read(log, effects.has)
        else:
            loaded, left = read_watched(log, effects.has)
    except Unreadable:
        return CoordinatorStep(state._replace(group=None, role=Role.NOT_COORDINATOR), ())
    if isinstance(loaded, GroupValue):
        group: Group = classic_requests.load(effects, loaded)
    elif isinstance(loaded, StreamsTaskGroup):
        group = streams.resume(effects, loaded)
    else:
        group = consumer_requests.resume(effects, loaded)
    return _active(effects, state._replace(left_topics=left), group)


def _active(effects: Effects, state: CoordinatorState, group: Group) -> CoordinatorStep:
    """The coordinator after it has loaded this group."""
    image = state.background.image
    loaded = Background(image, image)
    state = state._replace(group=group, role=Role.ACTIVE, background=loaded, removed=())
    return CoordinatorStep(state, tuple(effects.out))


def _load(effects: Effects, log: Log) -> Group:
    """The group in the acknowledged records; offsets alone make an empty one."""
    kinds = {record.key[0] for record in log}
    if kinds & STREAMS_KINDS:
        return streams.load(effects, log)
    if EPOCH in kinds or MEMBER in kinds:
        return consumer_requests.load(effects, log)
    for record in log:
        if isinstance(record.value, GroupValue):
            return classic_requests.load(effects, record.value)
    return ClassicGroup() if OFFSET in kinds else None
