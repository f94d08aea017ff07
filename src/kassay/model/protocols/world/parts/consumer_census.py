"""Ownership in a world of KIP-848 clients, alone or together with classic ones."""

from __future__ import annotations

from kassay.model.explore.interned import Interned
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.any_balanced import tps_of
from kassay.model.protocols.clients.config import ClientConfig, Process, still_matching
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.clients.consumer_table import ConsumerState
from kassay.model.protocols.coordinator.consumer.regexes import matched
from kassay.model.protocols.shared.census import Belief, Registered
from kassay.model.protocols.values.groups import MEMBER_STABLE, ConsumerGroup, ConsumerMember
from kassay.model.protocols.values.requests import ConsumerHeartbeat, ConsumerHeartbeatReply, Image
from kassay.model.protocols.world.parts.census import Censuses, RegisteredMember
from kassay.model.protocols.world.parts.context import World


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
