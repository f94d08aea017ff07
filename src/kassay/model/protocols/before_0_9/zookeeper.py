"""A1: the self-coordinating consumers of Kafka 0.8, which share state through ZooKeeper.

On any change it stops, releases what it owns, reads the znodes and takes *its own* share of the
partitions. There is no generation, no fencing and no shared view; the consequences are the herd effect
and the split brain that the coordinator was invented to prevent. The state machine of a ZooKeeper
consumer (Kafka 0.8) as data: `SHARES` holds the rules by which a consumer computes its share; the
coordinator of the proposal assigns by the same. Sources: "Kafka Consumer" by Jason Guo (2015), High
Level Consumer Rebalance; Kafka 0.8.2 `ZookeeperConsumerConnector` and `RangeAssignor`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from kassay.model.explore.values import Action
from kassay.model.protocols.census import Belief, Census, Registered
from kassay.model.protocols.faults import NO_FAULTS, Faults, spend
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Rule, Table, look_up, total


def ceil_range(partitions: int, consumers: int, index: int) -> tuple[int, ...]:
    """Partitions iN .. (i+1)N-1 with N the rounded-up quotient, as in the 2015 article.

    >>> [len(ceil_range(5, 4, i)) for i in range(4)]
    [2, 2, 1, 0]
    """
    size = -(-partitions // consumers)
    return tuple(range(index * size, min((index + 1) * size, partitions)))


def fair_range(partitions: int, consumers: int, index: int) -> tuple[int, ...]:
    """Quotient and remainder, with earlier consumers one larger: the actual rule of 0.8.2.

    >>> [len(fair_range(5, 4, i)) for i in range(4)]
    [2, 1, 1, 1]
    """
    size, extra = divmod(partitions, consumers)
    start = index * size + min(index, extra)
    return tuple(range(start, start + size + (index < extra)))


Share = Callable[[int, int, int], tuple[int, ...]]
SHARES: Final[dict[str, Share]] = {"ceil-range": ceil_range, "range": fair_range}


class ZooKeeperStatus(StrEnum):
    """The states of a consumer."""

    OFF = "Off"
    IDLE = "Idle"
    RELEASED = "Released"
    GAVE_UP = "GaveUp"
    DEAD = "Dead"
    ZOMBIE = "Zombie"


class ZooKeeperEvent(StrEnum):
    """The events of a consumer."""

    START = "start"
    WATCH = "watch fires"
    REBALANCE = "rebalance"
    OWN = "own, all free"
    CONFLICT = "own, one taken"
    LAST_CONFLICT = "own, one taken, no try left"
    CLOSE = "close"
    CRASH = "crash"
    EXPIRE = "session expires"
    RECONNECT = "reconnect"


_OFF: Final = {ZooKeeperEvent.WATCH: IGNORE}
_CRASH: Final = Rule((ZooKeeperStatus.DEAD,), "ids and owner znodes stay until the session expires")
_CLOSE: Final = Rule((ZooKeeperStatus.OFF,), "delete own ids and owner znodes; every watch fires")
_NOTICE: Final = "pending := true (coalesced)"

_CONSUMER: Final[Table] = {
    ZooKeeperStatus.OFF: _OFF
    | {
        ZooKeeperEvent.START: Rule(
            (ZooKeeperStatus.IDLE,),
            "register in ids; watch ids and brokers; every watch fires; pending := true",
        ),
    },
    ZooKeeperStatus.IDLE: {
        ZooKeeperEvent.WATCH: Rule((ZooKeeperStatus.IDLE,), _NOTICE),
        ZooKeeperEvent.REBALANCE: Rule(
            (ZooKeeperStatus.RELEASED,),
            "stop fetchers, commit, B := {}, delete own owner znodes, read the view",
        ),
        ZooKeeperEvent.CLOSE: _CLOSE,
        ZooKeeperEvent.CRASH: _CRASH,
        ZooKeeperEvent.EXPIRE: Rule(
            (ZooKeeperStatus.ZOMBIE,), "znodes vanish, every watch fires, B is kept (GC pause)"
        ),
    },
    ZooKeeperStatus.RELEASED: {
        ZooKeeperEvent.WATCH: Rule((ZooKeeperStatus.RELEASED,), _NOTICE),
        ZooKeeperEvent.OWN: Rule(
            (ZooKeeperStatus.IDLE,), "create the owner znodes one by one; B := share(view)"
        ),
        ZooKeeperEvent.CONFLICT: Rule((ZooKeeperStatus.RELEASED,), "undo, one try less, read the view again"),
        ZooKeeperEvent.LAST_CONFLICT: Rule((ZooKeeperStatus.GAVE_UP,), "B = {}; idle until the next watch"),
        ZooKeeperEvent.CLOSE: _CLOSE,
        ZooKeeperEvent.CRASH: _CRASH,
        ZooKeeperEvent.EXPIRE: Rule((ZooKeeperStatus.ZOMBIE,), "ids entry vanishes, every watch fires"),
    },
    ZooKeeperStatus.GAVE_UP: {
        ZooKeeperEvent.WATCH: Rule((ZooKeeperStatus.GAVE_UP,), _NOTICE),
        ZooKeeperEvent.REBALANCE: Rule((ZooKeeperStatus.RELEASED,), "tries afresh, read the view"),
        ZooKeeperEvent.CLOSE: _CLOSE,
        ZooKeeperEvent.CRASH: _CRASH,
        ZooKeeperEvent.EXPIRE: Rule((ZooKeeperStatus.ZOMBIE,), "ids entry vanishes, every watch fires"),
    },
    ZooKeeperStatus.DEAD: _OFF
    | {ZooKeeperEvent.EXPIRE: Rule((ZooKeeperStatus.OFF,), "ids and owner znodes vanish; every watch fires")},
    ZooKeeperStatus.ZOMBIE: _OFF
    | {
        ZooKeeperEvent.RECONNECT: Rule(
            (ZooKeeperStatus.IDLE,),
            "register again; every watch fires; pending := true; B kept until its rebalance",
        ),
        ZooKeeperEvent.CRASH: Rule((ZooKeeperStatus.OFF,), "nothing is registered any more"),
    },
}
CONSUMER: Final = total(ZooKeeperEvent, _CONSUMER)


PARTITIONS_MAX: Final = 9


class BoardView(NamedTuple):
    """What a consumer read from the znodes."""

    ids: tuple[int, ...]
    partitions: int


class ZooKeeperConsumer(NamedTuple):
    """One process. `owned`: what it believes it owns; `expired`: that belief outlived its session."""

    status: ZooKeeperStatus = ZooKeeperStatus.OFF
    view: BoardView | None = None
    owned: tuple[int, ...] = ()
    pending: bool = False
    tries: int = 0
    expired: bool = False


class ZooKeeperWorld(NamedTuple):
    """Consumers, the znodes, the znodes before the last change (for stale reads), and the budget."""

    consumers: tuple[ZooKeeperConsumer, ...]
    ids: tuple[int, ...]
    owner: tuple[int | None, ...]
    before: BoardView | None
    budget: Faults


class ZooKeeperModel:
    """The consumers and the znodes; switches as in section E.

    zk_no_owner_guard: a consumer ignores existing owner znodes. zk_stale_view: a read may return the znodes
    before their last change (budget `stale`). zk_finite_retries: one retry, then the consumer gives up.
    """

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
        self.guard = "zk_no_owner_guard" not in switches
        self.retries = 1 if "zk_finite_retries" in switches else None
        if "zk_stale_view" in switches:
            faults = faults._replace(stale=max(1, faults.stale))
        self.faults = faults

    def initial(self) -> Iterator[ZooKeeperWorld]:
        """No consumer has started."""
        yield ZooKeeperWorld(
            (ZooKeeperConsumer(),) * self.members, (), (None,) * self.partitions, None, self.faults
        )

    def canonical(self, state: ZooKeeperWorld) -> ZooKeeperWorld:
        """Drop the contents before the last change if no stale read can happen any more."""
        if state.before is not None and not state.budget.stale:
            return state._replace(before=None)
        return state

    def converged(self, state: ZooKeeperWorld) -> bool:
        """Whether all consumers are stable and own what the znodes say, and every partition has an owner."""
        live = [c for c in state.consumers if c.status is not ZooKeeperStatus.OFF]
        if any(c.status is not ZooKeeperStatus.IDLE or c.pending or c.expired for c in live):
            return False
        held = sorted(tp for c in live for tp in c.owned)
        return not live or held == list(range(len(state.owner)))

    def steps(self, state: ZooKeeperWorld) -> Iterator[tuple[Action, ZooKeeperWorld]]:
        """Each consumer's own steps, then the events that affect it."""
        for c, consumer in enumerate(state.consumers):
            yield from self._own(state, c, consumer)
            yield from self._faults(state, c, consumer)
        yield from self._grow(state)

    def _own(
        self, state: ZooKeeperWorld, c: int, consumer: ZooKeeperConsumer
    ) -> Iterator[tuple[Action, ZooKeeperWorld]]:
        name, status = f"c{c + 1}", consumer.status
        if status is ZooKeeperStatus.OFF:
            started = ZooKeeperConsumer(
                moved(status, ZooKeeperEvent.START), pending=True, tries=self.retries or 0
            )
            after = _fire(_register(_put(state, c, started), c), c)
            yield Action(name, "start", "zookeeper", "register, watch", fault=True), after
        elif status in (ZooKeeperStatus.IDLE, ZooKeeperStatus.GAVE_UP) and consumer.pending:
            yield from self._release(state, c, consumer)
        elif status is ZooKeeperStatus.RELEASED:
            yield from self._take_ownership(state, c, consumer)
        elif status is ZooKeeperStatus.ZOMBIE:
            back = consumer._replace(
                status=moved(status, ZooKeeperEvent.RECONNECT), pending=True, tries=self.retries or 0
            )
            yield (
                Action(name, "reconnect", "zookeeper", "register again"),
                _fire(_register(_put(state, c, back), c), c),
            )
        elif status is ZooKeeperStatus.DEAD:
            gone = _without(state, c, ZooKeeperConsumer(moved(status, ZooKeeperEvent.EXPIRE)))
            yield Action("zookeeper", f"session of {name} expires", name), gone

    def _reads(self, state: ZooKeeperWorld) -> Iterator[tuple[str, BoardView, ZooKeeperWorld]]:
        """The znodes as they are, and as before the last change if a stale read may still happen."""
        yield "", BoardView(state.ids, len(state.owner)), state
        left = spend(state.budget, "stale")
        if left is not None and state.before is not None:
            yield "stale ", state.before, state._replace(budget=left)

    def _release(
        self, state: ZooKeeperWorld, c: int, consumer: ZooKeeperConsumer
    ) -> Iterator[tuple[Action, ZooKeeperWorld]]:
        to = moved(consumer.status, ZooKeeperEvent.REBALANCE)
        for label, view, world in self._reads(state):
            owner = tuple(None if o == c else o for o in world.owner)
            released = ZooKeeperConsumer(to, view, (), False, self.retries or 0)
            after = _put(world, c, released)._replace(owner=owner)
            detail = f"{label}view: {len(view.ids)} consumers, {view.partitions} partitions"
            yield Action(f"c{c + 1}", "rebalance", "zookeeper", detail, fault=bool(label), rounds=1), after

    def wanted(self, c: int, view: BoardView) -> tuple[int, ...]:
        """The share that a consumer computes for itself from its view."""
        if c not in view.ids:
            return ()
        return self.share(view.partitions, len(view.ids), view.ids.index(c))

    def _take_ownership(
        self, state: ZooKeeperWorld, c: int, consumer: ZooKeeperConsumer
    ) -> Iterator[tuple[Action, ZooKeeperWorld]]:
        name, view = f"c{c + 1}", consumer.view
        assert view is not None, "a released consumer has read the board"
        wanted = self.wanted(c, view)
        taken = [tp for tp in wanted if state.owner[tp] is not None]
        listing = f"partitions {_listing(wanted)}"
        if not taken or not self.guard:
            owner = tuple(c if tp in wanted else o for tp, o in enumerate(state.owner))
            owning = consumer._replace(
                status=moved(consumer.status, ZooKeeperEvent.OWN), owned=wanted, view=None, tries=0
            )
            yield (
                Action(name, "own", "zookeeper", listing, "created"),
                _put(state, c, owning)._replace(owner=owner),
            )
        elif self.retries is not None and consumer.tries == 0:
            gone = consumer._replace(status=moved(consumer.status, ZooKeeperEvent.LAST_CONFLICT), view=None)
            yield Action(name, "own", "zookeeper", listing, "NodeExists, gives up"), _put(state, c, gone)
        else:
            to, tries = moved(consumer.status, ZooKeeperEvent.CONFLICT), max(0, consumer.tries - 1)
            for label, fresh, world in self._reads(state):
                again = consumer._replace(status=to, view=fresh, tries=tries)
                reply = f"NodeExists, reads a {label or 'fresh '}view"
                yield (
                    Action(name, "own", "zookeeper", listing, reply, fault=bool(label)),
                    _put(world, c, again),
                )

    def _faults(
        self, state: ZooKeeperWorld, c: int, consumer: ZooKeeperConsumer
    ) -> Iterator[tuple[Action, ZooKeeperWorld]]:
        name, rules = f"c{c + 1}", CONSUMER[consumer.status]
        left = spend(state.budget, "crash")
        if left is not None and rules[ZooKeeperEvent.CRASH] is not IMPOSSIBLE:
            crashed = ZooKeeperConsumer(moved(consumer.status, ZooKeeperEvent.CRASH))
            yield Action(name, "crash", fault=True), _put(state, c, crashed)._replace(budget=left)
        left = spend(state.budget, "leave")
        if left is not None and rules[ZooKeeperEvent.CLOSE] is not IMPOSSIBLE:
            after = _without(state, c, ZooKeeperConsumer(moved(consumer.status, ZooKeeperEvent.CLOSE)))
            yield Action(name, "close", "zookeeper", fault=True), after._replace(budget=left)
        left = spend(state.budget, "pause")
        if (
            left is not None
            and rules[ZooKeeperEvent.EXPIRE] is not IMPOSSIBLE
            and consumer.status is not ZooKeeperStatus.DEAD
        ):
            zombie = ZooKeeperConsumer(
                moved(consumer.status, ZooKeeperEvent.EXPIRE), None, consumer.owned, expired=True
            )
            after = _without(state, c, zombie)
            yield (
                Action("zookeeper", f"session of {name} expires in a pause", name, fault=True),
                after._replace(budget=left),
            )

    def _grow(self, state: ZooKeeperWorld) -> Iterator[tuple[Action, ZooKeeperWorld]]:
        left = spend(state.budget, "partitions")
        if left is not None and len(state.owner) < PARTITIONS_MAX:
            grown = state._replace(budget=left, owner=(*state.owner, None), before=_board(state))
            after = _fire(grown, None)
            yield Action("zookeeper", "a partition is added", fault=True), after


