"""The world of KIP-848 consumer groups, and of groups migrating between the two protocols (A4).

Everything around the clients is that of the classic world: broker, metadata, faults, history. This module
adds the steps of clients that join by heartbeats.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kassay.model.explore.graph import Action
from kassay.model.explore.interned import Interned
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.any_balanced import balanced_targets
from kassay.model.protocols.clients.classic_state import Assign
from kassay.model.protocols.clients.config import Process, still_matching
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.brokers import Targets
from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.world.models.classic import (
    ClassicModel,
    WorldParts,
    classic_parts,
    coordinator_config,
)
from kassay.model.protocols.world.parts.background import background_steps
from kassay.model.protocols.world.parts.consumer_census import ConsumerCensuses
from kassay.model.protocols.world.parts.consumer_faults import CONSUMER, ConsumerFaults
from kassay.model.protocols.world.parts.context import ModelOptions, World, WorldContext, WorldMove, listing


def only_consumers(options: ModelOptions) -> tuple[tuple[str, ...], ...]:
    """The kinds of clients if all use KIP-848 only."""
    return ((CONSUMER,),) * options.members


def consumer_parts(
    context: WorldContext, assign: Assign | None, kinds: tuple[tuple[str, ...], ...]
) -> WorldParts:
    """The parts of a world in which clients may use KIP-848."""
    return classic_parts(context, assign)._replace(
        faults=ConsumerFaults(context, kinds), censuses=ConsumerCensuses(context)
    )


class ConsumerModel(ClassicModel):
    """Clients of KIP-848, alone or together with classic ones.

    `kinds` lists the protocols of each client, in the order of its restarts (fault `rollout`): ("classic",
    "consumer") is a client that upgrades. `policy`: disabled, upgrade, downgrade, bidirectional.
    """

    def __init__(
        self,
        options: ModelOptions,
        assign: Assign | None = None,
        *,
        targets: Targets = balanced_targets,
        kinds: tuple[tuple[str, ...], ...] = (),
        policy: str = "bidirectional",
        parts: WorldParts | None = None,
    ) -> None:
        self.kinds = kinds or only_consumers(options)
        if parts is None:
            config = coordinator_config(options)._replace(
                upgrade=policy in ("upgrade", "bidirectional"),
                downgrade=policy in ("downgrade", "bidirectional"),
            )
            parts = consumer_parts(WorldContext(options, config, targets), assign, self.kinds)
        super().__init__(options, parts=parts)

    def initial(self) -> Iterator[World]:
        """No client has started; the coordinator knows the topics."""
        for world in super().initial():
            number = int(bool(self.options.regex))
            yield world._replace(broker=self.context.brokers.first(world.image.value, number))

    def _steps(self, state: World) -> Iterator[tuple[Action, World]]:
        """The steps of a world of classic clients, plus the background steps of its coordinator."""
        steps = super()._steps(state)
        if self.options.regex or self.options.late_targets or self.options.offload:
            return chain(steps, background_steps(self.context, state))
        return steps

    def _client_moves(
        self, c: int, cell: Interned, broker: Interned, image: Interned, faults: Faults
    ) -> Iterator[WorldMove]:
        client = cell.value
        if not isinstance(client, ConsumerClient):
            yield from super()._client_moves(c, cell, broker, image, faults)
            return
        yield from self.calls.under_way(c, client, broker, faults)
        if client.run is not Process.UP:
            return
        config, name = self.context.configs[c], f"c{c + 1}"
        if (after := cm.lost(client)) is not None:
            yield self.context.move(
                Action(name, "loses what it owned", detail=listing(client.owned)), client, after, broker
            )
        if (after := cm.reconcile(client)) is not None:
            word = "owns" if client.setting_out else "revokes down to"
            yield self.context.move(
                Action(name, "reconciles", detail=f"{word} {listing(after.owned)}"), client, after, broker
            )
        if "unresolved_means_revoked" in config.switches and (blind := cm.unresolved(client)) is not None:
            yield self.context.move(Action(name, "reconciles without metadata"), client, blind, broker)
        topics = still_matching(config, client.topics, image.value)
        if topics != client.topics and client.state in cm.MEMBER:
            changed = client._replace(topics=topics, full=True)
            yield self.context.move(Action(name, "notices metadata", disturbs=True), client, changed, broker)
        yield from self.calls.heartbeat(c, client, broker, faults)
