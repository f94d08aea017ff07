"""The output of `kafka-topics.sh --describe`: topics, their partitions, and their replicas.

A line of a topic and lines of its partitions are tab-separated `Key: value`. Tabs that a terminal turned into
spaces are recognised by the keys after them. Dialects: without `TopicId` (before 2.8), without the blank
after the colon (before 2.2), `Elr` and `LastKnownElr` (since 3.7), `Adding Replicas` and `Removing Replicas`
as whole nodes during a reassignment, `Offline` and `Observers` (Confluent Server). Other keys of other
distributions are skipped. With `--under-replicated-partitions` and the like there are no lines of topics, and
some of partitions.

Source: Kafka `TopicCommand.TopicDescription` and `PartitionDescription`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

from kassay.model.cluster import Topic, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import within
from kassay.reading.kafka.lines import Place, ToolLine, content_lines, read_nodes, whole, whole_list

TOOL: Final = "kafka-topics.sh --describe"
_KEYS: Final = (
    "Topic|TopicId|PartitionCount|ReplicationFactor|Configs|MarkedForDeletion|Partition|Leader|Replicas|Isr|"
    "Offline|Adding Replicas|Removing Replicas|Elr|LastKnownElr|Observers"
)
_READ: Final = frozenset(_KEYS.split("|"))
_BETWEEN: Final = re.compile(rf"\s+(?<!Adding )(?<!Removing )(?=(?:{_KEYS}):(?:\s|$))")
_BETWEEN_TIGHT: Final = re.compile(rf"\s+(?<!Adding )(?<!Removing )(?=(?:{_KEYS}):)")
"""Before 2.2 no blank follows a colon."""
_CONFIG: Final = re.compile(r",(?=[A-Za-z0-9._-]+=)")
_MIN_ISR: Final = "min.insync.replicas"
_THROTTLED: Final = ".replication.throttled.replicas"
_NOBODY: Final = ("none", "-1")
_NOT_SAID: Final = "N/A"
_T = TypeVar("_T")


class DescribedPartition(NamedTuple):
    """One partition's line.

    `replicas` are broker ids, preferred leader first; during a reassignment they are all that hold data or
    will, and `adding` and `removing` are the added and removed ones. `elr` and `last_known_elr` are None
    where the cluster does not say. `leader` is None without a leader. `observers` are those of the replicas
    that copy without ever being in sync; `offline` are on brokers or directories that do not answer.
    """

    partition: TopicPartition
    leader: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    place: Place
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    elr: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None
    observers: tuple[int, ...] = ()
    offline: tuple[int, ...] = ()

    @property
    def is_moving(self) -> bool:
        """Whether it is being reassigned."""
        return bool(self.adding or self.removing)

    @property
    def target(self) -> tuple[int, ...]:
        """The replicas at the end of the present reassignment."""
        return tuple(broker for broker in self.replicas if broker not in self.removing)


@dataclass(frozen=True)
class DescribedTopic:
    """A topic's line and its partitions in the order of their numbers.

    `partition_count` is from the topic's line; without one, the number of partitions. `partitions` may be
    fewer: see `whole_topics`. `unread` are the keys in the file that nothing is read from.
    """

    name: str
    partition_count: int
    partitions: tuple[DescribedPartition, ...]
    place: Place
    topic_id: str | None = None
    replication_factor: int | None = None
    configs: tuple[tuple[str, str], ...] = ()
    is_being_deleted: bool = False
    unread: tuple[str, ...] = ()

    @property
    def min_isr(self) -> int | None:
        """min.insync.replicas as the topic's line says it, None if it does not; raises `InputError`."""
        text = dict(self.configs).get(_MIN_ISR)
        return None if text is None else whole(text, self.place, f"Configs: {_MIN_ISR}")

    @property
    def throttles(self) -> tuple[str, ...]:
        """The keys of replication throttles that are set on the topic."""
        return tuple(key for key, value in self.configs if key.endswith(_THROTTLED) and value)

    @property
    def is_whole(self) -> bool:
        """Whether each partition has its line."""
        numbers = [each.partition.partition for each in self.partitions]
        return numbers == list(range(self.partition_count))

    def to_topic(self) -> Topic:
        """The topic with its replicas as in `kassay.model.cluster`, if each partition has its line."""
        replicas = tuple(each.replicas for each in self.partitions) if self.is_whole else None
        return Topic(self.name, self.partition_count, replicas, topic_id=self.topic_id)


def is_topics(text: str) -> bool:
    """Whether the text looks like this tool's output."""
    return re.search(r"^\s*Topic:.*\b(?:PartitionCount|Partition):", text, re.MULTILINE) is not None


def read_topics(text: str, file: str) -> tuple[DescribedTopic, ...]:
    """The topics, in the order of the text; raises `InputError` with file, line and field."""
    heads: dict[str, DescribedTopic] = {}
    rows: dict[TopicPartition, DescribedPartition] = {}
    keys: dict[str, None] = {}
    for line in content_lines(text, file, TOOL):
        fields = _fields(line)
        keys |= dict.fromkeys(fields)
        if "Partition" in fields:
            row = _partition(fields, line.place)
            _require_new(rows, row.partition, line.place, "Partition")
            rows[row.partition] = row
        else:
            head = _head(fields, line.place)
            _require_new(heads, head.name, line.place, "Topic")
            heads[head.name] = head
    if not heads and not rows:
        raise InputError(f"{file}: no topic, expected the output of {TOOL}")
    unread = tuple(key for key in keys if key not in _READ)
    topics = tuple(replace(topic, unread=unread) for topic in _joined(heads, rows))
    within((topic.partition_count for topic in topics), f"{file}: partitions")
    return topics


