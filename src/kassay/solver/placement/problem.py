"""A replica placement problem: brokers with racks and shares, and the present replicas.

The JSON form is family "B" of the instance format (`docs/instances.md`), with optional fields of a
broker: `fenced` (must not lead where another replica can), `cordoned` (keeps its replicas and takes no
other one, KIP-1066), `max_replicas` (room, in replicas) and `base` (replicas of topics that are not in
the document and stay); and of the document: `removed`, the ids of brokers to be removed. With `removed`
any other unknown broker in `current` is an error; without it every broker that is not listed counts as
removed.

*Plan*: from the current placement to the target, one valid replica exchange at a time.
Within a partition the racks' counts go from what they are to the target without turning
back. So where both ends obey the rack rule every state between does, and where the start breaks it
no state is worse than the one before. Replicas are exchanged inside their rack first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.plan import Move, PlanRequest
from kassay.model.placement.request import Replicas
from kassay.reading.documents import Bound, Count, Name, Positive, Size, within, wrong
from kassay.reading.values import read_as, unique
from kassay.solver.results import InfeasibleError

_SHOWN: Final = 8


class InfeasiblePlacementError(InfeasibleError):
    """No placement obeys the limits; `witness` are the brokers that show it."""


@dataclass(frozen=True, order=True)
class Broker:
    """A broker that takes replicas in proportion to its `share`."""

    id: Count
    rack: Name | None = None
    share: Count = 1
    fenced: bool = False
    max_replicas: Count | None = None
    base: Count = 0
    cordoned: bool = False


class Spread(NamedTuple):
    """How many replicas of one partition a rack may hold: from `least` to `most`."""

    least: int
    most: int


@dataclass(frozen=True, order=True)
class PlacedTopic:
    """A topic whose partitions want `rf` replicas each."""

    name: Name
    partitions: Size
    rf: Positive


@dataclass(frozen=True)
class PlacementProblem:
    """Brokers in the order of their ids, topics in the order of their names.

    `current` has for each topic a row of broker ids a partition, preferred leader first; a row is empty for a
    partition that is not placed yet, and may name brokers to be removed. Raises `InputError` where only some
    brokers have a rack, `InfeasiblePlacementError` where they are too few for a topic.
    """

    brokers: tuple[Broker, ...]
    topics: tuple[PlacedTopic, ...]
    current: Mapping[str, tuple[tuple[int, ...], ...]]
    name: str = ""

    def __post_init__(self) -> None:
        _refuse_impossible(self)

    @cached_property
    def racks(self) -> tuple[int, ...] | None:
        """Each broker's rack as a number, or None where no broker has a rack."""
        numbers: dict[str, int] = {}
        for broker in self.brokers:
            if broker.rack is not None:
                numbers.setdefault(broker.rack, len(numbers))
        return tuple(numbers[b.rack] for b in self.brokers if b.rack is not None) if numbers else None

    @cached_property
    def total(self) -> int:
        """All replicas to be placed, including those that stay elsewhere (`base`)."""
        return sum(t.partitions * t.rf for t in self.topics) + sum(b.base for b in self.brokers)

    def spread(self, rf: int) -> Spread:
        """The number of `rf` replicas that the rack rule allows in a rack.

        At most ceil(rf / racks), or the least number above it with which small racks leave enough
        room; and at least one where there are as many replicas as racks.
        """
        if self.racks is None:
            return Spread(0, rf)
        sizes = [self.racks.count(rack) for rack in range(max(self.racks) + 1)]
        most = -(-rf // len(sizes))
        while sum(min(size, most) for size in sizes) < rf:
            most += 1
        return Spread(1 if rf >= len(sizes) else 0, most)

    def partitions(self) -> list[tuple[TopicPartition, int, tuple[int, ...]]]:
        """Every partition with its replication factor and its current replicas; treat as read-only."""
        return self._placed

    @cached_property
    def _placed(self) -> list[tuple[TopicPartition, int, tuple[int, ...]]]:
        return [
            (TopicPartition(topic.name, number), topic.rf, row)
            for topic in self.topics
            for number, row in enumerate(self.current[topic.name])
        ]

    @cached_property
    def held(self) -> list[tuple[int, ...]]:
        """The positions of the brokers that hold each partition now, as its row has them; read-only."""
        index = {broker.id: place for place, broker in enumerate(self.brokers)}
        return [tuple([index[b] for b in row if b in index]) for _, _, row in self._placed]

    @classmethod
    def of(cls, cluster: Cluster, rf: int | None = None, name: str = "") -> PlacementProblem:
        """The problem of rebalancing a cluster; topics keep their replication factors without `rf`."""
        brokers = tuple(Broker(b.broker_id, b.rack, fenced=b.fenced) for b in sorted(cluster.brokers))
        topics, current = [], {}
        for topic in sorted(cluster.by_name.values(), key=lambda topic: topic.name):
            rows = topic.replicas or ((),) * topic.partitions
            wanted = rf if rf is not None else max((len(row) for row in rows), default=0)
            topics.append(PlacedTopic(topic.name, topic.partitions, wanted))
            current[topic.name] = rows
        return cls(brokers, tuple(topics), current, name)

    @classmethod
    def of_plan(cls, request: PlanRequest) -> PlacementProblem:
        """The problem of a plan: where the replicas are to be at its end."""
        rows: dict[str, list[tuple[int, ...]]] = {}
        for tp, row in sorted(request.before):
            rows.setdefault(tp.topic, []).append(row)
        return cls(
            tuple(Broker(b.broker_id, b.rack) for b in sorted(request.brokers)),
            tuple(PlacedTopic(topic, len(own), request.replication_factor) for topic, own in rows.items()),
            {topic: tuple(own) for topic, own in rows.items()},
        )

    @classmethod
    def parse(cls, document: Any) -> PlacementProblem:
        """The problem of a JSON document of family "B"; raises `InputError` naming the field."""
        instance = read_as(_Instance, document)
        ids = _known_brokers(instance)
        topics = tuple(sorted(instance.topics))
        unique(((f"topics[{i}].name", topic.name) for i, topic in enumerate(instance.topics)), "topic")
        within((topic.partitions * topic.rf for topic in topics), "topics", "replicas")
        brokers = tuple(sorted(instance.brokers))
        return cls(brokers, topics, _rows(instance.current, topics, ids), instance.name)

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        going = {id_ for rows in self.current.values() for row in rows for id_ in row}
        return {
            "family": "B",
            "name": self.name or "unnamed",
            "brokers": [_broker_document(broker) for broker in self.brokers],
            "topics": [asdict(topic) for topic in self.topics],
            "current": {topic: [list(row) for row in rows] for topic, rows in self.current.items()},
            "removed": sorted(going - {broker.id for broker in self.brokers}),
        }


def _broker_document(broker: Broker) -> dict[str, Any]:
    document: dict[str, Any] = {"id": broker.id, "rack": broker.rack, "share": broker.share}
    if broker.fenced:
        document["fenced"] = True
    if broker.max_replicas is not None:
        document["max_replicas"] = broker.max_replicas
    if broker.base:
        document["base"] = broker.base
    if broker.cordoned:
        document["cordoned"] = True
    return document


def _refuse_impossible(problem: PlacementProblem) -> None:
    """Raise for more replicas than brokers, for racks of only some, for cordons with `max_replicas`."""
    without = [broker.id for broker in problem.brokers if broker.rack is None]
    if without and len(without) < len(problem.brokers):
        raise InputError(
            f"brokers: {broker_ids(without)} without a rack, expected a rack for all or for none"
        )
    cordoned = [broker.id for broker in problem.brokers if broker.cordoned]
    if cordoned and any(broker.max_replicas is not None for broker in problem.brokers):
        raise InputError(
            f"brokers: {broker_ids(cordoned)} cordoned and some with max_replicas, expected one or the other"
        )
    ids = [broker.id for broker in problem.brokers]
    for index, topic in enumerate(problem.topics):
        if topic.rf > len(ids):
            raise InfeasiblePlacementError(
                f"topics[{index}].rf: topic {topic.name!r} wants {topic.rf} distinct brokers a partition, "
                f"expected at most {len(ids)}, for there is only {broker_ids(ids)}",
                ids,
            )


def broker_ids(ids: Iterable[int]) -> str:
    """Broker ids as a sentence names them."""
    ids = sorted(ids)
    if not ids:
        return "no broker"
    names = ", ".join(map(str, ids[:_SHOWN])) + (
        f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    )
    return f"broker {names}" if len(ids) == 1 else f"brokers {names}"


@dataclass(frozen=True)
class _Instance:
    """A document of family "B"."""

    family: Literal["B"]
    brokers: Annotated[tuple[Broker, ...], Bound("at least one broker", bool)]
    topics: tuple[PlacedTopic, ...]
    name: Name = ""
    current: Mapping[str, tuple[tuple[Count, ...], ...] | None] = field(default_factory=dict)
    removed: tuple[Count, ...] | None = None


def _known_brokers(instance: _Instance) -> set[int] | None:
    """The brokers that may hold replicas now, None for any; raises for impossible brokers."""
    unique(((f"brokers[{i}].id", entry.id) for i, entry in enumerate(instance.brokers)), "broker id")
    if not any(entry.share for entry in instance.brokers):
        raise InputError("brokers: every share is 0, expected a positive one")
    if instance.removed is None:
        return None
    staying = {entry.id for entry in instance.brokers}
    for i, broker in enumerate(instance.removed):
        if broker in staying:
            raise wrong(f"removed[{i}]", broker, "a broker that is not under `brokers`")
    return staying.union(instance.removed)


def _rows(
    current: Mapping[str, tuple[tuple[int, ...], ...] | None],
    topics: Iterable[PlacedTopic],
    known: set[int] | None,
) -> dict[str, tuple[tuple[int, ...], ...]]:
    """The replicas of each topic's partitions; missing rows at the end are empty."""
    partitions = {topic.name: topic.partitions for topic in topics}
    for name in current:
        if name not in partitions:
            raise wrong("current", name, "the name of a topic under `topics`")
    complete = {}
    for name, count in partitions.items():
        rows = current.get(name) or ()
        if len(rows) > count:
            raise InputError(f"current.{name}: found {len(rows)} rows, expected at most {count}")
        for i, row in enumerate(rows):
            if len({*row}) == len(row) and (known is None or known.issuperset(row)):
                continue
            places = [(f"current.{name}[{i}][{j}]", broker) for j, broker in enumerate(row)]
            for path, broker in places:
                if known is not None and broker not in known:
                    raise wrong(path, broker, "the id of a broker under `brokers` or `removed`")
            unique(places, "broker")
        complete[name] = rows + ((),) * (count - len(rows))
    return complete


Rows = Mapping[TopicPartition, Replicas]


def plan(before: Rows, after: Rows, racks: Mapping[int, str | None]) -> tuple[Move, ...]:
    """The moves that turn one placement into the other, partition by partition.

    `before` may lack partitions, which are then created at once, without a move. Brokers that are not in
    `racks` are being removed: their replicas move first. Where only the order of the same brokers changes (a
    change of preferred leader), a move contains the order alone.
    """
    return tuple(
        move for tp in sorted(after) if before.get(tp) for move in _moves(tp, before[tp], after[tp], racks)
    )


def _moves(
    tp: TopicPartition, before: Replicas, after: Replicas, racks: Mapping[int, str | None]
) -> Iterator[Move]:
    state = before
    for source, target in _exchanges(before, after, racks):
        move = Move(tp, source, target)
        state = move.exchanged(state)
        yield move
    if state != after:
        yield Move(tp, order=after)


def _exchanges(
    before: Sequence[int], after: Sequence[int], racks: Mapping[int, str | None]
) -> list[tuple[int | None, int | None]]:
    """Pairs of old and new brokers: removed brokers and pairs in one rack first, then across racks."""
    leaving = [broker for broker in before if broker not in after]
    coming = [broker for broker in after if broker not in before]
    pairs: list[tuple[int | None, int | None]] = []
    for source in list(leaving):
        near = next((b for b in coming if source in racks and racks[b] == racks[source]), None)
        if near is not None:
            pairs.append((source, near))
            leaving.remove(source)
            coming.remove(near)
    leaving.sort(key=lambda broker: broker in racks)
    return [*pairs, *zip_longest(leaving, coming)]