def moved(status: ZooKeeperStatus, event: ZooKeeperEvent) -> ZooKeeperStatus:
    """The next state according to the table; raises `IllegalTransition` if the event cannot happen."""
    return ZooKeeperStatus(look_up(CONSUMER, status, event).targets[0])


def _board(state: ZooKeeperWorld) -> BoardView:
    return BoardView(state.ids, len(state.owner))


def _put(state: ZooKeeperWorld, c: int, consumer: ZooKeeperConsumer) -> ZooKeeperWorld:
    consumers = state.consumers
    return state._replace(consumers=(*consumers[:c], consumer, *consumers[c + 1 :]))


def _register(state: ZooKeeperWorld, c: int) -> ZooKeeperWorld:
    return state._replace(ids=tuple(sorted({*state.ids, c})), before=_board(state))


def _without(state: ZooKeeperWorld, c: int, consumer: ZooKeeperConsumer) -> ZooKeeperWorld:
    """The world without a consumer's ephemeral znodes, with `consumer` in its place; watches fire."""
    forgotten = _put(state, c, consumer)._replace(
        ids=tuple(i for i in state.ids if i != c),
        owner=tuple(None if o == c else o for o in state.owner),
        before=_board(state),
    )
    return _fire(forgotten, c)


def _fire(state: ZooKeeperWorld, origin: int | None) -> ZooKeeperWorld:
    """Notify every registered consumer except the origin; an expired session has no watches."""
    consumers = tuple(
        consumer._replace(pending=True)
        if c != origin and look_up(CONSUMER, consumer.status, ZooKeeperEvent.WATCH) is not IGNORE
        else consumer
        for c, consumer in enumerate(state.consumers)
    )
    return state._replace(consumers=consumers)


