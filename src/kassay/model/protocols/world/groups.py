"""The worlds of classic groups, of KIP-848 consumer groups, and of groups that migrate between the two (A4).

The classic protocol's world: clients, coordinator, metadata, network, faults, and some history. The
coordinator's timers, faults, census and canonical form are modules of their own, around a shared
context. Next to the steps of classic clients stand those of clients that heartbeat their way into a
group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

from kassay.model.explore.states import Interned, Memo
from kassay.model.explore.values import Action
from kassay.model.protocols.census import Census, Owned, complete
from kassay.model.protocols.clients import classic as cc
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.any_balanced import AnyBalanced, balanced_targets
from kassay.model.protocols.clients.classic_state import Assign, ClassicClient
from kassay.model.protocols.clients.config import EAGER, Process, still_matching
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.brokers import Targets
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import Target, TargetAsk
from kassay.model.protocols.values.marks import facts_of_cell
from kassay.model.protocols.values.requests import Image, JoinGroup, SyncGroup, SyncGroupReply
from kassay.model.protocols.world.canonical import Canonical
from kassay.model.protocols.world.census import Censuses, ConsumerCensuses
from kassay.model.protocols.world.context import (
    BROKER,
    CONNECTION,
    NO_CELL,
    ModelOptions,
    NetworkLevel,
    World,
    WorldContext,
    WorldMove,
    first_image,
    listing,
)
from kassay.model.protocols.world.faults import CONSUMER, ConsumerFaults, FaultSteps
from kassay.model.protocols.world.networks import Datagrams, Direct, Slots
from kassay.model.protocols.world.offsets import Ledger
from kassay.model.protocols.world.timers import Timers, background_steps

_NOBODY: Final = frozenset[str]()
NETWORKS: Final = {NetworkLevel.ATOMIC: Direct, NetworkLevel.STEPS: Slots, NetworkLevel.ASTRAY: Datagrams}


class WorldParts(NamedTuple):
    """The parts of a world. Without `faults` no fault happens, and no client starts."""

    context: WorldContext
    assign: Assign
    calls: Direct
    timers: Timers
    faults: FaultSteps | None
    censuses: Censuses


def coordinator_config(options: ModelOptions) -> requests.Config:
    """A coordinator without an initial rebalance delay that resolves expressions as often as possible."""
    return requests.Config(
        initial_rebalance_delay=0,
        assignment_interval=int(options.late_targets),
        regex_min_interval=-1,
        offload=options.offload,
        switches=options.switches,
        writes_fail=options.faults.write > 0,
    )


def no_targets(_: TargetAsk) -> tuple[Target, ...]:
    """The targets of a coordinator that assigns nothing itself."""
    return ()


def classic_parts(context: WorldContext, assign: Assign | None = None) -> WorldParts:
    """The parts of a world of classic clients; the default assignor is any-balanced."""
    options = context.options
    mode = dict(options.modes).get(options.assignors[0][0], (EAGER,))[-1]
    assign = assign or AnyBalanced(mode, sticky=options.remembers, switches=options.switches)
    calls = NETWORKS[options.network](context, assign)
    return WorldParts(context, assign, calls, Timers(context), FaultSteps(context), Censuses(context))


class ClassicModel:
    """The classic protocol at small sizes, with any assignor. `steps` is cached by parts.

    Local steps depend on one client, the broker and the image; they are computed once for each such triple.
    Each state then only combines the parts.
    """

    def __init__(
        self, options: ModelOptions, assign: Assign | None = None, *, parts: WorldParts | None = None
    ) -> None:
        parts = parts or classic_parts(WorldContext(options, coordinator_config(options), no_targets), assign)
        self.options = options
        self.context, self.assign, self.calls, self.timers, self.faults, self.censuses = parts
        self.canonical: Callable[[World], World] = Canonical(self.context.interner)
        """Generations counted from the lowest one in use, member ids numbered from 1 per client."""
        self._moves: Memo[tuple[Hashable, ...], tuple[WorldMove, ...]] = Memo()

    @cached_property
    def ledger(self) -> Ledger:
        """The offsets, if records are processed."""
        return Ledger(self.context)

    # The explorer's model.

    def initial(self) -> Iterator[World]:
        """No client has started; the topics exist."""
        o, cell = self.options, self.context.cell
        yield World(
            (cell(ClassicClient()),) * o.members,
            self.context.brokers.first(()),
            cell(first_image(o)),
            cell(o.faults),
            offsets=self.ledger.first() if o.records else NO_CELL,
        )

    def steps(self, state: World) -> Iterator[tuple[Action, World]]:
        """Clients' steps, the coordinator's timers, and faults; also processing, if records are counted."""
        return self._steps(state) if state.offsets is NO_CELL else self._counted_steps(state)

    def _counted_steps(self, state: World) -> Iterator[tuple[Action, World]]:
        for action, after in self._steps(state):
            yield action, self.ledger.followed(state, after)
        yield from self.ledger.steps(state)

    def _steps(self, state: World) -> Iterator[tuple[Action, World]]:
        clients, broker, image, budget = state[:4]
        faults: Faults = budget.value
        lossy, logged, failing = faults.loss > 0, faults.failover > 0, faults.write > 0
        astray = faults.duplicate > 0, faults.reorder > 0
        for c, client in enumerate(clients):
            strangers = self._strangers(state, c) if client.value.wire.sent else _NOBODY
            key = (c, client, broker, image, lossy, logged, failing, astray, strangers)
            moves = self._moves.get(key)
            if moves is None:
                self.context.at_work = c
                self.context.taken = strangers | facts_of_cell(client).names
                moves = self._moves[key] = tuple(self._client_moves(c, client, broker, image, faults))
            for move in moves:
                yield move.action, self.apply(state, c, move)
        yield from self.timers.steps(state)
        if self.faults is None:
            return
        if any(faults):
            yield from self.faults.steps(state, faults)
        yield from self.faults.starts(state)

    def _strangers(self, state: World, c: int) -> frozenset[str]:
        """Ids of a client that only others still mention: real ids are never reused."""
        if not any(
            isinstance(request, JoinGroup) and not request.member_id
            for request in state.clients[c].value.wire.sent
        ):
            return _NOBODY
        others = (cell for i, cell in enumerate(state.clients) if i != c)
        return frozenset(
            name for cell in others for name in facts_of_cell(cell).names if name.startswith(f"c{c + 1}-")
        )

    def apply(self, state: World, c: int, move: WorldMove) -> World:
        """The world after a local step of client `c`."""
        clients = state.clients
        if move.client is not clients[c]:
            clients = (*clients[:c], move.client, *clients[c + 1 :])
        adopted = state.adopted
        if adopted or move.adopts:
            adopted = self._adoptions(adopted, clients, c, move.adopts)
        budget = state.budget
        for fault in move.costs:
            budget = self.context.spent(budget, fault)
        if move.mail:
            clients = self.context.post(clients, move.mail)
        offsets = state.offsets
        if offsets is not NO_CELL:
            for commit in move.accepts:
                offsets = self.ledger.accepted(offsets, c, commit)
        return World(clients, move.broker, state.image, budget, adopted, offsets)

    def _adoptions(
        self,
        adopted: tuple[tuple[Any, int], ...],
        clients: tuple[Interned, ...],
        c: int,
        adopts: Owned,
    ) -> tuple[tuple[Any, int], ...]:
        """The client that adopted each partition last, kept only while another client believes it owns it."""
        heirs = dict(adopted) | dict.fromkeys(adopts, c)
        return tuple(
            sorted(
                (tp, last)
                for tp, last in heirs.items()
                if any(tp in cell.value.owned for i, cell in enumerate(clients) if i != last)
            )
        )

    def _client_moves(
        self, c: int, cell: Interned, broker: Interned, image: Interned, faults: Faults
    ) -> Iterator[WorldMove]:
        client: ClassicClient = cell.value
        yield from self.calls.under_way(c, client, broker, faults)
        config = self.context.configs[c]
        if client.run is Process.STALLED:
            yield from self.calls.heartbeat(c, client, broker, faults)
            return
        if client.run is not Process.UP:
            return
        if client.inbox and self.calls.main_reply_is_next(client):
            yield from self._receive(c, cell, broker, image, faults)
        if client.given:
            done = cc.callback(config, client)
            yield self.context.move(
                Action(f"c{c + 1}", "callback", detail=listing(done.owned)), client, done, broker
            )
        if cc.must_join(client) and not self._hangs(client, image.value):
            yield from self._poll(c, cell, broker, image, faults)
        yield from self.calls.heartbeat(c, client, broker, faults)
        noticed = cc.stale_metadata(config, client, image.value)
        if noticed is not None:
            yield self.context.move(
                Action(f"c{c + 1}", "notices metadata", disturbs=True), client, noticed, broker
            )

    def _hangs(self, client: ClassicClient, image: Image) -> bool:
        """KAFKA-14024: the commit before the join meets a deleted topic and is retried for ever."""
        if "commit_forever_in_prepare" not in self.context.options.switches or not client.callbacks:
            return False
        exist = {topic.name for topic in image}
        return client.generation >= 0 and any(tp.topic not in exist for tp in client.owned)

    def _poll(
        self, c: int, cell: Interned, broker: Interned, image: Interned, faults: Faults
    ) -> Iterator[WorldMove]:
        client: ClassicClient = cell.value
        turn = cc.poll(self.context.configs[c], c + CONNECTION * client.connection, client, image.value)
        joining, request = turn
        assert isinstance(request, JoinGroup), "a poll sends JoinGroup"
        gone = tuple(tp for tp in client.owned if tp not in joining.owned)
        word = "lost" if client.generation < 0 else "revoked"
        detail = f"member {client.member_id or 'new'}, generation {client.generation}"
        if gone:
            detail += f"; {word} {listing(gone)}"
        if joining.owned:
            detail += f"; owned {listing(joining.owned)}"
        action = Action(f"c{c + 1}", "JoinGroup", BROKER, detail)
        yield from self.calls.call(action, client, turn, c, broker, faults)

    def _receive(
        self, c: int, cell: Interned, broker: Interned, image: Interned, faults: Faults
    ) -> Iterator[WorldMove]:
        client: ClassicClient = cell.value
        config, name = self.context.configs[c], f"c{c + 1}"
        (body,) = client.inbox
        heard = client._replace(inbox=())
        if isinstance(body, SyncGroupReply):
            after = cc.on_sync(config, heard, body)
            error = "" if body.error == errors.NONE else body.error
            detail = error or f"owns {listing(after.owned)}"
            action = Action(name, "takes SyncGroup reply", detail=detail)
            yield self.context.move(action, client, after, broker)
            return
        for turn in cc.on_join(
            config, c + CONNECTION * client.connection, heard, body, image.value, self.assign
        ):
            action = Action(
                name, "takes JoinGroup reply", detail=body.error if body.error != errors.NONE else ""
            )
            request = turn[1]
            if isinstance(request, SyncGroup):
                detail = f"generation {request.generation_id}"
                if request.assignments:
                    detail += "; " + "; ".join(f"{m}: {listing(tps)}" for m, tps in request.assignments)
                action = Action(name, "SyncGroup", BROKER, detail)
            yield from self.calls.call(action, client, turn, c, broker, faults)

    def converged(self, state: World) -> bool:
        """Stable, live clients settled in the current generation, and every partition owned as recorded."""
        census = self.census(state)
        return census.resting and (complete(census) or census.excused)

    def public(self, state: World) -> Any:
        """The part of a state that a census reads."""
        return self.censuses.public(state)

    def census(self, state: World) -> Census:
        """Ownership, by belief and by record."""
        return self.censuses.census(state)


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
