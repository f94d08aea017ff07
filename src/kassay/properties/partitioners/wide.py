"""Wide sendings: what a partitioner can see of records and topics, over the whole legal range.

A range changes a sending in topics of its own (the last ones where there are many), so that the counts of a
sending with wide sizes stay: those are counted in the topic of the first record. Each class sends its records
at least twice, so that two answers can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, starmap
from typing import Final, NamedTuple

from kassay.model.partitioners.partitioner import ProducerRecord, ProducerSends, TopicMetadata
from kassay.properties.partitioners.wide_keys import (
    KEY_CONTENTS,
    KEY_HASHES,
    KEY_LENGTHS,
    KeyClass,
    is_json,
    is_utf8,
    lengths_words,
    random_bytes,
)
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import Size, WideRange

NOT_RECREATED: Final = "no-recreated-topics"
"""The assumption that topics never become smaller while a producer lives."""
Entry = tuple[ProducerRecord, TopicMetadata]


# Sizes


def _first_topic(case: ProducerSends) -> list[ProducerRecord]:
    """The records for the topic of the first one."""
    first = case.records[0][0].topic
    return [record for record, _ in case.records if record.topic == first]


TOPICS: Final = Size("topics", lambda case: len({record.topic for record, _ in case.records}))
PARTITIONS: Final = Size("partitions", lambda case: case.records[0][1].count)
KEYED: Final = Size(
    "records with a key",
    lambda case: sum(r.key is not None and r.partition is None for r in _first_topic(case)),
    most=257,
    why="1,025 records with a key come with 1,025 different keys",
)
KEYLESS: Final = Size(
    "records without a key",
    lambda case: sum(r.key is None and r.partition is None for r in _first_topic(case)),
    most=257,
    why="1,025 records without a key are a class of their own",
)
COUNTABLE: Final = (TOPICS, PARTITIONS, KEYED, KEYLESS)
"""What a sending can have very many of; partitions and records are those of the first record's topic."""
_FEW_KEYS: Final = 8
_AGAIN: Final = 3
_TWICE_MAX: Final = 24
"""The number of records of a class up to which all come twice."""
_LED_MAX: Final = 33_000
"""The number of available partitions that all records without a key of a sending see together."""


