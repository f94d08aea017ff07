"""Who owns what in a classic world: the census that the invariants read."""

from __future__ import annotations

from typing import Any

from kassay.model.explore import Cell
from kassay.model.protocols import client_classic as cc
from kassay.model.protocols import values as v
from kassay.model.protocols.balanced import tps_of
from kassay.model.protocols.broker import Broker
from kassay.model.protocols.census import Belief, Census, Registered
from kassay.model.protocols.client import Run
from kassay.model.protocols.client_classic_table import State
from kassay.model.protocols.client_classic_values import Client
from kassay.model.protocols.groups import EMPTY, STABLE, ClassicGroup
from kassay.model.protocols.values import Commit, Image
from kassay.model.protocols.world import HEARTBEAT_OFFSET, Setting, World


class Censuses:
    """The census of each state, remembered by what it reads of one."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._known: dict[Any, Census] = {}

    def public(self, state: World) -> Any:
        """What a census reads of a state."""
        broker: Broker = state.broker.value
        return (state.clients, broker.coordinator, state.image, state.adopted, bool(broker.unanswered))

    def census(self, state: World) -> Census:
        """Who owns what, in belief and on record."""
        key = self.public(state)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.take(state)
        return found

    def take(self, state: World) -> Census:
        """The census, counted anew."""
        group = state.broker.value.state.group
        image: Image = state.image.value
        members = {m.member: m for m in group.members} if group is not None else {}
        quiet = group is None or (group.state in (STABLE, EMPTY) and not group.pending_join)
        quiet = quiet and not state.broker.value.unanswered
        beliefs = [self.belief(c, cell, state) for c, cell in enumerate(state.clients)]
        quiet = quiet and all(b.settled and b.current for b in beliefs if b.live)
        live_ids = {belief.member for belief in beliefs if belief.live}
        registry = tuple(
            Registered(
                m.member,
                m.instance,
                _topics(m.protocols),
                () if m.assignment == v.ZERO_BYTES else m.assignment,
            )
            for m in members.values()
        )
        wanted = tps_of(image, (topic for entry in registry for topic in entry.topics))
        resting = quiet and live_ids == set(members)
        adopted = tuple((tp, f"c{c + 1}") for tp, c in state.adopted)
        excused = any(isinstance(cell.value, Client) and cell.value.trusting for cell in state.clients)
        return Census(tuple(beliefs), registry, wanted, resting, adopted, excused=excused)

    def belief(self, c: int, cell: Cell, state: World) -> Belief:
        """One client's belief, and how it stands to the registry."""
        client: Client = cell.value
        group = state.broker.value.state.group
        member = (
            next((m for m in group.members if m.member == client.member), None) if group is not None else None
        )
        own = -2 if member is None else group.generation if isinstance(group, ClassicGroup) else member.epoch
        current = client.generation == own
        waiting = client.rejoin or client.waits or client.inbox or client.given
        settled = (
            client.run is Run.UP
            and client.state is State.STABLE
            and not waiting
            and cc.stale_metadata(self.setting.configs[c], client, state.image.value) is None
        )
        rejoined = member is not None and (
            current or not member.instance or bool(client.inbox) or client.waits == "join"
        )
        live = client.run in (Run.UP, Run.PAUSED)
        commits = (
            live
            and client.state is State.STABLE
            and bool(client.owned)
            and client.generation >= 0
            and self._accepts(state.broker, c, client)
        )
        return Belief(
            f"c{c + 1}",
            client.member,
            live,
            current,
            settled,
            client.owned,
            commits,
            rejoined,
            client.generation >= 0,
            client.ahead,
        )

    def _accepts(self, broker: Cell, c: int, client: Client) -> bool:
        """Whether the coordinator would take a commit from this client now."""
        if broker.value.state.group is None:
            return False
        request = Commit(
            HEARTBEAT_OFFSET + c, client.member, client.generation, (), self.setting.configs[c].instance
        )
        return any(
            body.error == v.NONE
            for _, mail in self.setting.brokers.handle(broker, request, keeps_log=False)
            for _, body in mail
        )


def _topics(protocols: v.Protocols) -> tuple[str, ...]:
    for _, metadata in protocols:
        if isinstance(metadata, v.Subscription):
            return metadata.topics
    return ()