def _listing(partitions: tuple[int, ...]) -> str:
    return ",".join(map(str, partitions)) or "none"


@lru_cache(maxsize=1 << 16)
def census(state: ZooKeeperWorld) -> Census:
    """Ownership, by belief and by the owner znodes.

    A consumer is current unless its belief dates from a session that has expired. Nothing fences commits, so
    those of every live consumer are accepted.
    """
    beliefs = tuple(
        Belief(
            f"c{c + 1}",
            f"c{c + 1}",
            live=consumer.status not in (ZooKeeperStatus.OFF, ZooKeeperStatus.DEAD),
            current=c in state.ids and not consumer.expired,
            settled=consumer.status in (ZooKeeperStatus.IDLE, ZooKeeperStatus.GAVE_UP)
            and not consumer.pending,
            owned=consumer.owned,
            commits=consumer.status in (ZooKeeperStatus.IDLE, ZooKeeperStatus.ZOMBIE)
            and bool(consumer.owned),
        )
        for c, consumer in enumerate(state.consumers)
    )
    registry = tuple(
        Registered(f"c{c + 1}", "", ("topic",), tuple(tp for tp, o in enumerate(state.owner) if o == c))
        for c in state.ids
    )
    resting = all(belief.settled and belief.current for belief in beliefs if belief.live) and all(
        consumer.status is not ZooKeeperStatus.DEAD for consumer in state.consumers
    )
    return Census(beliefs, registry, tuple(range(len(state.owner))), resting)
