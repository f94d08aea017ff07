"""Realistic fleets, for demonstrations and tests at any size.

No public trace of rebalances is known. Sizes therefore come from the catalogue of shapes, each with its
source; the small services that fill a fleet, and the frequency of events, are invented and labelled
`synthetic`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from kassay.assignors import registry
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Member
from kassay.model.groups.history import AddPartitions, Change, Event, History, Join, Leave
from kassay.model.groups.player import Player
from kassay.pipeline.workers import on_workers
from kassay.properties.groups.histories.generator import SHAPES, ClusterShape
from kassay.properties.sources import derive_seed

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

EPOCH_S: Final = 1_795_219_200
"""The first snapshot: 2026-11-21T00:00:00Z."""
EVERY_S: Final = 300
DIALECTS: Final = ("offsets", "offsets", "members", "members-epochs", "members-lost", "json")
ASSIGNORS: Final = ("range", "range", "roundrobin", "sticky", "cooperative-sticky")
SYNTHETIC_SHARE: Final = 0.85
GIANT: Final = 1000
"""Shapes with more partitions than this are rare."""
GIANT_SHARE: Final = 0.02
EVENT_CHANCE: Final = 0.12
CATALOGUE: Final = (
    *SHAPES,
    ClusterShape("tasks-100", 4, (100,), "all", "KAFKA-20198: 100 tasks over 4 threads"),
    ClusterShape("tasks-200", 8, (200,), "all", "KAFKA-20198: 200 tasks over 8 threads"),
    ClusterShape("tasks-1000", 16, (1000,), "all", "KAFKA-20198: 1,000 tasks over 16 threads"),
    ClusterShape("sixty-over-twenty", 20, (60,), "all", "synthetic: 60 partitions, 20 instances"),
)
"""The shapes of the history generator, and sizes that occur only in fleets."""
_OFFSETS_HEADER: Final = (
    *("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"),
    *("CONSUMER-ID", "HOST", "CLIENT-ID"),
)
_ASSIGNMENTS: Final = {
    "members": (", ", "{}({})"),
    "members-lost": (", ", "({1})"),
    "members-epochs": (";", "{}:{}"),
}
"""The format of partitions in the members view: separator of topics, and each topic with its partitions."""
TEXTS_DDL: Final = "at string, value string"


@dataclass(frozen=True)
class FleetSpec:
    """The number of groups, and of snapshots of each, from `begins_s` on; the seed determines the rest."""

    groups: int
    snapshots: int
    seed: int = 0
    dialects: tuple[str, ...] = DIALECTS
    begins_s: int = EPOCH_S


@dataclass(frozen=True)
class Moment:
    """A group at the time of a snapshot; `clients` are the client ids."""

    at: int
    cluster: Cluster
    members: tuple[Member, ...]
    given: Assignment


def shape_of(source: random.Random) -> ClusterShape:
    """The shape of a group: mostly small services, some from the catalogue."""
    if source.random() < SYNTHETIC_SHARE:
        topics = tuple(source.choice((1, 3, 6, 12, 24)) for _ in range(source.choice((1, 1, 1, 2, 3, 4))))
        graph = "some" if source.random() < 0.1 else "all"
        return ClusterShape("service", source.randint(1, 12), topics, graph, "synthetic: a small service")
    giants = source.random() < GIANT_SHARE
    return source.choice([shape for shape in CATALOGUE if (sum(shape.topics) > GIANT) is giants])


def moments(spec: FleetSpec, number: int) -> tuple[str, Iterator[Moment]]:
    """The group's name, and its snapshots by time."""
    source = random.Random(derive_seed(spec.seed, "fleet", number))
    shape = shape_of(source)
    return f"{shape.id}-{number:05d}", moments_of(spec, source, shape)


def moments_of(spec: FleetSpec, source: random.Random, shape: ClusterShape) -> Iterator[Moment]:
    """The snapshots of a group of this shape; `source` determines its events."""
    names = [f"{shape.id}.{i}" for i in range(len(shape.topics))]
    counts = dict(zip(names, shape.topics))
    members = [_joining(source, shape, names, i) for i in range(shape.members)]
    changes: list[Change] = [tuple(Join(member) for member in members)]
    starts = [0]
    for tick in range(1, spec.snapshots):
        if source.random() < EVENT_CHANCE:
            changes.append(_change(source, shape, names, counts, members))
            starts.append(tick)
    cluster = Cluster(tuple(Topic(name, count) for name, count in zip(names, shape.topics)))
    chosen = registry.find(source.choice(ASSIGNORS))
    assert chosen is not None
    # The references take no configuration.
    played = Player(lambda _: chosen.factory(), chosen.protocol).play(History(cluster, tuple(changes)))
    answered = {rebalanced.index: rebalanced.steps[-1] for rebalanced in played}
    for tick in range(spec.snapshots):
        index = max(i for i, start in enumerate(starts) if start <= tick)
        step = answered[index]
        yield Moment(spec.begins_s + tick * EVERY_S, step.cluster, step.group.members, step.given)


def _joining(source: random.Random, shape: ClusterShape, names: Sequence[str], number: int) -> Member:
    """A member with an id like a client's: its client id and random digits."""
    if shape.graph == "own":
        topics: tuple[str, ...] = (names[number % len(names)],)
    elif shape.graph == "two":
        topics = (names[number % len(names)], names[(number + 1) % len(names)])
    elif shape.graph == "some":
        topics = tuple(name for name in names if source.random() < 0.6) or (names[0],)
    else:
        topics = tuple(names)
    return Member(f"app-{number}-{source.getrandbits(48):012x}", topics)


