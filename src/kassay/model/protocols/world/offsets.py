"""Offsets in an explored world: processed records, committed offsets, and takeovers.

Records are counted from 0 and are identical. A client starts at the committed offset, processes one record at
a time, and may send OffsetCommit at any time. That is the protocol's part. Invariants are checked when the
coordinator accepts a commit, against a history that the protocol does not see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.explore.states import Interned
from kassay.model.explore.values import Action, Severity
from kassay.model.protocols.census import Breach, Owned
from kassay.model.protocols.clients import classic as cc
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import ClientConfig, Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.values.groups import ClassicGroup, Role
from kassay.model.protocols.values.in_flight import COMMIT, HEARTBEAT_OFFSET, number_of
from kassay.model.protocols.values.requests import OffsetCommit, Partitions
from kassay.model.protocols.world.context import BROKER, Client, NetworkLevel, World, WorldContext, put

Counts: TypeAlias = tuple[tuple[TopicPartition, int], ...]

_CLIENT: Final = re.compile(r"\bc(\d)\b")


class Position(NamedTuple):
    """A client's position in a partition that it owns, and the offset that it last sent or fetched."""

    tp: TopicPartition
    processed: int
    reported: int


class Offsets(NamedTuple):
    """Committed offsets, each client's positions, the last adopter of each partition, and breaches.

    `breach` is the latest violation by a commit.
    """

    committed: Counts = ()
    positions: tuple[tuple[Position, ...], ...] = ()
    tenants: Counts = ()
    breach: Breach | None = None