def sized_sending(source: Source, sizes: Mapping[str, int]) -> ProducerSends:
    """A sending with these numbers of `COUNTABLE` things, and little else.

    The first topic has few different keys, which come again and again. Where partitions are many and records
    without a key are not counted, there is one of these for each partition, up to `_LED_MAX` in all.
    """
    count = sizes.get(PARTITIONS.id, source.integer(2, 3))
    turns = min(count + 1, _LED_MAX // count) if PARTITIONS.id in sizes else 2
    keyed, keyless = sizes.get(KEYED.id, min(turns, 16)), sizes.get(KEYLESS.id, turns)
    first = TopicMetadata.of(count, (source.integer(0, count - 1),) if source.boolean() else ())
    keys = [b"key-%d" % (number * 37) for number in range(_FEW_KEYS)]
    sent = [ProducerRecord("t0", keys[number % min(_FEW_KEYS, keyed - 1)], b"v") for number in range(keyed)]
    bare = [ProducerRecord("t0", None, b"v") for _ in range(keyless)]
    two = TopicMetadata.of(2)
    others = [
        (ProducerRecord(f"t{number}", keys[0] if number % 2 else None, b"v"), two)
        for number in range(1, sizes.get(TOPICS.id, 1))
    ]
    last = [] if KEYED.id in sizes else sent[:2]
    records = ((each, first) for each in (*_mixed(source, sent, bare), *last))
    return ProducerSends((*records, *others, *others[:_AGAIN]))


def _mixed(source: Source, some: list[ProducerRecord], others: list[ProducerRecord]) -> list[ProducerRecord]:
    """Both in turn, or one after the other."""
    if source.boolean():
        return [*some, *others] if source.boolean() else [*others, *some]
    short = min(len(some), len(others))
    pairs = [record for pair in zip(some, others) for record in pair]
    return [*pairs, *some[short:], *others[short:]]


# Ranges

MANY_TOPICS: Final = 8
"""From so many topics on, a class takes the place of the last ones and adds none."""
_COUNTS: Final = (7, 12, 50)


class SendClass(NamedTuple):
    """A class of sendings: the records that show it, in topics of these names, and whether a sending does."""

    id: str
    make: Callable[[Sequence[str], Source], Iterable[Entry]]
    seen: Callable[[ProducerSends], bool]


def _range(id_: str, source: str, *classes: SendClass, topics: int = 1) -> WideRange:
    known = {each.id: each for each in classes}

    def widen(case: ProducerSends, wanted: str, choices: Source) -> ProducerSends:
        names = _own_topics(case, topics)
        rest = [entry for entry in case.records if entry[0].topic not in names]
        return ProducerSends((*rest, *known[wanted].make(names, choices)), case.config)

    return WideRange(id_, tuple(known), widen, lambda case, wanted: known[wanted].seen(case), source)


def _own_topics(case: ProducerSends, number: int) -> tuple[str, ...]:
    """The topics of a class: new ones, or the last ones of many."""
    names = list(dict.fromkeys(record.topic for record, _ in case.records))
    if len(names) >= MANY_TOPICS:
        return tuple(names[-number:])
    fresh = (f"t{place}" for place in range(len(names) + number))
    return tuple([name for name in fresh if name not in names][:number])


def _of_some(source: Source) -> TopicMetadata:
    return TopicMetadata.of(source.choice(_COUNTS))


# Keys


def _key_class(known: KeyClass) -> SendClass:
    def make(names: Sequence[str], source: Source) -> list[Entry]:
        topic = _of_some(source)
        sent = [ProducerRecord(names[0], key, b"v") for key in known.make(source, topic.count)]
        again = sent if len(sent) <= _TWICE_MAX else sent[:_AGAIN]
        return [(each, topic) for each in (*sent, ProducerRecord(names[0], None, b"v"), *again)]

    def seen(case: ProducerSends) -> bool:
        return known.seen([(record.key or b"", topic.count) for record, topic in _by_key(case)])

    return SendClass(known.id, make, seen)


def _by_key(case: ProducerSends) -> Iterator[Entry]:
    """The records that are sent by their key to a topic with a choice."""
    return (
        (record, topic)
        for record, topic in case.records
        if record.key is not None and record.partition is None and topic.count > 1
    )


_KEY_COUNTS: Final = (65, 257, 1025)


def _many_keys(number: int) -> SendClass:
    """So many different keys, all of which come again."""

    def make(names: Sequence[str], source: Source) -> list[Entry]:
        topic, start = _of_some(source), source.integer(0, 9)
        sent = [(ProducerRecord(names[0], b"k%d" % (start + place), b"v"), topic) for place in range(number)]
        return [*sent, *sent]

    def seen(case: ProducerSends) -> bool:
        keys: dict[str, dict[bytes | None, None]] = {}
        for record, _ in _by_key(case):
            own = keys.setdefault(record.topic, {})
            if len(own) >= number and record.key == next(iter(own)):
                return True
            own[record.key] = None
        return False

    return SendClass(f"{number} different", make, seen)


def _in_a_row(names: Sequence[str], source: Source) -> list[Entry]:
    return [(ProducerRecord(names[0], b"the-same", b"v"), _of_some(source))] * 65


def _has_a_row(case: ProducerSends) -> bool:
    run, last = 0, None
    for record, _ in case.records:
        run = run + 1 if (record.topic, record.key) == last and record.key is not None else 1
        last = record.topic, record.key
        if run == 65:
            return True
    return False


def _many_bare(names: Sequence[str], source: Source) -> list[Entry]:
    """1,025 records without a key, and one with a key before and after them."""
    topic, keyed = _of_some(source), ProducerRecord(names[0], b"k", b"v")
    return [(each, topic) for each in (keyed, *[keyed._replace(key=None)] * 1025, keyed)]


def _has_many_bare(case: ProducerSends) -> bool:
    bare = Counter(r.topic for r, _ in case.records if r.key is None and r.partition is None)
    return max(bare.values(), default=0) >= 1025


def _shared(names: Sequence[str], source: Source) -> list[Entry]:
    """The same keys in two topics, in turn."""
    metadata = [TopicMetadata.of(count) for count in (source.choice(_COUNTS), source.choice((3, 5)))]
    keys = [random_bytes(source, 6) for _ in range(4)]
    return [
        (ProducerRecord(name, key, b"v"), topic)
        for _ in range(2)
        for key in keys
        for name, topic in zip(names, metadata, strict=True)
    ]


def _shared_alike(names: Sequence[str], source: Source) -> list[Entry]:
    """The same keys in two topics with as many partitions."""
    topic = _of_some(source)
    return [(record, topic) for record, _ in _shared(names, source)]


def _is_shared(*, same_size: bool) -> Callable[[ProducerSends], bool]:
    def seen(case: ProducerSends) -> bool:
        counts: dict[bytes | None, dict[str, int]] = {}
        for record, topic in _by_key(case):
            counts.setdefault(record.key, {})[record.topic] = topic.count
        return any(len(own) > 1 and (len(set(own.values())) == 1) is same_size for own in counts.values())

    return seen


# Values


def _value_class(
    id_: str,
    make_value: Callable[[Source, bytes], bytes | None],
    seen: Callable[[bytes | None, bytes | None], bool],
    with_key: Sequence[bool] = (True, False),
) -> SendClass:
    """Records with such a value, with a key or without or both, between others with the same key."""

    def make(names: Sequence[str], source: Source) -> list[Entry]:
        topic, key = _of_some(source), random_bytes(source, source.integer(6, 12))
        plain = [ProducerRecord(names[0], one, b"value") for one in (key, None)]
        value = make_value(source, key)
        wide = [ProducerRecord(names[0], key if keyed else None, value) for keyed in with_key]
        return [(record, topic) for record in (*plain, *wide, *wide, *plain)]

    def shown(case: ProducerSends) -> bool:
        sent = [record for record, _ in case.records if record.partition is None]
        keyed_or_not = {record.key is not None for record in sent if seen(record.value, record.key)}
        return keyed_or_not.issuperset(with_key)

    return SendClass(id_, make, shown)


def _value_of_lengths(*sizes: int) -> SendClass:
    """Records with values of these lengths, without a key and with the same one."""

    def make(names: Sequence[str], source: Source) -> list[Entry]:
        topic, keys = _of_some(source), (random_bytes(source, 8), None)
        values = [b"value", *(random_bytes(source, size) for size in sizes), b"value"]
        return [(ProducerRecord(names[0], key, value), topic) for value in values for key in keys]

    def seen(case: ProducerSends) -> bool:
        sent = [record for record, _ in case.records if record.partition is None]
        return all(
            {len(r.value) for r in sent if r.value is not None and (r.key is not None) is keyed}.issuperset(
                sizes
            )
            for keyed in (True, False)
        )

    return SendClass(lengths_words(sizes), make, seen)


def _is_null(value: bytes | None, _: bytes | None) -> bool:
    return value is None


_VALUE_LENGTHS: Final = (
    *(
        ((1 << 16) + 1, 1 << 16, (1 << 16) - 1),
        (128, 127, 129),
        (1 << 14, (1 << 14) - 1, (1 << 14) + 1),
        (1,),
    ),
    *((64, 65), (256, 255, 257), (1 << 20,), (1 << 10, (1 << 10) + 1), (1 << 12,), (1 << 15, (1 << 15) - 1)),
)
"""Around one and two bytes, `batch.size`, and `max.request.size`."""


# Partitions and leaders


def _counted(count: int) -> SendClass:
    def make(names: Sequence[str], source: Source) -> list[Entry]:
        topic, key = TopicMetadata.of(count), random_bytes(source, 6)
        return [(ProducerRecord(names[0], each, b"v"), topic) for each in (key, None, key)]

    return SendClass(
        str(count),
        make,
        lambda case: any(topic.count == count for _, topic in {id(e[1]): e for e in case.records}.values()),
    )


def _led(id_: str, count: int, available: Callable[[int], Iterable[int]]) -> SendClass:
    """A topic of about so many partitions of which only these have a leader."""

    def topic_of(number: int) -> TopicMetadata:
        return TopicMetadata.of(number, set(range(number)).difference(available(number)))

    def make(names: Sequence[str], source: Source) -> list[Entry]:
        topic = topic_of(count + source.integer(0, 3 if count < 100 else 0))
        keys = [random_bytes(source, 6) for _ in range(3)]
        bare = [None] * min(2 * topic.count, 24)
        return [(ProducerRecord(names[0], key, b"v"), topic) for key in (*keys, *bare, *keys)]

    def seen(case: ProducerSends) -> bool:
        return any(
            topic.count >= min(count, 4) and topic.available == tuple(available(topic.count))
            for topic in _bare_topics(case)
            if count < 100 or topic.count >= count
        )

    return SendClass(id_, make, seen)


def _bare_topics(case: ProducerSends) -> Iterable[TopicMetadata]:
    """The metadata that records without a key meet."""
    bare = (t for r, t in case.records if r.key is None and r.partition is None)
    return {id(topic): topic for topic in bare}.values()


LEADERS: Final = (
    _led("none", 4, lambda _: ()),
    _led("only the last", 4, lambda n: (n - 1,)),
    _led("all but the first", 4, lambda n: range(1, n)),
    _led("only the first", 4, lambda _: (0,)),
    _led("all but the last", 4, lambda n: range(n - 1)),
    _led("only one between", 5, lambda n: (n // 2,)),
    _led("all but one between", 5, lambda n: (p for p in range(n) if p != n // 2)),
    _led("every second", 6, lambda n: range(0, n, 2)),
    _led("the first half", 6, lambda n: range(n // 2)),
    _led("the second half", 6, lambda n: range(n // 2, n)),
    _led("all", 4, lambda n: range(n)),
    _led("1 of 1025", 1025, lambda n: (n - 1,)),
    _led("1024 of 1025", 1025, lambda n: range(1, n)),
)


# The life of a topic

Stage = tuple[int, tuple[int, ...]]
"""The number of partitions of a topic at a time, and those that have no leader."""


def _life(
    id_: str, stages: Callable[[Source], Sequence[Stage]], seen: Callable[[Sequence[Stage]], bool]
) -> SendClass:
    """A topic that goes through these stages; the same keys are sent in each, and some records without."""

    def make(names: Sequence[str], source: Source) -> list[Entry]:
        keys = [random_bytes(source, 6) for _ in range(4)]
        sent = [ProducerRecord(names[0], key, b"v") for key in (*keys, None, None, None, keys[0])]
        every = stages(source)
        few = sent if len(every) < MANY_TOPICS else [sent[0], sent[-2]]
        return [(record, TopicMetadata.of(*stage)) for stage in every for record in few]

    def shown(case: ProducerSends) -> bool:
        lives: dict[str, list[Stage]] = {}
        keys: dict[str, list[set[bytes]]] = {}
        for record, topic in case.records:
            life, sent = lives.setdefault(record.topic, []), keys.setdefault(record.topic, [])
            stage = topic.count, tuple(topic.unavailable)
            if not life or life[-1] != stage:
                life.append(stage)
                sent.append(set())
            if record.key is not None and record.partition is None:
                sent[-1].add(record.key)
        return any(
            seen(life) for name, life in lives.items() if len(life) > 1 and set.intersection(*keys[name])
        )

    return SendClass(id_, make, shown)


def _counts(*numbers: Callable[[int], int]) -> Callable[[Source], Sequence[Stage]]:
    """Stages with these numbers of partitions, from one of several to start with, and all leaders."""

    def stages(source: Source) -> Sequence[Stage]:
        start = source.choice((4, 6, 12))
        return [(number(start), ()) for number in numbers]

    return stages


def _lost(*gone: Callable[[int], tuple[int, ...]]) -> Callable[[Source], Sequence[Stage]]:
    """Stages with these partitions without a leader."""

    def stages(source: Source) -> Sequence[Stage]:
        count = source.choice((3, 4, 7))
        return [(count, each(count)) for each in gone]

    return stages


def _by_counts(seen: Callable[[list[int]], bool]) -> Callable[[Sequence[Stage]], bool]:
    """Whether the numbers of partitions, in the order of the stages that differ in them, are so."""

    def of_life(life: Sequence[Stage]) -> bool:
        counts = [life[0][0], *(after for (before, _), (after, _) in pairwise(life) if after != before)]
        return len(counts) > 1 and seen(counts)

    return of_life


def _by_leaders(seen: Callable[[Sequence[Stage]], bool]) -> Callable[[Sequence[Stage]], bool]:
    """Whether the stages, all of one number of partitions, are so."""
    return lambda life: len({count for count, _ in life}) == 1 and seen(life)


LIVES: Final = (
    _life("grows", _counts(lambda n: n, lambda n: n + 1), _by_counts(lambda c: c[0] < c[-1])),
    _life(
        "loses a leader",
        _lost(lambda _: (), lambda _: (0,)),
        _by_leaders(lambda life: any(len(a[1]) < len(b[1]) for a, b in pairwise(life))),
    ),
    _life("doubles", _counts(lambda n: n, lambda n: 2 * n), _by_counts(lambda c: 2 * c[0] == c[-1])),
    _life(
        "loses all leaders and gets them back",
        _lost(lambda _: (), lambda n: tuple(range(n)), lambda _: ()),
        _by_leaders(lambda life: any(len(gone) == count for count, gone in life[1:-1])),
    ),
    _life("grows from 1", _counts(lambda _: 1, lambda n: n), _by_counts(lambda c: c[0] == 1)),
    _life(
        "grows in steps",
        lambda _: [(number, ()) for number in (1, 2, 3, 4, 6, 8)],
        _by_counts(lambda c: len(c) > 4 and c == sorted(c)),
    ),
    _life("grows to 1025", lambda _: [(3, ()), (1025, ())], _by_counts(lambda c: c[-1] == 1025 > c[0])),
    _life(
        "loses another leader",
        _lost(lambda _: (0,), lambda _: (1,)),
        _by_leaders(lambda life: any(len(a[1]) == len(b[1]) for a, b in pairwise(life))),
    ),
    _life(
        "gets its leaders",
        _lost(lambda n: tuple(range(n)), lambda _: (0,), lambda _: ()),
        _by_leaders(lambda life: len(life[0][1]) == life[0][0] and not life[-1][1]),
    ),
    _life(
        "new partitions without leaders",
        lambda _: [(4, ()), (6, (4, 5)), (6, ())],
        lambda life: any(a[0] < b[0] and b[1] == tuple(range(a[0], b[0])) for a, b in pairwise(life)),
    ),
    _life(
        "grows 40 times",
        lambda source: [(number, ()) for number in range(2, 43 + source.integer(0, 2))],
        _by_counts(lambda c: len(c) > 40 and c == sorted(c)),
    ),
)
RECREATED: Final = (
    _life("smaller", _counts(lambda n: n, lambda n: n - 1), _by_counts(lambda c: c[0] > c[-1])),
    _life("with 1 partition", _counts(lambda n: n, lambda _: 1), _by_counts(lambda c: c[-1] == 1)),
    _life("with half", _counts(lambda n: n, lambda n: n // 2), _by_counts(lambda c: c[0] == 2 * c[-1])),
    _life("from 1025 on", lambda _: [(1025, ()), (3, ())], _by_counts(lambda c: c[0] == 1025 > c[-1])),
    _life(
        "larger and as before",
        _counts(lambda n: n, lambda n: 2 * n + 1, lambda n: n),
        _by_counts(lambda c: len(c) > 2 and c[0] == c[2] < c[1]),
    ),
    _life(
        "smaller and as before",
        _counts(lambda n: n, lambda n: n // 2, lambda n: n),
        _by_counts(lambda c: len(c) > 2 and c[0] == c[2] > c[1]),
    ),
    _life(
        "40 times",
        lambda source: [(3 + number % 5, ()) for number in range(41 + source.integer(0, 3))],
        _by_counts(lambda c: len(c) > 40 and c != sorted(c)),
    ),
)
"""A topic that was deleted and created again has another number of partitions while the producer lives."""


# Partitions that records name


def _named(
    id_: str, partition: Callable[[int], int], gone: Sequence[int] = (), *, keyed: bool = False
) -> SendClass:
    def make(names: Sequence[str], source: Source) -> list[Entry]:
        count, key = source.choice(_COUNTS), random_bytes(source, 6)
        topic = TopicMetadata.of(count, gone)
        by_key = ProducerRecord(names[0], key, b"v")
        wide = ProducerRecord(names[0], key if keyed else None, b"v", partition(count))
        return [(record, topic) for record in (by_key, wide, wide._replace(value=None), by_key)]

    def seen(case: ProducerSends) -> bool:
        return any(
            record.partition == partition(topic.count)
            and (record.key is not None) is keyed
            and topic.count > 1
            and (record.partition not in topic.available) is (bool(gone) or record.partition >= topic.count)
            for record, topic in case.records
            if record.partition is not None
        )

    return SendClass(id_, make, seen)


# Two things that are one text once they are joined

_GLUED: Final = ("logs", "logs1")


def _glued_to_counts(_: Sequence[str], source: Source) -> Iterator[Entry]:
    """Few keys in the topics `logs` of 12 partitions and `logs1` of 2, which are `logs12` without a mark."""
    keys = [random_bytes(source, 6) for _ in range(_FEW_KEYS)]
    for name, count in zip(_GLUED, (12, 2)):
        for key in (*keys, *keys):
            yield ProducerRecord(name, key, b"v"), TopicMetadata.of(count)


def _is_glued_to_counts(case: ProducerSends) -> bool:
    return {(record.topic, topic.count) for record, topic in case.records}.issuperset(zip(_GLUED, (12, 2)))


def _glued_to_keys(_: Sequence[str], source: Source) -> Iterator[Entry]:
    """Keys of which one in `logs` begins with the digit that ends the name `logs1`."""
    count = source.choice(_COUNTS)
    keys = [random_bytes(source, 6) for _ in range(_FEW_KEYS)]
    for name, mark in zip(_GLUED, (b"1", b"")):
        for key in (*keys, *keys):
            yield ProducerRecord(name, mark + key, b"v"), TopicMetadata.of(count)


def _is_glued_to_keys(case: ProducerSends) -> bool:
    texts: dict[bytes, set[str]] = {}
    for record, _ in case.records:
        texts.setdefault(record.topic.encode() + (record.key or b""), set()).add(record.topic)
    return any(len(topics) > 1 for topics in texts.values())


RANGES: Final = (
    _range("length of a key", "ProducerRecord", *map(_key_class, KEY_LENGTHS)),
    _range(
        "value",
        "ProducerRecord, ProducerConfig.MAX_REQUEST_SIZE_CONFIG",
        _value_class("null with a key", lambda *_: None, _is_null, (True,)),
        _value_class("null without a key", lambda *_: None, _is_null, (False,)),
        _value_class("empty", lambda *_: b"", lambda value, _: value == b""),
        *starmap(_value_of_lengths, _VALUE_LENGTHS),
        _value_class("equal to the key", lambda _, key: key, lambda value, key: value == key, (True,)),
        _value_class("JSON", lambda *_: b'{"id": 7}', lambda value, _: value is not None and is_json(value)),
        _value_class(
            "text beyond ASCII",
            lambda *_: "Größe 注文".encode(),
            lambda value, _: value is not None and not value.isascii() and is_utf8(value),
        ),
        _value_class(
            "not UTF-8", lambda *_: b"\xff\xfe\x80", lambda value, _: value is not None and not is_utf8(value)
        ),
    ),
    _range("leaders", "Cluster.availablePartitionsForTopic", *LEADERS),
    _range("life of a topic", "Metadata.update", *LIVES),
    replace(
        _range("recreated topic", "Metadata.update, Cluster.topicId", *RECREATED),
        excluded_by=frozenset({NOT_RECREATED}),
    ),
    _range("content of a key", "Serializer", *map(_key_class, KEY_CONTENTS)),
    _range("hash of a key", "Utils.murmur2", *map(_key_class, KEY_HASHES)),
    _range(
        "keys",
        "ProducerRecord",
        *map(_many_keys, _KEY_COUNTS),
        SendClass("65 equal in a row", _in_a_row, _has_a_row),
        SendClass("1025 times none", _many_bare, _has_many_bare),
    ),
    _range(
        "keys in two topics",
        "ProducerRecord",
        SendClass("of equal size", _shared_alike, _is_shared(same_size=True)),
        SendClass("of different sizes", _shared, _is_shared(same_size=False)),
        topics=2,
    ),
    replace(
        _range(
            "equal texts",
            "Topic.LEGAL_CHARS",
            SendClass("a topic and its number of partitions", _glued_to_counts, _is_glued_to_counts),
            SendClass("a topic and a key", _glued_to_keys, _is_glued_to_keys),
        ),
        names=("topic",),
    ),
    _range(
        "partitions of a topic",
        "Cluster.partitionCountForTopic",
        *map(_counted, (1, 2, 32_767, 32_768, 100_000)),
    ),
    _range(
        "named partition",
        "ProducerRecord, KafkaProducer.partition",
        _named("the first", lambda _: 0),
        _named("the last", lambda n: n - 1),
        _named("the first missing", lambda n: n),
        _named("2147483647", lambda _: 2**31 - 1),
        _named("without a leader", lambda _: 0, (0,)),
        _named("with a key", lambda n: n - 1, keyed=True),
    ),
)
"""What a sending can have at the ends of what is legal, with Kafka's class that has the limit."""
