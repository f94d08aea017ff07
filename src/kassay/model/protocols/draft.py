"""A2, profile `draft`: the coordinator as it was designed in 2014-15 and never shipped.

The coordinator assigns, keeps its data in ZooKeeper, answers JoinGroup with partitions (there is no
SyncGroup), and tells of a rebalance by IllegalGeneration. Consumers that lose their coordinator keep
consuming while they look for the next one.
Source: "Kafka Consumer" by Jason Guo (2015), redesign of the consumer: both state machines and the
five phases in which a coordinator may fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from kassay.model.explore import Action
from kassay.model.protocols.census import Belief, Census, Registered, complete
from kassay.model.protocols.faults import NO_FAULTS, Faults, spend
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Rule, Table, look_up
from kassay.model.protocols.zookeeper import SHARES


class C(StrEnum):
    """Consumer states."""

    DOWN = "Down"
    DISCOVER = "Start up & discover coordinator"
    PART = "Part of a group"
    REDISCOVER = "Rediscover coordinator"
    STOPPED = "Stopped consumption"


class CEvent(StrEnum):
    """What a consumer does or is told."""

    START = "start"
    FOUND = "coordinator found"
    JOINED = "JoinGroup ok"
    HEARTBEAT_OK = "heartbeat ok"
    ILLEGAL_GENERATION = "IllegalGeneration"
    NOT_COORDINATOR = "NotCoordinator or disconnect"
    NOT_READY = "CoordinatorStartupNotComplete"
    STOP = "close or crash"


_STOP: Final = {CEvent.STOP: Rule((C.DOWN,), "gone; the coordinator will miss its heartbeats")}
_NOT_READY: Final = {CEvent.NOT_READY: IGNORE}

CONSUMER: Final[Table] = {
    C.DOWN: dict.fromkeys(CEvent, IMPOSSIBLE) | {CEvent.START: Rule((C.DISCOVER,), "ask any broker")},
    C.DISCOVER: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | _NOT_READY
    | {
        CEvent.FOUND: Rule((C.DISCOVER,), "send JoinGroup"),
        CEvent.JOINED: Rule((C.PART,), "adopt generation and partitions, fetch"),
        CEvent.NOT_COORDINATOR: Rule((C.DISCOVER,), "ask again"),
    },
    C.PART: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | _NOT_READY
    | {
        CEvent.HEARTBEAT_OK: Rule((C.PART,), "go on"),
        CEvent.ILLEGAL_GENERATION: Rule((C.STOPPED,), "stop fetching, commit"),
        CEvent.NOT_COORDINATOR: Rule((C.REDISCOVER,), "keep consuming, ask any broker"),
    },
    C.REDISCOVER: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | {
        CEvent.FOUND: Rule((C.PART, C.STOPPED), "heartbeat with the own generation; join if stopped before"),
        CEvent.NOT_COORDINATOR: IGNORE,
    },
    C.STOPPED: dict.fromkeys(CEvent, IMPOSSIBLE)
    | _STOP
    | _NOT_READY
    | {
        CEvent.JOINED: Rule((C.PART,), "adopt the new generation and partitions, fetch"),
        CEvent.NOT_COORDINATOR: Rule((C.REDISCOVER,), "stay stopped, ask any broker"),
    },
}


class K(StrEnum):
    """Coordinator states."""

    DOWN = "Down"
    CATCH_UP = "Catch up"
    READY = "Ready"
    PREPARE = "Prepare for rebalance"
    REBALANCING = "Rebalancing"


class KEvent(StrEnum):
    """What reaches a coordinator."""

    ELECTED = "elected"
    LOADED = "loaded"
    HEARTBEAT = "heartbeat of this generation"
    BEHIND = "heartbeat of another generation"
    JOIN = "JoinGroup"
    TRIGGER = "member expired, partitions changed"
    ALL_JOINED = "all joined, or join timer"
    ALL_BACK = "all heartbeat with the new generation"
    LOST = "lost leadership"


_STARTING: Final = Rule((K.CATCH_UP,), "CoordinatorStartupNotComplete")
_LOST: Final = {KEvent.LOST: Rule((K.DOWN,), "NotCoordinator to all")}
_REBALANCE: Final = Rule((K.PREPARE,), "every heartbeat gets IllegalGeneration from now on")

COORDINATOR: Final[Table] = {
    K.DOWN: dict.fromkeys(KEvent, IMPOSSIBLE)
    | {KEvent.ELECTED: Rule((K.CATCH_UP,), "read groups from ZooKeeper")}
    | dict.fromkeys((KEvent.HEARTBEAT, KEvent.BEHIND, KEvent.JOIN), Rule((K.DOWN,), "NotCoordinator")),
    K.CATCH_UP: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | dict.fromkeys((KEvent.HEARTBEAT, KEvent.BEHIND, KEvent.JOIN), _STARTING)
    | {KEvent.LOADED: Rule((K.READY, K.PREPARE), "compare what is stored with what is there")},
    K.READY: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | {
        KEvent.HEARTBEAT: Rule((K.READY,), "ok"),
        KEvent.BEHIND: Rule((K.READY, K.PREPARE), "IllegalGeneration; rebalance if it is a member"),
        KEvent.JOIN: Rule((K.PREPARE,), "park; rebalance"),
        KEvent.TRIGGER: _REBALANCE,
    },
    K.PREPARE: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | {
        KEvent.HEARTBEAT: Rule((K.PREPARE,), "IllegalGeneration"),
        KEvent.BEHIND: Rule((K.PREPARE,), "IllegalGeneration"),
        KEvent.JOIN: Rule((K.PREPARE,), "park"),
        KEvent.TRIGGER: Rule((K.PREPARE,), "drop the member, or note the partitions"),
        KEvent.ALL_JOINED: Rule((K.REBALANCING,), "generation + 1, assign, one atomic write"),
    },
    K.REBALANCING: dict.fromkeys(KEvent, IMPOSSIBLE)
    | _LOST
    | {
        KEvent.HEARTBEAT: Rule((K.REBALANCING,), "ok"),
        KEvent.BEHIND: Rule((K.REBALANCING,), "IllegalGeneration"),
        KEvent.JOIN: Rule((K.PREPARE,), "park; rebalance again"),
        KEvent.TRIGGER: _REBALANCE,
        KEvent.ALL_BACK: Rule((K.READY,), "done"),
    },
}


class Consumer(NamedTuple):
    """One consumer. `waits`: its JoinGroup is parked. `stopped`: it stopped before it rediscovered."""

    status: C = C.DOWN
    generation: int = -1
    owned: tuple[int, ...] = ()
    waits: bool = False
    stopped: bool = False
    paused: bool = False
    finds: bool = True


class Stored(NamedTuple):
    """What ZooKeeper holds of the group; written in one piece."""

    generation: int = 0
    members: tuple[int, ...] = ()
    assignment: tuple[tuple[int, ...], ...] = ()
    partitions: int = 0


class Coordinator(NamedTuple):
    """The coordinator in charge. `parked` joins wait, `unsent` replies are to go, `back` have heartbeat.

    `half`: the assignment is written and the generation is not (switch `split_persist`).
    """

    status: K = K.READY
    generation: int = 0
    members: tuple[int, ...] = ()
    assignment: tuple[tuple[int, ...], ...] = ()
    partitions: int = 0
    parked: tuple[int, ...] = ()
    unsent: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    half: bool = False


class World(NamedTuple):
    """Consumers, coordinator, ZooKeeper, the true number of partitions, and the budget."""

    consumers: tuple[Consumer, ...]
    coordinator: Coordinator
    stored: Stored
    partitions: int
    budget: Faults


Steps = Iterator[tuple[Action, World]]


class DraftModel:
    """Consumers, one coordinator at a time, and what it stores; `split_persist` writes in two pieces."""

    def __init__(
        self,
        members: int = 2,
        partitions: int = 2,
        *,
        share: str = "ceil-range",
        faults: Faults = NO_FAULTS,
        switches: frozenset[str] = frozenset(),
    ) -> None:
        self.members = members
        self.partitions = partitions
        self.share = SHARES[share]
        self.split = "split_persist" in switches
        self.faults = faults

    def initial(self) -> Iterator[World]:
        """A coordinator that is ready and knows nobody."""
        stored = Stored(partitions=self.partitions)
        coordinator = Coordinator(partitions=self.partitions)
        yield World((Consumer(),) * self.members, coordinator, stored, self.partitions, self.faults)

    def canonical(self, state: World) -> World:
        """Generations matter only by their distance: the lowest one anybody still holds becomes 0."""
        held = [c.generation for c in state.consumers if c.generation >= 0]
        low = min([state.coordinator.generation, state.stored.generation, *held])
        if low == 0:
            return state
        consumers = tuple(
            c._replace(generation=c.generation - low) if c.generation >= 0 else c for c in state.consumers
        )
        return state._replace(
            consumers=consumers,
            coordinator=state.coordinator._replace(generation=state.coordinator.generation - low),
            stored=state.stored._replace(generation=state.stored.generation - low),
        )

    def converged(self, state: World) -> bool:
        """Ready, everybody alive settled in the current generation, every partition owned."""
        found = census(state)
        return found.resting and complete(found)

    def steps(self, state: World) -> Steps:
        """The consumers' steps, the coordinator's, then faults."""
        for c, consumer in enumerate(state.consumers):
            if not consumer.paused:
                yield from self._consumer(state, c, consumer)
        yield from self._coordinator(state)
        yield from self._faults(state)

    # Consumers

    def _consumer(self, state: World, c: int, consumer: Consumer) -> Steps:
        name = f"c{c + 1}"
        if consumer.status is C.DOWN:
            if c not in state.coordinator.members and c not in state.stored.members:
                started = Consumer(_to(consumer, CEvent.START))
                yield Action(name, "start", fault=True, disturbs=True), _put(state, c, started)
        elif consumer.waits:
            return
        elif not consumer.finds:
            yield from self._rediscover(state, c, consumer)
        elif consumer.status is C.PART:
            yield from self._heartbeat(state, c, consumer)
        else:
            yield from self._join(state, c, consumer)

    def _rediscover(self, state: World, c: int, consumer: Consumer) -> Steps:
        name = f"c{c + 1}"
        if consumer.status in (C.PART, C.STOPPED):
            stopped = consumer.status is C.STOPPED
            lost = consumer._replace(status=_to(consumer, CEvent.NOT_COORDINATOR), stopped=stopped)
            yield (
                Action(name, "notices the loss", "coordinator", reply="NotCoordinator"),
                _put(state, c, lost),
            )
        elif state.coordinator.status is not K.DOWN:
            to = C.STOPPED if consumer.stopped else _to(consumer, CEvent.FOUND)
            found = consumer._replace(status=to, stopped=False, finds=True)
            yield Action(name, "ConsumerMetadata", "coordinator", reply="found"), _put(state, c, found)

    def _heartbeat(self, state: World, c: int, consumer: Consumer) -> Steps:
        coordinator = state.coordinator
        current = c in coordinator.members and consumer.generation == coordinator.generation
        event = KEvent.HEARTBEAT if current else KEvent.BEHIND
        rule = look_up(COORDINATOR, coordinator.status, event)
        after, error = coordinator, "ok"
        if coordinator.status is K.CATCH_UP:
            error = "CoordinatorStartupNotComplete"
        elif coordinator.status is K.PREPARE or not current:
            error = "IllegalGeneration"
            if coordinator.status is K.READY and c in coordinator.members:
                after = _prepare(coordinator)
        elif coordinator.status is K.REBALANCING and c not in coordinator.back:
            after = coordinator._replace(back=tuple(sorted((*coordinator.back, c))))
            if set(after.back) >= set(after.members):
                to = look_up(COORDINATOR, after.status, KEvent.ALL_BACK).targets[0]
                after = after._replace(status=to, back=())
        assert after.status in (*rule.targets, K.READY), "a heartbeat left the table"
        told = {
            "ok": CEvent.HEARTBEAT_OK,
            "IllegalGeneration": CEvent.ILLEGAL_GENERATION,
            "CoordinatorStartupNotComplete": CEvent.NOT_READY,
        }[error]
        listener = consumer
        if look_up(CONSUMER, consumer.status, told) is not IGNORE:
            listener = consumer._replace(status=_to(consumer, told))
            if told is CEvent.ILLEGAL_GENERATION:
                listener = listener._replace(owned=(), generation=-1)
        label = Action(f"c{c + 1}", "heartbeat", "coordinator", f"generation {consumer.generation}", error)
        yield label, _put(state, c, listener)._replace(coordinator=after)

    def _join(self, state: World, c: int, consumer: Consumer) -> Steps:
        coordinator = state.coordinator
        rule = look_up(COORDINATOR, coordinator.status, KEvent.JOIN)
        label = Action(f"c{c + 1}", "JoinGroup", "coordinator")
        if coordinator.status in (K.DOWN, K.CATCH_UP):
            yield label._replace(reply=rule.action), state
            return
        new = c not in coordinator.members
        after = coordinator if coordinator.status is K.PREPARE else _prepare(coordinator)
        after = after._replace(
            members=tuple(sorted({*after.members, c})), parked=tuple(sorted({*after.parked, c}))
        )
        if new:
            after = after._replace(assignment=_owners(after.members, coordinator))
        assert after.status in rule.targets, "a JoinGroup left the table"
        waiting = consumer._replace(waits=True)
        yield (
            label._replace(reply="parked", disturbs=new),
            _put(state, c, waiting)._replace(coordinator=after),
        )

    # Coordinator

    def _coordinator(self, state: World) -> Steps:
        coordinator = state.coordinator
        if coordinator.status is K.CATCH_UP:
            yield from self._load(state)
            return
        if coordinator.status is K.PREPARE:
            yield from self._complete(state)
        for c in coordinator.unsent:
            if not state.consumers[c].paused:
                yield self._reply(state, c)
        if coordinator.status is K.DOWN:
            to = look_up(COORDINATOR, coordinator.status, KEvent.ELECTED).targets[0]
            yield Action("coordinator", "elected"), state._replace(coordinator=Coordinator(to))
            return
        if not coordinator.half and coordinator.partitions != state.partitions:
            busy = _prepare(coordinator) if coordinator.members else coordinator
            grown = busy._replace(partitions=state.partitions)
            yield (
                Action("coordinator", "notices the partitions", "zookeeper", disturbs=True),
                state._replace(coordinator=grown),
            )
        for c in coordinator.members:
            consumer = state.consumers[c]
            answered = c not in coordinator.parked and c not in coordinator.unsent
            if consumer.status is C.DOWN or (consumer.paused and answered):
                yield self._expire(state, c)

    def _expire(self, state: World, c: int) -> tuple[Action, World]:
        coordinator = state.coordinator
        look_up(COORDINATOR, coordinator.status, KEvent.TRIGGER)
        members = tuple(m for m in coordinator.members if m != c)
        after = coordinator if coordinator.status is K.PREPARE else _prepare(coordinator)
        after = after._replace(
            members=members,
            assignment=_owners(members, coordinator),
            parked=tuple(p for p in after.parked if p != c),
        )
        label = Action("coordinator", f"session of c{c + 1} expires", f"c{c + 1}", disturbs=True)
        if not members:
            # Nobody is left to wait for: the empty group is stored and the coordinator rests.
            after = Coordinator(K.READY, coordinator.generation, partitions=coordinator.partitions)
            return label, state._replace(
                coordinator=after, stored=Stored(coordinator.generation, partitions=coordinator.partitions)
            )
        return label, state._replace(coordinator=after)

    def _load(self, state: World) -> Steps:
        stored = state.stored
        coordinator = Coordinator(
            K.READY, stored.generation, stored.members, stored.assignment, stored.partitions
        )
        look_up(COORDINATOR, K.CATCH_UP, KEvent.LOADED)
        if stored.members and stored.partitions != state.partitions:
            coordinator = _prepare(coordinator)._replace(partitions=state.partitions)
        yield (
            Action("coordinator", "loads the group", "zookeeper", f"generation {stored.generation}"),
            state._replace(coordinator=coordinator),
        )

    def _complete(self, state: World) -> Steps:
        coordinator = state.coordinator
        if coordinator.half:
            yield self._write_generation(state)
            return
        missing = [c for c in coordinator.members if c not in coordinator.parked]
        late = [c for c in missing if state.consumers[c].status is C.DOWN or state.consumers[c].paused]
        if not coordinator.parked or len(missing) > len(late):
            return
        members = coordinator.parked
        assignment = tuple(
            self.share(coordinator.partitions, len(members), index) for index in range(len(members))
        )
        stored = Stored(coordinator.generation + 1, members, assignment, coordinator.partitions)
        name = "join timer fires" if missing else "all joined"
        if self.split:
            half = coordinator._replace(members=members, assignment=assignment, half=True)
            stored = stored._replace(generation=coordinator.generation)
            yield (
                Action("coordinator", f"{name}, writes the assignment", "zookeeper"),
                state._replace(coordinator=half, stored=stored),
            )
            return
        after = _rebalanced(coordinator, stored)
        yield (
            Action(
                "coordinator",
                f"{name}, writes generation and assignment",
                "zookeeper",
                f"generation {stored.generation}",
                disturbs=bool(missing),
                rounds=1,
            ),
            state._replace(coordinator=after, stored=stored),
        )

    def _write_generation(self, state: World) -> tuple[Action, World]:
        stored = state.stored._replace(generation=state.coordinator.generation + 1)
        after = _rebalanced(state.coordinator, stored)
        label = Action("coordinator", "writes the generation", "zookeeper", rounds=1)
        return label, state._replace(coordinator=after, stored=stored)

    def _reply(self, state: World, c: int) -> tuple[Action, World]:
        """Send one JoinGroup response; a consumer that is gone will not hear it."""
        coordinator, consumer = state.coordinator, state.consumers[c]
        unsent = tuple(u for u in coordinator.unsent if u != c)
        owned = coordinator.assignment[coordinator.members.index(c)] if c in coordinator.members else ()
        after = state._replace(coordinator=coordinator._replace(unsent=unsent))
        label = Action(
            "coordinator",
            "JoinGroup response",
            f"c{c + 1}",
            f"partitions {','.join(map(str, owned)) or 'none'}",
        )
        if consumer.status is C.DOWN:
            return label._replace(reply="nobody there"), after
        joined = consumer._replace(
            status=_to(consumer, CEvent.JOINED), generation=coordinator.generation, owned=owned, waits=False
        )
        return label, _put(after, c, joined)

    # Faults

    def _faults(self, state: World) -> Steps:
        for c, consumer in enumerate(state.consumers):
            name = f"c{c + 1}"
            for fault in ("crash", "leave"):
                left = spend(state.budget, fault)
                if left is not None and consumer.status is not C.DOWN:
                    down = Consumer(_to(consumer, CEvent.STOP))
                    yield Action(name, fault, fault=True), _put(state, c, down)._replace(budget=left)
            left = spend(state.budget, "pause")
            if left is not None and consumer.status is not C.DOWN and not consumer.paused:
                paused = consumer._replace(paused=True)
                yield Action(name, "pause", fault=True), _put(state, c, paused)._replace(budget=left)
            if consumer.paused:
                yield Action(name, "resume"), _put(state, c, consumer._replace(paused=False))
        left = spend(state.budget, "failover")
        if left is not None and state.coordinator.status is not K.DOWN:
            yield Action("coordinator", "fails", fault=True), self._fail(state)._replace(budget=left)
        left = spend(state.budget, "partitions")
        if left is not None:
            grown = state._replace(partitions=state.partitions + 1, budget=left)
            yield Action("zookeeper", "a partition is added", fault=True), grown

    def _fail(self, state: World) -> World:
        to = look_up(COORDINATOR, state.coordinator.status, KEvent.LOST).targets[0]
        consumers = tuple(
            c if c.status is C.DOWN else c._replace(finds=c.status is C.DISCOVER, waits=False)
            for c in state.consumers
        )
        return state._replace(consumers=consumers, coordinator=Coordinator(to))


def _to(consumer: Consumer, event: CEvent) -> C:
    return C(look_up(CONSUMER, consumer.status, event).targets[0])


def _put(state: World, c: int, consumer: Consumer) -> World:
    consumers = state.consumers
    return state._replace(consumers=(*consumers[:c], consumer, *consumers[c + 1 :]))


def _prepare(coordinator: Coordinator) -> Coordinator:
    """A rebalance begins; replies not yet sent are answered by the next round, their joins staying parked."""
    return coordinator._replace(status=K.PREPARE, parked=coordinator.unsent, unsent=(), back=())


def _rebalanced(coordinator: Coordinator, stored: Stored) -> Coordinator:
    return Coordinator(
        K.REBALANCING,
        stored.generation,
        stored.members,
        stored.assignment,
        coordinator.partitions,
        unsent=coordinator.parked,
    )


def _owners(members: tuple[int, ...], before: Coordinator) -> tuple[tuple[int, ...], ...]:
    """The old assignment on a new list of members."""
    old = dict(zip(before.members, before.assignment))
    return tuple(old.get(m, ()) for m in members)


@lru_cache(maxsize=1 << 16)
def census(state: World) -> Census:
    """Who owns what, in belief and on record."""
    coordinator = state.coordinator
    beliefs = tuple(
        Belief(
            f"c{c + 1}",
            f"c{c + 1}",
            live=consumer.status is not C.DOWN,
            current=c in coordinator.members and consumer.generation == coordinator.generation,
            settled=consumer.status is C.PART and consumer.finds and not consumer.paused,
            owned=consumer.owned,
        )
        for c, consumer in enumerate(state.consumers)
    )
    registry = tuple(
        Registered(f"c{m + 1}", "", ("topic",), owned)
        for m, owned in zip(coordinator.members, coordinator.assignment)
    )
    live = {belief.member for belief in beliefs if belief.live}
    resting = (
        coordinator.status is K.READY
        and live == {entry.member for entry in registry}
        and all(belief.settled and belief.current for belief in beliefs if belief.live)
        and coordinator.partitions == state.partitions
    )
    return Census(beliefs, registry, tuple(range(state.partitions)), resting)
