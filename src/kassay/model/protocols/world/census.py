"""Who owns what in a world of classic clients, of KIP-848 clients, or of both: what the invariants read."""

from __future__ import annotations

from typing import Any, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.explore.states import Interned, Interner, Memo
from kassay.model.protocols.census import Belief, Census, Owned, Registered
from kassay.model.protocols.clients import classic as cc
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.any_balanced import tps_of
from kassay.model.protocols.clients.classic_state import ClassicClient, ClassicState
from kassay.model.protocols.clients.config import ClientConfig, Process, still_matching
from kassay.model.protocols.clients.consumer import ConsumerClient, ConsumerState
from kassay.model.protocols.coordinator.consumer.regexes import matched
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    MEMBER_STABLE,
    STABLE,
    ClassicGroup,
    ConsumerGroup,
    ConsumerMember,
)
from kassay.model.protocols.values.requests import (
    ConsumerHeartbeat,
    ConsumerHeartbeatReply,
    Image,
    JoinGroupReply,
    OffsetCommit,
)
from kassay.model.protocols.world.context import HEARTBEAT_OFFSET, NO_CELL, World, WorldContext, first_image


class RegisteredMember(NamedTuple):
    """The registry's part of a census; `quiet`: it awaits nothing."""

    registry: tuple[Registered, ...]
    wanted: Owned
    quiet: bool
    target: tuple[tuple[str, Owned], ...] = ()
    caught_up: tuple[str, ...] = ()
    awaiting: bool = False


