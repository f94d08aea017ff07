"""The world of `kassay explore draft`: the coordinator proposed in 2014-15 and never released.

The coordinator assigns, stores its data in ZooKeeper, answers JoinGroup with partitions (there is no
SyncGroup), and announces a rebalance by IllegalGeneration. Consumers that lose their coordinator keep
consuming while they search for the next one. Here are the steps of the consumer in each state, held to
the table `CONSUMER`, and the world in which consumers, coordinator, ZooKeeper and faults meet. Source:
"Kafka Consumer" by Jason Guo (2015), redesign of the consumer: both state machines and the five phases
in which a coordinator may fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from kassay.model.explore.values import Action
from kassay.model.protocols.before_0_9 import proposal_coordinator as dc
from kassay.model.protocols.before_0_9.proposal_coordinator import (
    CONSUMER,
    Phase,
    ProposalConsumer,
    ProposalCoordinator,
    ProposalEvent,
    ProposalState,
    ProposalWorld,
    Steps,
    StoredProposal,
    hear_heartbeat,
    hear_join,
    put,
)
from kassay.model.protocols.before_0_9.zookeeper import SHARES
from kassay.model.protocols.census import Belief, Census, Registered, complete
from kassay.model.protocols.faults import NO_FAULTS, Faults, spend
from kassay.model.protocols.table import IGNORE, check_move, look_up

_WORDS: Final = {ProposalEvent.HEARTBEAT_OK: "ok", ProposalEvent.NOT_COORDINATOR: "NotCoordinator"}
"""The names of replies in traces, if they differ from the consumer's event."""


def moved(consumer: ProposalConsumer, event: ProposalEvent, **changes: object) -> ProposalConsumer:
    """The consumer after an event, in the first state that the table lists unless `changes` name another.

    An ignored event changes nothing. Raises `IllegalTransition` if the table does not allow it.
    """
    rule = look_up(CONSUMER, consumer.status, event)
    if rule is IGNORE:
        return consumer
    after = consumer._replace(**{"status": rule.targets[0]} | changes)
    check_move(CONSUMER, consumer.status, event, after.status)
    return after


def consumer_steps(state: ProposalWorld, c: int) -> Steps:
    """The steps of one consumer: its own actions and its requests to the coordinator."""
    consumer, name = state.consumers[c], f"c{c + 1}"
    if consumer.paused or consumer.waits:
        return
    if consumer.status is ProposalState.DOWN:
        if c not in state.coordinator.members and c not in state.stored.members:
            action = Action(name, "start", fault=True, disturbs=True)
            yield action, put(state, c, moved(ProposalConsumer(), ProposalEvent.START))
    elif not consumer.finds:
        yield from _rediscover(state, c, consumer)
    elif consumer.status is ProposalState.PART:
        yield _heartbeat(state, c, consumer)
    elif consumer.status is ProposalState.DISCOVER:
        yield _join(state, c, moved(consumer, ProposalEvent.FOUND))
    else:
        yield _join(state, c, consumer)


