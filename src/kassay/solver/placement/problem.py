"""A replica placement problem: brokers with racks and shares, and where the replicas are now.

The JSON form is family "B" of the instance format (`docs/instances.md`), with optional fields of a
broker: `fenced` (must not lead where another replica can), `max_replicas` (room, in replicas) and
`base` (replicas of topics that are not in the document and stay); and of the document: `removed`,
the ids of brokers that are going. With `removed` any other unknown broker in `current` is an
error; without it every broker that is not listed is taken to be going.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.solver.fields import Field, unique

_SHOWN: Final = 8


class InfeasiblePlacementError(InputError):
    """No placement obeys the limits; `witness` are the brokers that show it."""

    def __init__(self, message: str, witness: Iterable[int]) -> None:
        super().__init__(message)
        self.witness = tuple(sorted(witness))


class Broker(NamedTuple):
    """A broker that takes replicas in proportion to its `share`."""

    broker_id: int
    rack: str | None = None
    share: int = 1
    fenced: bool = False
    max_replicas: int | None = None
    base: int = 0


class Spread(NamedTuple):
    """How many replicas of one partition a rack may hold: from `least` to `most`."""

    least: int
    most: int


class PlacedTopic(NamedTuple):
    """A topic whose partitions want `rf` replicas each."""

    name: str
    partitions: int
    rf: int


@dataclass(frozen=True)
class PlacementProblem:
    """Brokers in the order of their ids, topics in the order of their names.

    `current` has for each topic a row of broker ids a partition, preferred leader first; a row is
    empty for a partition that is not placed yet, and may name brokers that are going.
    """

    brokers: tuple[Broker, ...]
    topics: tuple[PlacedTopic, ...]
    current: Mapping[str, tuple[tuple[int, ...], ...]]
    name: str = ""

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
        """All replicas to be placed, those that stay elsewhere (`base`) included."""
        return sum(t.partitions * t.rf for t in self.topics) + sum(b.base for b in self.brokers)

    def spread(self, rf: int) -> Spread:
        """What the rack rule allows a rack to hold of `rf` replicas.

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
        """Every partition with its replication factor and its current replicas."""
        return [
            (TopicPartition(topic.name, number), topic.rf, row)
            for topic in self.topics
            for number, row in enumerate(self.current[topic.name])
        ]

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
        problem = cls(brokers, tuple(topics), current, name)
        _refuse_impossible(problem, "topics", "brokers")
        return problem

    @classmethod
    def parse(cls, document: Any) -> PlacementProblem:
        """The problem of a JSON document of family "B"; raises `InputError` naming the field."""
        root = Field(document, "")
        family = root.get("family")
        if family.value != "B":
            raise family.fail('the family "B"')
        brokers = _parse_brokers(root.get("brokers"))
        topics = _parse_topics(root.get("topics"))
        removed = root.find("removed")
        known = None if removed is None else _parse_removed(removed, brokers) | {b.broker_id for b in brokers}
        name, current = root.find("name"), root.find("current")
        rows = _parse_current(Field({}, "current") if current is None else current, topics, known)
        problem = cls(brokers, topics, rows, "" if name is None else name.text())
        _refuse_impossible(problem, "topics", "brokers")
        return problem

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        going = {id_ for rows in self.current.values() for row in rows for id_ in row}
        return {
            "family": "B",
            "name": self.name or "unnamed",
            "brokers": [_broker_document(broker) for broker in self.brokers],
            "topics": [{"name": t.name, "partitions": t.partitions, "rf": t.rf} for t in self.topics],
            "current": {topic: [list(row) for row in rows] for topic, rows in self.current.items()},
            "removed": sorted(going - {broker.broker_id for broker in self.brokers}),
        }


def _broker_document(broker: Broker) -> dict[str, Any]:
    document: dict[str, Any] = {"id": broker.broker_id, "rack": broker.rack, "share": broker.share}
    if broker.fenced:
        document["fenced"] = True
    if broker.max_replicas is not None:
        document["max_replicas"] = broker.max_replicas
    if broker.base:
        document["base"] = broker.base
    return document


