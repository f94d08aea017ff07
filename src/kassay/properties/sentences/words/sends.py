"""The words for partitioners: where the records of one sending went."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

from kassay.model.calls import Refusal
from kassay.model.cluster import TopicPartition
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import ProducerSendsStep, Sent
from kassay.properties.partitioners.sends import is_out_of_range
from kassay.properties.registry import Scope
from kassay.properties.sentences.vocabulary import Things, Vocabulary, flag, number


class SentKey(NamedTuple):
    """A key of records in a topic of this many partitions: with more it may go elsewhere."""

    key: bytes
    topic: str
    partitions: int

    def __str__(self) -> str:
        return f"{self.key.hex() or 'empty'} for {self.topic} of {self.partitions} partitions"


def _scene(_: Scope, things: tuple[Any, ...]) -> ProducerSendsStep:
    step: ProducerSendsStep = things[0]
    return step


def _others(step: ProducerSendsStep) -> Iterator[ProducerSendsStep]:
    """All to the first partition, all to the last, round robin; a record with a partition goes there."""
    choices: tuple[Callable[[int, int], int], ...] = (
        lambda *_: 0,
        lambda _, count: count - 1,
        lambda i, count: i % count,
    )
    for choose in choices:
        answer = tuple(
            sent._replace(answer=choose(i, sent.topic.count))
            if sent.record.partition is None and sent.topic.count
            else sent
            for i, sent in enumerate(step.given)
        )
        yield ProducerSendsStep(step.request, answer)


def _went(step: ProducerSendsStep) -> list[tuple[Sent, int]]:
    """The records that went to a partition, each with its partition."""
    return [(sent, sent.answer) for sent in step.given if isinstance(sent.answer, int)]


def _topics(step: ProducerSendsStep) -> list[str]:
    return list(dict.fromkeys(sent.record.topic for sent in step.given))


def _partitions(step: ProducerSendsStep) -> list[TopicPartition]:
    return [TopicPartition(topic, p) for topic in _topics(step) for p in range(_count(step, topic))]


def _count(step: ProducerSendsStep, topic: str) -> int:
    return max(sent.topic.count for sent in step.given if sent.record.topic == topic)


def _key(sent: Sent) -> SentKey | None:
    """The key of the record; None where it has none, or names a partition."""
    record = sent.record
    if record.key is None or record.partition is not None:
        return None
    return SentKey(record.key, record.topic, sent.topic.count)


def _keys(step: ProducerSendsStep) -> list[SentKey]:
    return list(dict.fromkeys(key for key in map(_key, step.given) if key is not None))


def _goes_by_itself(sent: Sent) -> bool:
    return sent.record.key is None and sent.record.partition is None


def _sent_to(step: ProducerSendsStep, tp: TopicPartition) -> int:
    return sum((sent.record.topic, where) == tp for sent, where in _went(step))


def _places(step: ProducerSendsStep, key: SentKey) -> int:
    return len({where for sent, where in _went(step) if _key(sent) == key})


def _switches(step: ProducerSendsStep, topic: str) -> int:
    by_itself = [w for sent, w in _went(step) if _goes_by_itself(sent) and sent.record.topic == topic]
    return sum(before != after for before, after in pairwise(by_itself))


def _leaderless(step: ProducerSendsStep) -> int:
    return sum(where in sent.topic.unavailable for sent, where in _went(step))


SEND_WORDS: Final = Vocabulary(
    kinds=(PARTITIONER,),
    things=(
        Things("topics", "t", _topics, "topic"),
        Things("partitions", "p", _partitions, "partition"),
        Things("keys", "k", _keys, "key"),
    ),
    measures=(
        number("sent", "partitions", _sent_to, "records that went to a partition"),
        number(
            "sent",
            "topics",
            lambda s, t: sum(sent.record.topic == t for sent, _ in _went(s)),
            "records of a topic that went to some partition",
        ),
        number("places", "keys", _places, "different partitions that records with a key went to"),
        number(
            "records",
            "keys",
            lambda s, k: sum(_key(sent) == k for sent in s.given),
            "records that go by a key",
        ),
        number(
            "switches",
            "topics",
            _switches,
            "records of a topic, without key and partition, that went elsewhere than the one before",
        ),
        number("records", "", lambda s: len(s.given), "records of the sending"),
        number(
            "keyless", "", lambda s: sum(map(_goes_by_itself, s.given)), "those without key and partition"
        ),
        number("keys", "", lambda s: len(_keys(s)), "different keys by which records go"),
        number("topics", "", lambda s: len(_topics(s)), "topics of the records"),
        number("partitions", "", lambda s: len(_partitions(s)), "partitions of these topics"),
        number("partitions", "topics", _count, "partitions of a topic, the most that it had"),
        number(
            "refused", "", lambda s: sum(isinstance(x.answer, Refusal) for x in s.given), "records declined"
        ),
        number("leaderless", "", _leaderless, "records sent to a partition without a leader"),
        flag("no_keys", lambda s: all(x.record.key is None for x in s.given), "no record has a key"),
        flag("all_keys", lambda s: all(x.record.key is not None for x in s.given), "every record has one"),
        flag(
            "no_named",
            lambda s: all(x.record.partition is None for x in s.given),
            "no record names a partition",
        ),
        flag("in_range", lambda s: not any(map(is_out_of_range, s.given)), "every named partition is there"),
        flag(
            "all_available",
            lambda s: not any(x.topic.unavailable for x in s.given),
            "every partition has a leader",
        ),
        flag(
            "equal_counts",
            lambda s: len({(x.record.topic, x.topic.count) for x in s.given}) == len(_topics(s)),
            "no topic has more partitions at one time than at another",
        ),
    ),
    scope=Scope.STEP,
    scene=_scene,
    others=_others,
    everything="the sending",
)