def _rediscover(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> Steps:
    name = f"c{c + 1}"
    if consumer.status in (ProposalState.PART, ProposalState.STOPPED):
        lost = moved(
            consumer, ProposalEvent.NOT_COORDINATOR, stopped=consumer.status is ProposalState.STOPPED
        )
        yield Action(name, "notices the loss", "coordinator", reply="NotCoordinator"), put(state, c, lost)
    elif state.coordinator.status is not Phase.DOWN:
        to = ProposalState.STOPPED if consumer.stopped else ProposalState.PART
        connected = moved(consumer, ProposalEvent.FOUND, status=to, stopped=False, finds=True)
        yield Action(name, "ConsumerMetadata", "coordinator", reply="found"), put(state, c, connected)


def _heartbeat(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> tuple[Action, ProposalWorld]:
    coordinator, event = hear_heartbeat(state.coordinator, c, consumer.generation)
    lost = {"owned": (), "generation": -1} if event is ProposalEvent.ILLEGAL_GENERATION else {}
    detail = f"generation {consumer.generation}"
    action = Action(f"c{c + 1}", "heartbeat", "coordinator", detail, _WORDS.get(event, event.value))
    return action, put(state, c, moved(consumer, event, **lost))._replace(coordinator=coordinator)


def _join(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> tuple[Action, ProposalWorld]:
    coordinator, refused = hear_join(state.coordinator, c)
    action = Action(f"c{c + 1}", "JoinGroup", "coordinator")
    if refused is not None:
        return action._replace(reply=_WORDS.get(refused, refused.value)), put(
            state, c, moved(consumer, refused)
        )
    new = c not in state.coordinator.members
    waiting = put(state, c, consumer._replace(waits=True))
    return action._replace(reply="parked", disturbs=new), waiting._replace(coordinator=coordinator)


class ProposalModel:
    """Consumers, one coordinator at a time, and its stored data; `split_persist` writes in two pieces."""

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

    def initial(self) -> Iterator[ProposalWorld]:
        """A ready coordinator without members."""
        stored = StoredProposal(partitions=self.partitions)
        coordinator = ProposalCoordinator(partitions=self.partitions)
        yield ProposalWorld(
            (ProposalConsumer(),) * self.members, coordinator, stored, self.partitions, self.faults
        )

    def canonical(self, state: ProposalWorld) -> ProposalWorld:
        """Only differences of generations matter: the lowest one that anything holds becomes 0."""
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

    def converged(self, state: ProposalWorld) -> bool:
        """Whether it is ready, live consumers are settled in its generation, and partitions are all owned."""
        snapshot = census(state)
        return snapshot.resting and complete(snapshot)

    def steps(self, state: ProposalWorld) -> Steps:
        """The consumers' steps, the coordinator's, then faults."""
        for c in range(len(state.consumers)):
            yield from consumer_steps(state, c)
        yield from self._coordinator(state)
        yield from self._faults(state)

    def _coordinator(self, state: ProposalWorld) -> Steps:
        coordinator = state.coordinator
        if coordinator.status is Phase.CATCH_UP:
            label = Action(
                "coordinator", "loads the group", "zookeeper", f"generation {state.stored.generation}"
            )
            loaded = dc.load(coordinator, state.stored, state.partitions)
            yield label, state._replace(coordinator=loaded)
            return
        if coordinator.status is Phase.PREPARE:
            yield from self._complete(state)
        for c in coordinator.unsent:
            if not state.consumers[c].paused:
                yield self._reply(state, c)
        if coordinator.status is Phase.DOWN:
            yield Action("coordinator", "elected"), state._replace(coordinator=dc.elected(coordinator))
            return
        if not coordinator.half and coordinator.partitions != state.partitions:
            grown = dc.grow(coordinator, state.partitions)
            label = Action("coordinator", "notices the partitions", "zookeeper", disturbs=True)
            yield label, state._replace(coordinator=grown)
        for c in coordinator.members:
            consumer = state.consumers[c]
            answered = c not in coordinator.parked and c not in coordinator.unsent
            if consumer.status is ProposalState.DOWN or (consumer.paused and answered):
                yield self._expire(state, c)

    def _expire(self, state: ProposalWorld, c: int) -> tuple[Action, ProposalWorld]:
        after = dc.expire(state.coordinator, c)
        label = Action("coordinator", f"session of c{c + 1} expires", f"c{c + 1}", disturbs=True)
        stored = state.stored
        if not after.members:
            stored = StoredProposal(after.generation, partitions=after.partitions)
        return label, state._replace(coordinator=after, stored=stored)

    def _complete(self, state: ProposalWorld) -> Steps:
        """The end of the join phase: all have joined, or the timer of the missing members fires."""
        coordinator = state.coordinator
        if coordinator.half:
            stored = state.stored._replace(generation=coordinator.generation + 1)
            label = Action("coordinator", "writes the generation", "zookeeper", rounds=1)
            yield label, state._replace(coordinator=dc.rebalanced(coordinator, stored), stored=stored)
            return
        missing = [c for c in coordinator.members if c not in coordinator.parked]
        late = [
            c for c in missing if state.consumers[c].status is ProposalState.DOWN or state.consumers[c].paused
        ]
        if not coordinator.parked or len(missing) > len(late):
            return
        stored = dc.assign(coordinator, self.share)
        name = "join timer fires" if missing else "all joined"
        if self.split:
            half = coordinator._replace(members=stored.members, assignment=stored.assignment, half=True)
            stored = stored._replace(generation=coordinator.generation)
            label = Action("coordinator", f"{name}, writes the assignment", "zookeeper")
            yield label, state._replace(coordinator=half, stored=stored)
            return
        label = Action(
            "coordinator",
            f"{name}, writes generation and assignment",
            "zookeeper",
            f"generation {stored.generation}",
            disturbs=bool(missing),
            rounds=1,
        )
        yield label, state._replace(coordinator=dc.rebalanced(coordinator, stored), stored=stored)

    def _reply(self, state: ProposalWorld, c: int) -> tuple[Action, ProposalWorld]:
        """Send one JoinGroup response; a consumer that left does not receive it."""
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
        if consumer.status is ProposalState.DOWN:
            return label._replace(reply="consumer down"), after
        joined = moved(
            consumer, ProposalEvent.JOINED, generation=coordinator.generation, owned=owned, waits=False
        )
        return label, put(after, c, joined)

    def _faults(self, state: ProposalWorld) -> Steps:
        for c, consumer in enumerate(state.consumers):
            name = f"c{c + 1}"
            for fault in ("crash", "leave"):
                left = spend(state.budget, fault)
                if left is not None and consumer.status is not ProposalState.DOWN:
                    down = ProposalConsumer(moved(consumer, ProposalEvent.STOP).status)
                    yield Action(name, fault, fault=True), put(state, c, down)._replace(budget=left)
            left = spend(state.budget, "pause")
            if left is not None and consumer.status is not ProposalState.DOWN and not consumer.paused:
                paused = consumer._replace(paused=True)
                yield Action(name, "pause", fault=True), put(state, c, paused)._replace(budget=left)
            if consumer.paused:
                yield Action(name, "resume"), put(state, c, consumer._replace(paused=False))
        left = spend(state.budget, "failover")
        if left is not None and state.coordinator.status is not Phase.DOWN:
            yield Action("coordinator", "fails", fault=True), _fail(state)._replace(budget=left)
        left = spend(state.budget, "partitions")
        if left is not None:
            grown = state._replace(partitions=state.partitions + 1, budget=left)
            yield Action("zookeeper", "a partition is added", fault=True), grown


def _fail(state: ProposalWorld) -> ProposalWorld:
    """The coordinator fails with its parked joins; consumers that knew it have to find the next one."""
    consumers = tuple(
        c
        if c.status is ProposalState.DOWN
        else c._replace(finds=c.status is ProposalState.DISCOVER, waits=False)
        for c in state.consumers
    )
    return state._replace(consumers=consumers, coordinator=dc.failed(state.coordinator))


@lru_cache(maxsize=1 << 16)
def census(state: ProposalWorld) -> Census:
    """Ownership, by belief and by record."""
    coordinator = state.coordinator
    beliefs = tuple(
        Belief(
            f"c{c + 1}",
            f"c{c + 1}",
            live=consumer.status is not ProposalState.DOWN,
            current=c in coordinator.members and consumer.generation == coordinator.generation,
            settled=consumer.status is ProposalState.PART and consumer.finds and not consumer.paused,
            owned=consumer.owned,
            rejoined=c in coordinator.members,
        )
        for c, consumer in enumerate(state.consumers)
    )
    registry = tuple(
        Registered(f"c{m + 1}", "", ("topic",), owned)
        for m, owned in zip(coordinator.members, coordinator.assignment)
    )
    live = {belief.member_id for belief in beliefs if belief.live}
    resting = (
        coordinator.status is Phase.READY
        and live == {entry.member_id for entry in registry}
        and all(belief.settled and belief.current for belief in beliefs if belief.live)
        and coordinator.partitions == state.partitions
    )
    return Census(beliefs, registry, tuple(range(state.partitions)), resting)
