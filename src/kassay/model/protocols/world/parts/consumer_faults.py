"""Faults and changes in a world of KIP-848 clients, alone or together with classic ones."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.explore.graph import Action
from kassay.model.explore.interned import Interned
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.config import Process, matching
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.requests import ConsumerHeartbeat, Image, MetadataChanged
from kassay.model.protocols.world.parts.context import HEARTBEAT_OFFSET, Client, World, WorldContext
from kassay.model.protocols.world.parts.faults import FaultSteps

CONSUMER = "consumer"
CLASSIC = "classic"


class ConsumerFaults(FaultSteps):
    """As in the classic world; `kinds` has the protocol of a client after each restart."""

    def __init__(self, context: WorldContext, kinds: tuple[tuple[str, ...], ...]) -> None:
        super().__init__(context)
        self.kinds = kinds

    def kind(self, c: int, rollout_step: int) -> str:
        """The protocol that a client uses after so many restarts."""
        return self.kinds[c][min(rollout_step, len(self.kinds[c]) - 1)]

    def rollout_steps(self, c: int) -> int:
        """The number of versions of a client."""
        return len(self.kinds[c])

    def fresh_process(self, c: int, rollout_step: int, image: Image, connection: int) -> Client:
        """A process that has just started."""
        if self.kind(c, rollout_step) == CLASSIC:
            return super().fresh_process(c, rollout_step, image, connection)
        config = self.context.configs[c]
        fresh = cm.started(matching(config, image), f"{config.client_id}m-1", rollout_step, config.regex)
        return fresh._replace(connection=connection)

    def settled_image(self, broker: Interned, image: Image) -> Interned:
        """The broker after it has seen the metadata."""
        number = broker.value.state.background.image
        event = MetadataChanged(image, number and number + 1)
        ((after, _),) = self.context.brokers.handle(broker, event)
        return after

    def client_faults(
        self, state: World, c: int, cell: Interned, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        """The possible faults of one client."""
        client = cell.value
        if not isinstance(client, ConsumerClient):
            yield from super().client_faults(state, c, cell, faults)
            return
        yield from self.process_faults(state, c, client, faults)
        if client.run is not Process.UP or client.state not in cm.MEMBER:
            return
        if faults.leave:
            yield from self.departs(state, c, "leave", "closes", cm.closed(client))
        if faults.slow:
            yield from self.departs(state, c, "slow", "polls too late, leaves", cm.poll_expired(client))
        if faults.rollout and client.rollout_step + 1 < len(self.kinds[c]):
            newer = cm.closed(client)._replace(run=Process.NEW, rollout_step=client.rollout_step + 1)
            yield from self.departs(state, c, "rollout", "closes for its next version", newer)
        if faults.assignor:
            now = client.preference or self.context.configs[c].remote_assignor
            for name in self.context.brokers.config.assignors:
                if name != now:
                    other = client._replace(preference=name, announces=True)
                    yield self.befalls(state, c, "assignor", f"prefers {name}", other)
        if faults.subscribe and client.regex:
            named = client._replace(topics=self.context.options.topics[:1], regex="", full=True)
            yield self.befalls(state, c, "subscribe", "subscribes by name", named)
        if faults.subscribe and self.names_its_topics(client):
            fewer = client._replace(topics=client.topics[:1], full=True)
            yield self.befalls(state, c, "subscribe", "subscribes to less", fewer)

    def leave(self, action: Action, after: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:
        """The heartbeat with which a member leaves, applied to the world without the member."""
        if not isinstance(client, ConsumerClient):
            yield from super().leave(action, after, c, client)
            return
        config = self.context.configs[c]
        epoch = config.leave_epoch
        request = ConsumerHeartbeat(HEARTBEAT_OFFSET + c, client.member_id, epoch, config.group_instance_id)
        yield from self.last_words(action._replace(detail=f"epoch {epoch}"), after, request)