class Censuses:
    """The census of each state, combined from each client's belief and the registry's record.

    A walk meets ten times as many states as censuses and a hundred times as many as beliefs. So each part is
    computed once per input, equal ones are interned, and a census is keyed by its interned parts.
    """

    def __init__(self, context: WorldContext) -> None:
        self.context = context
        self._cell = Interner().cell
        self._beliefs: Memo[Any, Interned] = Memo()
        self._records: Memo[Any, Interned] = Memo()
        self._whole: Memo[Any, Interned] = Memo()
        self._known: Memo[Any, Interned] = Memo()
        self._last: tuple[World | None, Interned] = None, NO_CELL
        self._first_image = first_image(context.options)

    def census(self, state: World) -> Census:
        """Ownership, by belief and by record."""
        census: Census = self.public(state).value
        return census

    def public(self, state: World) -> Interned:
        """The census, interned: states with equal censuses share it."""
        last, census = self._last
        if last is state:
            return census
        broker: CoordinatorHost = state.broker.value
        whole = (state.clients, broker.coordinator, state.image, state.adopted, not broker.waiting)
        known = self._whole.get(whole)
        if known is None:
            known = self._whole[whole] = self._put_together(state)
        self._last = state, known
        return known

    def _put_together(self, state: World) -> Interned:
        """The census of a new world, whose parts are mostly cached."""
        broker: CoordinatorHost = state.broker.value
        coordinator, image = broker.coordinator, state.image
        written = (coordinator, image, not broker.waiting)
        record = self._records.get(written)
        if record is None:
            record = self._records[written] = self._cell(self.record(state))
        parts: list[Any] = [record, state.adopted]
        for c, cell in enumerate(state.clients):
            seen = (c, cell, coordinator, image)
            part = self._beliefs.get(seen)
            if part is None:
                part = self._beliefs[seen] = self._cell(self._part(c, cell, state))
            parts.append(part)
        key = tuple(parts)
        census = self._known.get(key)
        if census is None:
            census = self._known[key] = self._cell(_joined(record.value, state, parts[2:]))
        return census

    def _part(self, c: int, cell: Interned, state: World) -> tuple[Belief, bool]:
        """A client's belief, and whether it trusts an assignment that metadata changes may have outdated."""
        classic = not isinstance(state.broker.value.state.group, ConsumerGroup)
        trusting = classic and isinstance(cell.value, ClassicClient) and cell.value.trusting
        return self.belief(c, cell, state), trusting and state.image.value != self._first_image

    def record(self, state: World) -> RegisteredMember:
        """The registry's record; reads the coordinator, the image, and whether a reply is pending."""
        group = state.broker.value.state.group
        if group is None:
            return RegisteredMember((), (), not state.broker.value.waiting)
        quiet = group.state in (STABLE, EMPTY) and not group.pending_join
        registry = tuple(
            Registered(
                m.member_id,
                m.group_instance_id,
                _topics(m.protocols),
                () if m.assignment == requests.ZERO_BYTES else m.assignment,
            )
            for m in group.members
        )
        wanted = tps_of(state.image.value, (topic for entry in registry for topic in entry.topics))
        quiet = quiet and not state.broker.value.waiting
        return RegisteredMember(registry, wanted, quiet, awaiting=group.state == COMPLETING)

    def belief(self, c: int, cell: Interned, state: World) -> Belief:
        """One client's belief and its relation to the registry."""
        client: ClassicClient = cell.value
        group = state.broker.value.state.group
        members = () if group is None else group.members
        member = next((m for m in members if m.member_id == client.member_id), None)
        own = -2 if member is None else group.generation if isinstance(group, ClassicGroup) else member.epoch
        current = client.generation == own and not client.overtaken
        waiting = client.rejoin or client.waits or client.inbox or client.given or client.wire.back
        settled = (
            client.run is Process.UP
            and client.state is ClassicState.STABLE
            and not waiting
            and cc.stale_metadata(self.context.configs[c], client, state.image.value) is None
        )
        rejoined = member is not None and (
            current or not member.group_instance_id or _takes_part(client, own)
        )
        live = client.run in (Process.UP, Process.PAUSED)
        may = live and client.state is ClassicState.STABLE and client.generation >= 0
        owned = client.owned if may else ()
        accepted = self.accepted(state, c, client.member_id, client.generation, owned)
        return Belief(
            f"c{c + 1}",
            client.member_id,
            live,
            current,
            settled,
            client.owned,
            bool(accepted),
            rejoined,
            client.generation >= 0,
            client.ahead,
            tuple(tp for tp in client.owned if accepted and tp not in accepted),
        )

    def accepted(
        self, state: World, c: int, member_id: str, generation: int, owned: requests.Partitions
    ) -> requests.Partitions:
        """The partitions of a client for which a commit with this generation or epoch would be accepted now.

        A classic group accepts or refuses a commit as a whole, a consumer group each partition separately.
        """
        group = state.broker.value.state.group
        if group is None or not owned:
            return ()
        if isinstance(group, ClassicGroup):
            return owned if self._accepts(state.broker, c, member_id, generation, ()) else ()
        return tuple(tp for tp in owned if self._accepts(state.broker, c, member_id, generation, ((tp, 0),)))

    def _accepts(
        self,
        broker: Interned,
        c: int,
        member_id: str,
        generation: int,
        offsets: tuple[tuple[TopicPartition, int], ...],
    ) -> bool:
        instance = self.context.configs[c].group_instance_id
        request = OffsetCommit(HEARTBEAT_OFFSET + c, member_id, generation, offsets, instance)
        return any(
            body.error == errors.NONE
            for _, mail in self.context.brokers.handle(broker, request, keeps_log=False)
            for _, body in mail
        )


def _takes_part(client: ClassicClient, own: int) -> bool:
    """Whether a registered static member takes part in the current round and took part in the previous one.

    `own` is its generation in the registry. A member that missed a round is a zombie until its next adoption:
    what it owns may belong to another by now, and joining the next round alone takes nothing from it.
    """
    answered = any(isinstance(body, JoinGroupReply) and body.error == errors.NONE for body in client.inbox)
    joining = bool(client.inbox) or client.waits == "join"
    return joining and not client.overtaken and (client.generation < 0 or own <= client.generation + answered)