def with_clients_at(offsets: Offsets, places: tuple[int, ...]) -> Offsets:
    """The same with every client at its new position, also in the texts of breaches.

    >>> with_clients_at(Offsets(tenants=((TopicPartition("t", 0), 0),)), (1, 0)).tenants
    ((TopicPartition(topic='t', partition=0), 1),)
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    broken = offsets.breach
    if broken is not None:
        message = _CLIENT.sub(lambda match: f"c{places[int(match[1]) - 1] + 1}", broken.message)
        broken = broken._replace(message=message)
    return offsets._replace(
        positions=tuple(offsets.positions[c] for c in order) if offsets.positions else (),
        tenants=tuple((tp, places[c]) for tp, c in offsets.tenants),
        breach=broken,
    )


class Ledger:
    """The steps of processing and committing, and the history of all other steps."""

    def __init__(self, context: WorldContext) -> None:
        self.context = context
        self.records = context.options.records

    def first(self) -> Interned:
        """No record is processed, no offset committed."""
        return self.context.cell(Offsets(positions=((),) * self.context.options.members))

    def steps(self, state: World) -> Iterator[tuple[Action, World]]:
        """A running client processes a record, or commits what it has processed since."""
        offsets: Offsets = state.offsets.value
        if offsets.breach:
            return
        for c, cell in enumerate(state.clients):
            client = cell.value
            if client.run is not Process.UP:
                continue
            positions = offsets.positions[c]
            for place, position in enumerate(positions):
                if position.processed < self.records:
                    more = position._replace(processed=position.processed + 1)
                    after = self._with(offsets, c, (*positions[:place], more, *positions[place + 1 :]))
                    action = Action(f"c{c + 1}", "processes", detail=f"{position.tp} up to {more.processed}")
                    yield action, state._replace(offsets=after)
            yield from self._commits(state, offsets, c, client)

    def _commits(
        self, state: World, offsets: Offsets, c: int, client: Client
    ) -> Iterator[tuple[Action, World]]:
        news = tuple((p.tp, p.processed) for p in offsets.positions[c] if p.processed != p.reported)
        if not news or client.wire.busy(COMMIT, client.connection):
            return
        number = 2 * HEARTBEAT_OFFSET + number_of(c, client.connection)
        config = self.context.configs[c]
        request = self.commit(config, number, client, news)
        if request is None:
            return
        positions = tuple(p._replace(reported=p.processed) for p in offsets.positions[c])
        sent = self.context.cell(client._replace(wire=client.wire.sending(request)))
        detail = f"generation {request.generation_id}; {_counted(news)}"
        yield (
            Action(f"c{c + 1}", "sends OffsetCommit", BROKER, detail),
            put(state, c, sent)._replace(offsets=self._with(offsets, c, positions)),
        )

    def commit(self, config: ClientConfig, number: int, client: Client, news: Counts) -> OffsetCommit | None:
        """The client's current OffsetCommit; None if it sends none."""
        if isinstance(client, ClassicClient):
            return cc.commit(config, number, client, news)
        assert isinstance(client, ConsumerClient), "stream threads have a ledger of their own"
        return cm.commit(config, number, client, news)

    def reads(self, owned: Owned) -> Partitions:
        """The partitions that a client with these owned partitions or tasks reads."""
        return owned

    def _with(self, offsets: Offsets, c: int, positions: tuple[Position, ...]) -> Interned:
        return self.context.cell(
            offsets._replace(positions=(*offsets.positions[:c], positions, *offsets.positions[c + 1 :]))
        )

    def accepted(self, cell: Interned, c: int, commit: OffsetCommit) -> Interned:
        """The history after the coordinator accepted a commit, which is checked at this point."""
        offsets: Offsets = cell.value
        committed, tenants = dict(offsets.committed), dict(offsets.tenants)
        breach = offsets.breach
        astray = self.context.options.network is NetworkLevel.ASTRAY
        for tp, offset in commit.offsets:
            tenant, before = tenants.get(tp, c), committed.get(tp, 0)
            if tenant != c:
                breach = Breach(
                    "commits-fenced",
                    f"a commit of c{c + 1} for {tp} is accepted, though c{tenant + 1} took over",
                )
            if offset < before:
                # OffsetCommit never guaranteed an order of one client's requests over two connections.
                severity = Severity.BY_DESIGN if tenant == c and astray else Severity.REAL
                message = f"{tp}: {before} was committed, then c{c + 1} commits {offset}"
                breach = Breach("offsets-never-go-back", message, severity)
            committed[tp] = offset
        return self.context.cell(offsets._replace(committed=tuple(sorted(committed.items())), breach=breach))

    def followed(self, before: World, after: World) -> World:
        """The world after a step, with positions for exactly what each client owns now.

        A client processes a newly owned partition from the committed offset on. It has taken the partition
        over if the registry records it as owner too; a zombie that adopts an outdated assignment has not.
        """
        if before.clients is after.clients:
            return after
        offsets: Offsets = after.offsets.value
        committed, tenants = dict(offsets.committed), dict(offsets.tenants)
        rows = list(offsets.positions)
        for c, (old, new) in enumerate(zip(before.clients, after.clients)):
            if old is not new and old.value.owned != new.value.owned:
                known = {position.tp: position for position in rows[c]}
                rows[c] = tuple(
                    known.get(tp) or Position(tp, committed.get(tp, 0), committed.get(tp, 0))
                    for tp in self.reads(new.value.owned)
                )
                given = self._given(after.broker, new.value)
                tenants.update(
                    (tp, c) for tp in self.reads(new.value.owned) if tp not in known and tp in given
                )
        return after._replace(
            offsets=self.context.cell(
                offsets._replace(positions=tuple(rows), tenants=tuple(sorted(tenants.items())))
            )
        )

    def _given(self, broker: Interned, client: Client) -> Partitions:
        """A client's recorded partitions, even if a new coordinator has not read the record yet."""
        loading = broker.value.state.role is Role.LOADING
        group = (self.context.brokers.load(broker)[0] if loading else broker).value.state.group
        member = next((m for m in group.members if m.member_id == client.member_id), None) if group else None
        if member is None:
            return ()
        if isinstance(group, ClassicGroup):
            current = isinstance(client, ClassicClient) and client.generation == group.generation
            return member.assignment if current else ()
        return self.held(member)

    def held(self, member: Any) -> Partitions:
        """A member's recorded partitions, including those it must revoke."""
        return (*member.assigned, *member.pending)


def _counted(counts: Counts) -> str:
    return ", ".join(f"{tp} at {offset}" for tp, offset in counts)


def breach(state: World) -> Breach | None:
    """The violation by an accepted commit, if any."""
    offsets: Offsets = state.offsets.value
    return offsets.breach