def _refuse_impossible(problem: PlacementProblem, topics: str, brokers: str) -> None:
    """Raise if a topic wants more replicas than there are brokers, or only some brokers have a rack."""
    without = [broker.broker_id for broker in problem.brokers if broker.rack is None]
    if without and len(without) < len(problem.brokers):
        raise InputError(f"{brokers}: {listed(without)} without a rack, expected a rack for all or for none")
    ids = [broker.broker_id for broker in problem.brokers]
    for index, topic in enumerate(problem.topics):
        if topic.rf > len(ids):
            raise InfeasiblePlacementError(
                f"{topics}[{index}].rf: topic {topic.name!r} wants {topic.rf} distinct brokers a partition, "
                f"expected at most {len(ids)}, for there is only {listed(ids)}",
                ids,
            )


def listed(ids: Iterable[int]) -> str:
    """Broker ids as a sentence names them."""
    ids = sorted(ids)
    if not ids:
        return "no broker"
    names = ", ".join(map(str, ids[:_SHOWN])) + (
        f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    )
    return f"broker {names}" if len(ids) == 1 else f"brokers {names}"


def _parse_brokers(field: Field) -> tuple[Broker, ...]:
    entries = list(field.items())
    if not entries:
        raise field.fail("at least one broker")
    for entry in entries:
        entry.get("id").integer()
    unique([entry.get("id") for entry in entries], "broker id")
    hosts = []
    for entry in entries:
        rack, share, fenced = entry.find("rack"), entry.find("share"), entry.find("fenced")
        room, base = entry.find("max_replicas"), entry.find("base")
        if fenced is not None and not isinstance(fenced.value, bool):
            raise fenced.fail("true or false")
        hosts.append(
            Broker(
                entry.get("id").integer(),
                None if rack is None else rack.text(),
                1 if share is None else share.integer(),
                fenced is not None and fenced.value,
                None if room is None else room.integer(),
                0 if base is None else base.integer(),
            )
        )
    if not any(host.share for host in hosts):
        raise InputError(f"{field.path}: every share is 0, expected a positive one")
    return tuple(sorted(hosts, key=lambda host: host.broker_id))


def _parse_topics(field: Field) -> tuple[PlacedTopic, ...]:
    entries = list(field.items())
    for entry in entries:
        entry.get("name").text()
    unique([entry.get("name") for entry in entries], "topic")
    topics = [
        PlacedTopic(entry.get("name").text(), entry.get("partitions").integer(0), entry.get("rf").integer(1))
        for entry in entries
    ]
    return topics_in_order(topics)


def topics_in_order(topics: Iterable[PlacedTopic]) -> tuple[PlacedTopic, ...]:
    """The topics by name."""
    return tuple(sorted(topics, key=lambda topic: topic.name))


def _parse_removed(field: Field, brokers: Iterable[Broker]) -> set[int]:
    staying = {broker.broker_id for broker in brokers}
    for entry in field.items():
        if entry.integer() in staying:
            raise entry.fail("a broker that is not under `brokers`")
    return set(field.value)


def _parse_current(
    field: Field, topics: Iterable[PlacedTopic], known: set[int] | None
) -> dict[str, tuple[tuple[int, ...], ...]]:
    counts = {topic.name: topic.partitions for topic in topics}
    if not isinstance(field.value, dict):
        raise field.fail("an object of topics")
    for name in field.value:
        if name not in counts:
            raise Field(name, field.path).fail("the name of a topic under `topics`")
    current = {}
    for name, count in counts.items():
        rows = field.find(name)
        given = [] if rows is None else list(rows.items())
        if rows is not None and len(given) > count:
            raise InputError(f"{rows.path}: found {len(given)} rows, expected at most {count}")
        parsed = [_parse_row(row, known) for row in given]
        current[name] = tuple(parsed) + ((),) * (count - len(parsed))
    return current


def _parse_row(field: Field, known: set[int] | None) -> tuple[int, ...]:
    entries = list(field.items())
    for entry in entries:
        entry.integer()
        if known is not None and entry.value not in known:
            raise entry.fail("the id of a broker under `brokers` or `removed`")
    unique(entries, "broker")
    return tuple(field.value)