def _change(
    source: random.Random,
    shape: ClusterShape,
    names: Sequence[str],
    counts: dict[str, int],
    members: list[Member],
) -> Change:
    """An event of a group: a member joins or leaves, a pod restarts, a topic grows."""
    kind = source.random()
    events: list[Event] = []
    if kind < 0.3 or len(members) < 2:
        members.append(_joining(source, shape, names, len(members)))
        events.append(Join(members[-1]))
    elif kind < 0.55:
        events.append(Leave(members.pop(source.randrange(len(members))).member_id))
    elif kind < 0.92:
        place = source.randrange(len(members))
        old = members[place]
        number = int(old.member_id.split("-")[1])
        members[place] = _joining(source, shape, names, number)._replace(topics=old.topics)
        events += [Leave(old.member_id), Join(members[place])]
    else:
        topic = source.choice(list(names))
        counts[topic] += max(1, counts[topic] // 2)
        events.append(AddPartitions(topic, counts[topic]))
    return tuple(events)


def dialect_of(spec: FleetSpec, number: int) -> str:
    """The format of this group's snapshots."""
    return random.Random(derive_seed(spec.seed, "dialect", number)).choice(spec.dialects)


def snapshot_text(group: str, moment: Moment, dialect: str) -> str:
    """The snapshot as the tool prints it, or as JSON lines."""
    if dialect == "json":
        return "\n".join(_json_lines(group, moment))
    if dialect == "members-lost":
        # This format is unusable by itself; its users need the offsets view as well.
        return snapshot_text(group, moment, "offsets") + "\n" + _members(group, moment, "members-lost")
    return _offsets(group, moment) if dialect == "offsets" else _members(group, moment, dialect)


def _client(member_id: str) -> str:
    return member_id.rpartition("-")[0]


def _offsets(group: str, moment: Moment) -> str:
    rows = [[*_OFFSETS_HEADER]]
    rows += [
        [group, *where, member_id, "/10.0.0.1", _client(member_id)]
        for member_id, tps in moment.given.items()
        for where in map(_position, tps)
    ]
    rows += [
        [group, *["-"] * 5, member_id, "/10.0.0.1", _client(member_id)]
        for member_id, tps in moment.given.items()
        if not tps
    ]
    owned = moment.given.owners()
    for topic in moment.cluster.topics:
        rows += [[group, *_position(tp), "-", "-", "-"] for tp in topic.tps() if tp not in owned]
    return _printed(rows)


def _position(tp: TopicPartition) -> list[str]:
    """The partition, with meaningless offsets."""
    return [tp.topic, str(tp.partition), "1000", "1000", "0"]


def _printed(rows: Iterable[Sequence[str]]) -> str:
    """The rows as the tool prints them, in columns after an empty line."""
    return "\n" + "\n".join(" ".join(f"{cell:<15}" for cell in row).rstrip() for row in rows)


def _members(group: str, moment: Moment, dialect: str) -> str:
    header = ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"]
    epochs = ["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"]
    rows = [header + (epochs if dialect == "members-epochs" else ["ASSIGNMENT"])]
    separator, form = _ASSIGNMENTS[dialect]
    for member_id, tps in moment.given.items():
        by_topic = groupby(sorted(tps), key=itemgetter(0))
        numbers = {topic: ",".join(str(partition) for _, partition in run) for topic, run in by_topic}
        text = separator.join(form.format(topic, listed) for topic, listed in numbers.items()) or "-"
        row = [group, member_id, "/10.0.0.1", _client(member_id), str(len(tps))]
        rows.append(row + (["7", text] * 2 if dialect == "members-epochs" else [text]))
    return _printed(rows)


def _json_lines(group: str, moment: Moment) -> Iterator[str]:
    at = stamp(moment.at)
    reads = {member.member_id: list(member.topics) for member in moment.members}
    for member_id, tps in moment.given.items():
        yield json.dumps(
            {
                "at": at,
                "group": group,
                "member": member_id,
                "client_id": _client(member_id),
                "topics": reads[member_id],
                "owned": [list(tp) for tp in tps],
            }
        )


def stamp(seconds: int) -> str:
    """The time in the format of paths and documents.

    >>> stamp(EPOCH_S)
    '2026-11-21T00-00-00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H-%M-%SZ")


def texts(spark: SparkSession, spec: FleetSpec, partitions: int) -> DataFrame:
    """The fleet as texts by time, for `partitionBy("at")`."""
    numbers = spark.range(0, spec.groups, 1, partitions)
    return numbers.mapInArrow(on_workers(partial(_texts_arrow, spec)), TEXTS_DDL)


def _texts_arrow(spec: FleetSpec, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The texts of the groups in the input; for `mapInArrow`."""
    import pyarrow as pa

    schema = pa.schema([("at", pa.string()), ("value", pa.string())])
    for batch in batches:
        for number in batch.column(0).to_pylist():
            group, group_moments = moments(spec, number)
            dialect = dialect_of(spec, number)
            rows = [{"at": stamp(m.at), "value": snapshot_text(group, m, dialect)} for m in group_moments]
            yield pa.RecordBatch.from_pylist(rows, schema)