def _joined(record: RegisteredMember, state: World, parts: list[Interned]) -> Census:
    """The census from a record and beliefs."""
    beliefs = tuple(part.value[0] for part in parts)
    live = [belief for belief in beliefs if belief.live]
    resting = record.quiet and all(belief.settled and belief.current for belief in live)
    resting = resting and {b.member_id for b in live} == {entry.member_id for entry in record.registry}
    adopted = tuple((tp, f"c{c + 1}") for tp, c in state.adopted)
    return Census(
        beliefs,
        record.registry,
        record.wanted,
        resting,
        adopted,
        record.target,
        record.caught_up,
        any(part.value[1] for part in parts),
        record.awaiting,
    )


def _topics(protocols: requests.Protocols) -> tuple[str, ...]:
    for _, metadata in protocols:
        if isinstance(metadata, requests.Subscription):
            return metadata.topics
    return ()


class ConsumerCensuses(Censuses):
    """The census for both kinds of group and both kinds of client."""

    def record(self, state: World) -> RegisteredMember:
        """The registry's record."""
        group = state.broker.value.state.group
        if not isinstance(group, ConsumerGroup):
            return super().record(state)
        background = state.broker.value.state.background
        return _recorded(group, state.image.value, busy=bool(background.tasks or background.targets))

    def belief(self, c: int, cell: Interned, state: World) -> Belief:
        """One client's belief and its relation to the registry."""
        client = cell.value
        if not isinstance(client, ConsumerClient):
            return super().belief(c, cell, state)
        group = state.broker.value.state.group
        members = () if group is None else group.members
        member = next((m for m in members if m.member_id == client.member_id), None)
        is_member = isinstance(group, ConsumerGroup) and member is not None and client.state in cm.MEMBER
        epochs = (member.epoch, member.prev_epoch) if is_member and member is not None else (-3, -3)
        current = client.epoch == epochs[0]
        settled = (
            client.run is Process.UP
            and client.state is ConsumerState.STABLE
            and client.settled
            and _awaits_nothing(self.context.configs[c], client)
            and client.acknowledged
            and not client.full
            and client.topics == still_matching(self.context.configs[c], client.topics, state.image.value)
        )
        live = client.run in (Process.UP, Process.PAUSED)
        epoch = cm.commit_epoch(self.context.configs[c], client) if live else None
        accepted = () if epoch is None else self.accepted(state, c, client.member_id, epoch, client.owned)
        refused = tuple(tp for tp in client.owned if accepted and tp not in accepted)
        heard = client.epoch in epochs
        return Belief(
            f"c{c + 1}",
            client.member_id,
            live,
            current,
            settled,
            client.owned,
            bool(accepted),
            heard,
            refused=refused,
        )


def _recorded(group: ConsumerGroup, image: Image, *, busy: bool) -> RegisteredMember:
    """The record of a consumer group: quiet once it knows the topics and all members are at the target."""
    registry = tuple(
        Registered(
            m.member_id, m.group_instance_id, _reads(m, image), tuple(sorted((*m.assigned, *m.pending)))
        )
        for m in group.members
    )
    read = {topic for entry in registry for topic in entry.topics}
    seen = set(group.topics) == {topic for topic in image if topic.name in read}
    arrived = all(m.state == MEMBER_STABLE and m.epoch == group.target_epoch for m in group.members)
    quiet = not busy and (not group.members or (seen and group.epoch == group.target_epoch and arrived))
    caught_up = tuple(m.member_id for m in group.members if m.epoch == group.target_epoch)
    return RegisteredMember(registry, tps_of(image, read), quiet, group.target, caught_up)


def _reads(member: ConsumerMember, image: Image) -> tuple[str, ...]:
    """The existing topics that a member subscribes to, including all that its expression matches."""
    if not member.regex:
        return member.subscribed
    return tuple(sorted({*member.subscribed, *matched(member.regex, image)}))


def _awaits_nothing(config: ClientConfig, client: ConsumerClient) -> bool:
    """Whether the wire has only keep-alives and replies that change nothing."""
    sent, back = client.wire
    return all(
        isinstance(beat, ConsumerHeartbeat) and beat.topic_partitions is None for beat in sent
    ) and all(
        isinstance(body, ConsumerHeartbeatReply) and cm.on_reply(config, client, body) == client
        for _, body in back
    )