def whole_topics(topics: Iterable[DescribedTopic]) -> tuple[DescribedTopic, ...]:
    """The topics, each with a line for each partition; raises `InputError` for a topic without."""
    topics = tuple(topics)
    for topic in topics:
        if not topic.is_whole:
            raise InputError(
                f"{topic.place}: topic {topic.name!r}: found lines of {len(topic.partitions)} of "
                f"{topic.partition_count} partitions, expected all from 0 on: describe it without a filter "
                "such as --under-replicated-partitions, or the file is cut off"
            )
    return topics


def _fields(line: ToolLine) -> dict[str, str]:
    """The line's values by key."""
    text = line.text.strip("\t ")
    parts = line.text.split("\t") if "\t" in text else _between(text).split(text)
    fields: dict[str, str] = {}
    for part in filter(str.strip, parts):
        key, colon, value = part.partition(":")
        if not colon:
            raise line.place.wrong("line", part.strip(), "`Key: value`, with tabs between")
        key = key.strip()
        if key in fields:
            raise line.place.wrong(key, value.strip(), "this key once a line")
        fields[key] = value.strip()
    if not fields.get("Topic"):
        raise line.place.wrong("line", text, f"`Topic: name ...`, as {TOOL} prints")
    return fields


def _between(text: str) -> re.Pattern[str]:
    """What is between the fields of a line whose tabs are blanks."""
    return _BETWEEN if re.match(r"Topic:\s", text) else _BETWEEN_TIGHT


def _head(fields: dict[str, str], place: Place) -> DescribedTopic:
    factor = fields.get("ReplicationFactor", "")
    return DescribedTopic(
        fields["Topic"],
        whole(_required(fields, "PartitionCount", place), place, "PartitionCount"),
        (),
        place,
        fields.get("TopicId") or None,
        whole(factor, place, "ReplicationFactor") if factor else None,
        _configs(fields.get("Configs", ""), place),
        fields.get("MarkedForDeletion") == "true",
    )


def _configs(text: str, place: Place) -> tuple[tuple[str, str], ...]:
    """Keys and values; a value may contain commas, as in `cleanup.policy=compact,delete`."""
    pairs = [part.partition("=") for part in _CONFIG.split(text) if part]
    for key, equals, _ in pairs:
        if not equals:
            raise place.wrong("Configs", key, "`key=value` with commas between")
    return tuple((key, value) for key, _, value in pairs)


def _partition(fields: dict[str, str], place: Place) -> DescribedPartition:
    leader = fields.get("Leader", "none")
    return DescribedPartition(
        TopicPartition(fields["Topic"], whole(fields["Partition"], place, "Partition")),
        None if leader in _NOBODY else whole(leader, place, "Leader", "a broker's id, or none"),
        whole_list(_required(fields, "Replicas", place), place, "Replicas"),
        whole_list(fields.get("Isr", ""), place, "Isr"),
        place,
        _moving(fields, "Adding Replicas", place),
        _moving(fields, "Removing Replicas", place),
        _known(fields, "Elr", place, whole_list),
        _known(fields, "LastKnownElr", place, whole_list),
        whole_list(fields.get("Observers", ""), place, "Observers"),
        whole_list(fields.get("Offline", ""), place, "Offline"),
    )


def _moving(fields: dict[str, str], key: str, place: Place) -> tuple[int, ...]:
    """Broker ids, printed as whole nodes or, by other versions, as numbers."""
    text = fields.get(key, "")
    if "(" not in text:
        return whole_list(text, place, key)
    return tuple(node.broker_id for node in read_nodes(text, place, key))


def _known(
    fields: dict[str, str], key: str, place: Place, read: Callable[[str, Place, str], _T]
) -> _T | None:
    text = fields.get(key, _NOT_SAID)
    return None if text == _NOT_SAID else read(text, place, key)


def _required(fields: dict[str, str], key: str, place: Place) -> str:
    if key not in fields:
        raise InputError(f"{place}: {key}: missing, expected a value; is the file cut off here?")
    if not fields[key]:
        raise place.wrong(key, fields[key], "a value")
    return fields[key]


def _require_new(known: Container[_T], name: _T, place: Place, field: str) -> None:
    if name in known:
        raise place.wrong(field, str(name), "each once: this one was described above")


def _joined(
    heads: dict[str, DescribedTopic], rows: dict[TopicPartition, DescribedPartition]
) -> Iterable[DescribedTopic]:
    """Each topic with its partitions; values that a partition's line repeats must match the topic's."""
    by_topic: dict[str, list[DescribedPartition]] = {name: [] for name in heads}
    for tp, row in rows.items():
        by_topic.setdefault(tp.topic, []).append(row)
    for name, own in by_topic.items():
        own.sort()
        head = heads.get(name)
        if head is None:
            yield DescribedTopic(name, 1 + own[-1].partition.partition, tuple(own), own[0].place)
            continue
        for row in own:
            if row.partition.partition >= head.partition_count:
                raise row.place.wrong(
                    "Partition",
                    row.partition.partition,
                    f"a number below PartitionCount {head.partition_count}",
                )
        yield replace(head, partitions=tuple(own))
