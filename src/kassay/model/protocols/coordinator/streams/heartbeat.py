"""StreamsGroupHeartbeat of a member that stays: join, advance the epoch, assign, reconcile this member.

In-memory state changes while the heartbeat is processed, and stays changed if it is then refused; recorded
state changes only by the records of an accepted heartbeat. Source:
`GroupMetadataManager.streamsGroupHeartbeat`.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import Refused
from kassay.model.protocols.coordinator.streams import checks, targets
from kassay.model.protocols.coordinator.streams.group import (
    NEW_GROUP,
    current_record,
    existing_topics,
    find,
    find_static,
    group_state,
    member_record,
    metadata_expired,
    removal_records,
    target_of,
    target_record,
    with_entry,
    without_entry,
)
from kassay.model.protocols.coordinator.streams.targets import reconcile
from kassay.model.protocols.coordinator.streams.topology import all_endpoints, configure
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import streams_groups as r
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import EMPTY, STABLE, Group
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.streams import (
    ASSIGNMENT_DELAYED,
    INITIAL_REBALANCE,
    MISSING_CLIENT_TAGS,
    NO_TOPOLOGY_EPOCH,
    SHUTDOWN_APPLICATION,
    STALE_TOPOLOGY,
    STREAMS_SESSION,
    ConfiguredTopology,
    EndpointPartitions,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    StreamsTopology,
    TaskOffsets,
)
from kassay.model.protocols.values.streams_groups import (
    UNREVOKED_TASKS,
    StreamsEpochValue,
    StreamsTaskGroup,
    StreamsTaskMember,
)


class HeartbeatAttempt:
    """One heartbeat in progress; `group` has the current in-memory state and the previous recorded state."""

    def __init__(self, effects: Effects, before: Group, request: StreamsHeartbeat) -> None:
        self.effects = effects
        self.request = request
        self.existed = before is not None
        self.group = before if isinstance(before, StreamsTaskGroup) else NEW_GROUP
        self.records: list[LogRecord] = []
        self.status: list[str] = []
        self.replaced: StreamsTaskMember | None = None
        self.topics = self.group.topics
        self.at_rest = self.refines = False

    @property
    def joins(self) -> bool:
        """Whether the member joins, with epoch 0."""
        return self.request.member_epoch == requests.JOIN_EPOCH

    def answer(self) -> StreamsHeartbeatReply:
        """Process the heartbeat: returns the answer and leaves the records in `records`. Raises `Refused`."""
        if self.joins:
            checks.check_room(self.effects, self.group, self.request)
        member = self._member()
        wanted = self._wanted(member)
        bumps = self._note_member(member, wanted)
        topology = self._topology(wanted)
        configured, new_topics = self._configure(topology)
        checks.check_tasks(self.request, configured)
        self._note_offsets()
        epoch = self._bump(wanted, topology, configured, bumps or new_topics)
        self._delay()
        updated = self._reconcile(wanted, epoch, topology, configured)
        self.effects.arm(STREAMS_SESSION, self.request.member_id, self.effects.config.streams.session_timeout)
        if self.request.shutdown and not self.group.shutdown_by:
            self.group = self.group._replace(shutdown_by=self.request.member_id)
        return self._reply(member, updated, topology, configured)

    def _member(self) -> StreamsTaskMember:
        """The member of the request: known, new, or in place of a static one that left."""
        request, group = self.request, self.group
        member_id, instance = request.member_id, request.group_instance_id
        if not instance:
            member = find(group, member_id)
            if member is None:
                if not self.joins:
                    raise Refused(errors.UNKNOWN_MEMBER_ID)
                member = StreamsTaskMember(member_id)
            checks.check_epoch(member, request)
            return member
        known = find_static(group, instance)
        if known is not None and known.member_id != member_id:
            self.replaced = known
            self._relabel(known.member_id, member_id)
        if not self.joins:
            member = checks.check_static(known, member_id)
            checks.check_epoch(member, request)
            return member
        if known is None:
            return find(group, member_id) or StreamsTaskMember(member_id)
        if known.epoch != requests.STATIC_LEAVE_EPOCH:
            raise Refused(errors.UNRELEASED_INSTANCE_ID)
        member = known._replace(member_id=member_id, epoch=0, prev_epoch=0)
        self.records += (
            *removal_records(known.member_id),
            member_record(member),
            target_record(member_id, target_of(group.target, known.member_id)),
            current_record(member),
        )
        return member

    def _relabel(self, old: str, new: str) -> None:
        """Move the cached intermediate targets to the new id, even if the heartbeat is then refused."""
        remembered = self.group.remembered
        for refined in remembered.refined:
            tasks = dict(refined.target).get(old)
            if tasks is not None and not self.effects.has("streams_refined_not_relabelled"):
                target = with_entry(without_entry(refined.target, old), new, tasks)
                again = remembered._replace(refined=(refined._replace(target=target),))
                self.group = self.group._replace(remembered=again)

    def _wanted(self, member: StreamsTaskMember) -> StreamsTaskMember:
        """The member with the metadata of its request."""
        request = self.request
        return member._replace(
            group_instance_id=request.group_instance_id or member.group_instance_id,
            rack=request.rack or member.rack,
            rebalance_timeout=(
                member.rebalance_timeout if request.rebalance_timeout == -1 else request.rebalance_timeout
            ),
            topology_epoch=member.topology_epoch if request.topology is None else request.topology.epoch,
            process_id=request.process_id or member.process_id,
            endpoint=request.endpoint if self.joins else request.endpoint or member.endpoint,
            tags=member.tags if request.tags is None else request.tags,
        )

    def _note_member(self, member: StreamsTaskMember, wanted: StreamsTaskMember) -> bool:
        """Record the changes of the member; returns whether they require a new assignment of the group."""
        if wanted == member:
            return False
        self.records.append(member_record(wanted))
        relevant = ("topology_epoch", "rack", "tags", "process_id")
        return not self.request.group_instance_id or any(
            getattr(member, name) != getattr(wanted, name) for name in relevant
        )

    def _topology(self, wanted: StreamsTaskMember) -> StreamsTopology:
        """The group's topology, which the first member sends. Raises `Refused` for another one."""
        brought = self.request.topology
        if not self.group.topology:
            if brought is None:
                raise Refused(errors.UNKNOWN_SERVER_ERROR)
            self.records.append(LogRecord((r.STREAMS_TOPOLOGY, ""), brought))
            return brought
        topology = self.group.topology[0]
        other = brought is not None and brought.epoch >= topology.epoch and brought != topology
        if other and not self.effects.has("streams_topology_ignored"):
            raise Refused(errors.INVALID_REQUEST)
        if wanted.topology_epoch < topology.epoch:
            self.status.append(STALE_TOPOLOGY)
        return topology

    def _configure(self, topology: StreamsTopology) -> tuple[ConfiguredTopology, bool]:
        """The topology configured with the topics, updated if due; and whether the topics changed."""
        group, remembered = self.group, self.group.remembered
        if group.topology and remembered.configured and not metadata_expired(group):
            return remembered.configured[0], False
        topics = existing_topics(self.effects.image, topology)
        changed = topics != group.topics
        if group.topology and remembered.configured and not changed:
            return remembered.configured[0], False
        configured = configure(topology, self.effects.image)
        self.group = group._replace(remembered=remembered._replace(configured=(configured,)), endpoints=())
        self.topics = topics
        return configured, changed

    def _note_offsets(self) -> None:
        """Remember the offsets that the client reports; missing ones stay unchanged."""
        request, member_id = self.request, self.request.member_id
        if request.task_offsets is None and request.task_end_offsets is None:
            return
        known = dict(self.group.task_offsets).get(member_id, TaskOffsets())
        offsets, ends = request.task_offsets, request.task_end_offsets
        noted = TaskOffsets(
            known.offsets if offsets is None else checks.check_offsets(offsets),
            known.ends if ends is None else checks.check_offsets(ends),
        )
        task_offsets = with_entry(self.group.task_offsets, member_id, noted)
        self.group = self.group._replace(task_offsets=task_offsets)

    def _bump(
        self,
        wanted: StreamsTaskMember,
        topology: StreamsTopology,
        configured: ConfiguredTopology,
        bumps: bool,
    ) -> int:
        """The next group epoch: advanced if anything changed, or if a stable member lacks its target."""
        group = self.group
        validated = topology.epoch if configured.ready else NO_TOPOLOGY_EPOCH
        configs = self.effects.config.streams.assignment_configs
        bumps |= validated != group.validated_topology_epoch or configs != group.configs
        if not bumps and group_state(group) == STABLE:
            self.at_rest = True
            step = targets.refined(self.effects, group, group.target, topology)
            self.refines = target_of(step, wanted.member_id) != wanted.assigned.roles
        if not bumps and not self.refines:
            return group.epoch
        epoch = group.epoch + 1
        self.records.append(
            LogRecord((r.STREAMS_EPOCH, ""), StreamsEpochValue(epoch, validated, self.topics, configs))
        )
        self.group = group._replace(refreshed=epoch)
        return epoch

    def _delay(self) -> None:
        """Start the initial rebalance delay of a group that was empty, if configured."""
        delay = self.effects.config.streams.initial_rebalance_delay
        if delay and group_state(self.group) == EMPTY:
            self.effects.arm_if_absent(INITIAL_REBALANCE, "", delay)
            self.group = self.group._replace(delayed=True)
        elif self.effects.background.delaying:
            # `maybeUpdateStreamsTargetAssignment` asks the timer, not the group.
            self.group = self.group._replace(delayed=True)

    def _reconcile(
        self, wanted: StreamsTaskMember, epoch: int, topology: StreamsTopology, configured: ConfiguredTopology
    ) -> StreamsTaskMember:
        """The member on its way to the target, which is computed first if it is due."""
        effects, group = self.effects, self.group
        now = targets.relabelled(effects, group, wanted, self.replaced)
        aim = targets.next_target(effects, group, now, epoch, topology, configured, refines=self.refines)
        self.records += aim.records
        if aim.late:
            self.status.append(ASSIGNMENT_DELAYED)
        self.group, target = targets.led_towards(
            effects, group, aim, wanted.member_id, topology, at_rest=self.at_rest
        )
        updated = reconcile(effects, wanted, aim.epoch, target, self.request.owned, group)
        if updated != wanted:
            self.records.append(current_record(updated))
            self._watch_revocation(updated)
        return updated

    def _watch_revocation(self, member: StreamsTaskMember) -> None:
        """Arm the member's revocation timer (its rebalance timeout)."""
        if member.state == UNREVOKED_TASKS:
            self.effects.arm(requests.REVOCATION, member.member_id, member.rebalance_timeout, (member.epoch,))
        else:
            self.effects.disarm(requests.REVOCATION, member.member_id)

    def _reply(
        self,
        member: StreamsTaskMember,
        updated: StreamsTaskMember,
        topology: StreamsTopology,
        configured: ConfiguredTopology,
    ) -> StreamsHeartbeatReply:
        """The answer: tasks if the member joins or they changed; endpoints unless the client knows them."""
        given_anew = updated.assigned != member.assigned
        self._count_endpoints(member, updated, given_anew=given_anew)
        endpoints = None
        if self.group.endpoint_epoch != self.request.endpoint_epoch:
            endpoints = self._endpoints(updated, topology)
        if not configured.ready:
            self.status.append(configured.status)
        if self.group.shutdown_by:
            self.status.append(SHUTDOWN_APPLICATION)
        if self._lacks_tags(updated):
            self.status.append(MISSING_CLIENT_TAGS)
        return StreamsHeartbeatReply(
            errors.NONE,
            updated.member_id,
            updated.epoch,
            self.effects.config.streams.heartbeat_interval,
            tuple(sorted(self.status)),
            updated.assigned.roles if self.joins or given_anew else None,
            self.group.endpoint_epoch if self.existed else 0,
            endpoints,
            configured.create,
        )

    def _count_endpoints(
        self, member: StreamsTaskMember, updated: StreamsTaskMember, *, given_anew: bool
    ) -> None:
        """Drop the cached endpoint of the member if it is outdated, and count the change."""
        moved = member.endpoint != updated.endpoint
        group, entries = self.group, self.group.endpoints
        if self.joins or given_anew or moved or self.replaced is not None:
            entries = without_entry(entries, updated.member_id)
            if self.replaced is not None:
                entries = without_entry(entries, self.replaced.member_id)
        count = group.endpoint_epoch
        if moved or (given_anew and updated.endpoint and not self.effects.has("streams_endpoints_kept")):
            count += 1
        if entries != group.endpoints or count != group.endpoint_epoch:
            self.group = group._replace(endpoints=entries, endpoint_epoch=count)

    def _endpoints(
        self, updated: StreamsTaskMember, topology: StreamsTopology
    ) -> tuple[EndpointPartitions, ...]:
        """The partitions served by all endpoints."""
        gone = {updated.member_id} if self.replaced is None else {updated.member_id, self.replaced.member_id}
        others = [member for member in self.group.members if member.member_id not in gone]
        self.group, endpoints = all_endpoints(self.group, topology, self.effects.image, [*others, updated])
        return endpoints

    def _lacks_tags(self, member: StreamsTaskMember) -> bool:
        """Whether the member lacks some rack-aware tags; old clients get no warning."""
        return self.request.api_version >= 1 and not {*self.effects.config.streams.rack_aware_tags} <= {
            key for key, _ in member.tags
        }
